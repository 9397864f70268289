import { DoormanError } from 'doorman-client';

/** The service lets a user make 60 calls a minute (interface 6): what nobody waits for leaves room for the rest. */
const BACKGROUND_PER_MINUTE = 30;
const BACKGROUND_AT_ONCE = 3;
const MINUTE_MS = 60_000;
/** Where a refusal does not say how long. */
const WAIT_MS = 2_000;

interface Options {
  /** Nobody waits for it: few at a time, and not too many a minute. */
  isBackground?: boolean;
  /** Too many calls: it goes on by itself at this moment, epoch milliseconds. */
  onWait?: (until: number) => void;
}

interface Waiting {
  readonly start: () => void;
  readonly refuse: (error: Error) => void;
}

/**
 * Calls to the service on behalf of one user. What is refused because of too many calls is repeated when the service says,
 * and everything else waits as long. When the user leaves, whatever is under way is refused with the kit's own word
 * `signed_out`: an answer never reaches the next user.
 */
export class Errands {
  #stay = new AbortController();
  #pausedUntil = 0;
  readonly #background: Waiting[] = [];
  #running = 0;
  #begun: number[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** Nobody who asked before is answered. */
  leave(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const reason = new DoormanError(401, 'signed_out', 'the user has left');
    this.#stay.abort(reason);
    this.#stay = new AbortController();
    for (const { refuse } of this.#background.splice(0)) refuse(reason);
    this.#pausedUntil = 0;
    this.#begun = [];
    this.#running = 0;
  }

  /** @throws {DoormanError} what the service refused, but for too many calls */
  async run<T>(call: () => Promise<T>, { isBackground = false, onWait }: Options = {}): Promise<T> {
    const { signal } = this.#stay;
    if (isBackground) await this.#turn();
    try {
      for (;;) {
        signal.throwIfAborted();
        const waitMs = this.#pausedUntil - Date.now();
        if (waitMs > 0) {
          onWait?.(this.#pausedUntil);
          await wait(waitMs, signal);
          continue;
        }
        try {
          return await unlessLeft(call(), signal);
        } catch (error) {
          if (!(error instanceof DoormanError) || error.code !== 429) throw error;
          const until = Date.now() + Math.max(error.retryAfterMs ?? WAIT_MS, 100);
          this.#pausedUntil = Math.max(this.#pausedUntil, until);
        }
      }
    } finally {
      if (isBackground && !signal.aborted) {
        this.#running--;
        this.#startSome();
      }
    }
  }

  /** The same without patience: somebody waits for it, and is told that there were too many calls. */
  act<T>(call: () => Promise<T>): Promise<T> {
    return unlessLeft(call(), this.#stay.signal);
  }

  #turn(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#background.push({ start: resolve, refuse: reject });
      this.#startSome();
    });
  }

  #startSome(): void {
    const now = Date.now();
    this.#begun = this.#begun.filter((at) => at > now - MINUTE_MS);
    while (this.#running < BACKGROUND_AT_ONCE && this.#begun.length < BACKGROUND_PER_MINUTE) {
      // The latest first: it is what is on the screen.
      const next = this.#background.pop();
      if (!next) return;
      this.#running++;
      this.#begun.push(now);
      next.start();
    }
    const [first] = this.#begun;
    if (this.#background.length === 0 || this.#timer !== undefined || first === undefined) return;
    if (this.#begun.length < BACKGROUND_PER_MINUTE) return;
    this.#timer = setTimeout(
      () => {
        this.#timer = undefined;
        this.#startSome();
      },
      first + MINUTE_MS - now,
    );
  }
}

function wait(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = () => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', end);
      resolve();
    }, ms);
    signal.addEventListener('abort', end, { once: true });
  });
}

function unlessLeft<T>(answer: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const end = () => reject(signal.reason);
    signal.addEventListener('abort', end, { once: true });
    answer.then(resolve, reject).finally(() => signal.removeEventListener('abort', end));
  });
}
