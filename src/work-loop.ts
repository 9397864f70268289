import type { Clock } from './clock.ts';

/** A loop reads the database at least this often, for work whose hint was lost. */
const SWEEP_MS = 15_000;
const AFTER_FAULT_MS = 1_000;

/**
 * Runs the passes of a worker one after the other: when it is woken, at the times that it asks for, and every 15 s. A pass that fails runs
 * again after a second.
 */
export class WorkLoop {
  readonly #clock: Pick<Clock, 'monotonicMs' | 'now'>;
  readonly #pass: () => Promise<void>;
  readonly #onFault: (err: unknown) => void;
  #running: Promise<void> | undefined;
  #again = false;
  #isStopped = false;
  #timer: NodeJS.Timeout | undefined;
  /** Monotonic milliseconds. */
  #timerAtMs = Number.POSITIVE_INFINITY;

  constructor(
    clock: Pick<Clock, 'monotonicMs' | 'now'>,
    pass: () => Promise<void>,
    onFault: (err: unknown) => void,
  ) {
    this.#clock = clock;
    this.#pass = pass;
    this.#onFault = onFault;
  }

  /** The passes that run; `undefined` while none does. */
  get running(): Promise<void> | undefined {
    return this.#running;
  }

  /** Starts a pass, or one more after that which runs. */
  wake(): void {
    if (this.#isStopped) return;
    this.#again = true;
    this.#running ??= this.#run();
  }

  /** @param at epoch milliseconds */
  wakeAt(at: number): void {
    const { monotonicMs, now } = this.#clock;
    const waitMs = Math.min(Math.max(at - now(), 1), SWEEP_MS);
    const timerAtMs = monotonicMs() + waitMs;
    if (this.#isStopped || timerAtMs >= this.#timerAtMs) return;
    clearTimeout(this.#timer);
    this.#timerAtMs = timerAtMs;
    this.#timer = setTimeout(() => {
      this.#timerAtMs = Number.POSITIVE_INFINITY;
      this.wake();
    }, waitMs);
    this.#timer.unref();
  }

  /** Starts no further pass, and waits for the one that runs. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    await this.#running;
  }

  async #run(): Promise<void> {
    while (this.#again && !this.#isStopped) {
      // What is committed together is done together.
      await new Promise(setImmediate);
      this.#again = false;
      try {
        await this.#pass();
      } catch (err) {
        this.#onFault(err);
        this.wakeAt(this.#clock.now() + AFTER_FAULT_MS);
      }
    }
    // Not in a callback of the promise: before that ran, another wake-up would be lost.
    this.#running = undefined;
  }
}
