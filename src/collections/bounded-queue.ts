import { overloaded } from '../errors.ts';

/** How long the last job in a full queue may wait; a refused caller may try again after it. */
export const LONGEST_WAIT_SECONDS = 3;

/** Runs at most `concurrency` jobs at the same time, in order of arrival; at most `limit` others wait for a slot. */
export class BoundedQueue {
  readonly concurrency: number;
  readonly limit: number;
  #running = 0;
  // In order of arrival; each entry starts its job.
  readonly #waiting = new Set<() => void>();

  constructor(options: { concurrency: number; limit: number }) {
    this.concurrency = options.concurrency;
    this.limit = options.limit;
  }

  /** How many jobs have a slot now. */
  get running(): number {
    return this.#running;
  }

  /** How many jobs wait for a slot now. */
  get waiting(): number {
    return this.#waiting.size;
  }

  /**
   * Runs `job` as soon as it gets a slot. If `signal` fires before, the job never runs. A started job is not interrupted and
   * keeps its slot until it ends: some jobs, such as bcrypt, cannot be interrupted.
   *
   * @throws {ServiceError} `rate-limited`, word `overloaded`, when the queue is full; the signal's reason when it fired before
   *   the start; and what `job` throws
   */
  async run<T>(job: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    signal?.throwIfAborted();
    if (this.#running < this.concurrency) this.#running += 1;
    else await this.#waitForSlot(signal);
    try {
      return await job();
    } finally {
      this.#releaseSlot();
    }
  }

  #waitForSlot(signal: AbortSignal | undefined): Promise<void> {
    if (this.#waiting.size >= this.limit) throw overloaded(LONGEST_WAIT_SECONDS);
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const start = () => {
      signal?.removeEventListener('abort', drop);
      resolve();
    };
    const drop = () => {
      this.#waiting.delete(start);
      reject(signal?.reason);
    };
    this.#waiting.add(start);
    signal?.addEventListener('abort', drop, { once: true });
    return promise;
  }

  // A slot is passed to the next job without becoming free, so no later caller overtakes it.
  #releaseSlot(): void {
    const [next] = this.#waiting;
    if (next === undefined) {
      this.#running -= 1;
      return;
    }
    this.#waiting.delete(next);
    next();
  }
}
