import { overloaded } from '../errors.ts';

/** How long the last job in a full queue may wait; a refused caller may try again after it. */
export const LONGEST_WAIT_SECONDS = 3;

/**
 * Runs at most `concurrency` jobs at the same time, in order of arrival; at most `limit` others wait for a slot. A job that takes several
 * times as long as usual may count as several.
 */
export class BoundedQueue {
  readonly concurrency: number;
  readonly limit: number;
  #running = 0;
  // In order of arrival; each entry starts its job, and has its weight.
  readonly #waiting = new Map<() => void, number>();
  #waitingWeight = 0;

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
   * @param weight for how many jobs it counts while it waits, at least 1; the last one may exceed the limit
   * @throws {ServiceError} `rate-limited`, word `overloaded`, when the queue is full; the signal's reason when it fired before
   *   the start; and what `job` throws
   */
  async run<T>(job: () => Promise<T>, signal?: AbortSignal, weight = 1): Promise<T> {
    signal?.throwIfAborted();
    if (this.#running < this.concurrency) this.#running += 1;
    else await this.#waitForSlot(signal, Math.max(1, weight));
    try {
      return await job();
    } finally {
      this.#releaseSlot();
    }
  }

  #waitForSlot(signal: AbortSignal | undefined, weight: number): Promise<void> {
    if (this.#waitingWeight >= this.limit) throw overloaded(LONGEST_WAIT_SECONDS);
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const start = () => {
      signal?.removeEventListener('abort', drop);
      resolve();
    };
    const drop = () => {
      this.#remove(start);
      reject(signal?.reason);
    };
    this.#waiting.set(start, weight);
    this.#waitingWeight += weight;
    signal?.addEventListener('abort', drop, { once: true });
    return promise;
  }

  // A slot is passed to the next job without becoming free, so no later caller overtakes it.
  #releaseSlot(): void {
    const [next] = this.#waiting.keys();
    if (next === undefined) {
      this.#running -= 1;
      return;
    }
    this.#remove(next);
    next();
  }

  #remove(start: () => void): void {
    this.#waitingWeight -= this.#waiting.get(start) ?? 0;
    this.#waiting.delete(start);
    // Weights are fractions, whose sums drift.
    if (this.#waiting.size === 0) this.#waitingWeight = 0;
  }
}
