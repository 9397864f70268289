import { DoormanError } from 'doorman-client';

/** The service lets a user make 60 calls a minute (interface 8): background calls leave room for the others. */
const BACKGROUND_PER_MINUTE = 30;
const BACKGROUND_AT_ONCE = 3;
const MINUTE_MS = 60_000;
/** For a 429 that does not say how long. */
const WAIT_MS = 2_000;

interface Options {
  /** The user does not wait for it: few at a time, and a limited number per minute. */
  isBackground?: boolean;
  /** Called when the call waits after a 429, with the time at which it goes on, epoch milliseconds. */
  onWait?: (until: number) => void;
}

interface WaitingCall {
  readonly start: () => void;
  readonly reject: (error: Error) => void;
}

/**
 * Calls to the service on behalf of one user. After a 429 the call is repeated at the time that the service names, and all
 * other calls wait until then. When the user leaves, every call in progress is rejected with the kit's error word
 * `signed_out`: an answer never reaches the next user.
 */
export class RequestQueue {
  #cancellation = new AbortController();
  #pausedUntil = 0;
  readonly #background: WaitingCall[] = [];
  #running = 0;
  /** When background calls of the last minute started, epoch milliseconds. */
  #startedAt: number[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** Rejects every call that is in progress or waits. */
  cancelAll(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const reason = new DoormanError(401, 'signed_out', 'the user has left');
    this.#cancellation.abort(reason);
    this.#cancellation = new AbortController();
    for (const { reject } of this.#background.splice(0)) reject(reason);
    this.#pausedUntil = 0;
    this.#startedAt = [];
    this.#running = 0;
  }

  /** @throws {DoormanError} any refusal of the service but a 429 */
  async run<T>(call: () => Promise<T>, { isBackground = false, onWait }: Options = {}): Promise<T> {
    const { signal } = this.#cancellation;
    if (isBackground) await this.#backgroundSlot();
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
          return await unlessAborted(call(), signal);
        } catch (error) {
          if (!(error instanceof DoormanError) || error.code !== 429) throw error;
          const until = Date.now() + Math.max(error.retryAfterMs ?? WAIT_MS, 100);
          this.#pausedUntil = Math.max(this.#pausedUntil, until);
        }
      }
    } finally {
      if (isBackground && !signal.aborted) {
        this.#running--;
        this.#startBackground();
      }
    }
  }

  /** Calls at once and once: the user waits for the result, also if it is a 429. */
  runNow<T>(call: () => Promise<T>): Promise<T> {
    return unlessAborted(call(), this.#cancellation.signal);
  }

  #backgroundSlot(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#background.push({ start: resolve, reject });
      this.#startBackground();
    });
  }

  #startBackground(): void {
    const now = Date.now();
    this.#startedAt = this.#startedAt.filter((at) => at > now - MINUTE_MS);
    while (this.#running < BACKGROUND_AT_ONCE && this.#startedAt.length < BACKGROUND_PER_MINUTE) {
      // The newest first: it is for what is on the screen.
      const next = this.#background.pop();
      if (!next) return;
      this.#running++;
      this.#startedAt.push(now);
      next.start();
    }
    const [first] = this.#startedAt;
    if (this.#background.length === 0 || this.#timer !== undefined || first === undefined) return;
    if (this.#startedAt.length < BACKGROUND_PER_MINUTE) return;
    this.#timer = setTimeout(
      () => {
        this.#timer = undefined;
        this.#startBackground();
      },
      first + MINUTE_MS - now,
    );
  }
}

function wait(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = () => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', abort);
      resolve();
    }, ms);
    signal.addEventListener('abort', abort, { once: true });
  });
}

function unlessAborted<T>(answer: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    signal.addEventListener('abort', abort, { once: true });
    answer.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}
