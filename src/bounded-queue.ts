import { ServiceError } from './errors.ts';

/** The longest wait of the last in the queue; a refused caller may try again after it. */
export const LONGEST_WAIT_SECONDS = 3;

/**
 * A fixed number of places for jobs and a bounded line before them, first come, first served. The counts are there
 * for metrics.
 */
export class BoundedQueue {
  readonly concurrency: number;
  readonly limit: number;
  #running = 0;
  #refused = 0;
  #dropped = 0;
  // In order of arrival; each entry starts its job.
  readonly #waiting = new Set<() => void>();

  constructor(options: { concurrency: number; limit: number }) {
    this.concurrency = options.concurrency;
    this.limit = options.limit;
  }

  /** Jobs that hold a place now, at most `concurrency`. */
  get running(): number {
    return this.#running;
  }

  /** Jobs in line now, at most `limit`. */
  get waiting(): number {
    return this.#waiting.size;
  }

  /** Jobs turned away since the start because the line was full. */
  get refused(): number {
    return this.#refused;
  }

  /** Jobs that left the line since the start because their client was gone. */
  get dropped(): number {
    return this.#dropped;
  }

  /**
   * Runs `job` when its turn comes. A waiting job whose `signal` fires never runs; a started one is not
   * disturbed and keeps its place until it has ended, since a bcrypt, for one, cannot be interrupted.
   *
   * @throws {ServiceError} `rate-limited`, word `overloaded`, when the line is full; the signal's reason when it
   *   fired before the start; whatever `job` throws
   */
  async run<T>(job: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    signal?.throwIfAborted();
    if (this.#running < this.concurrency) this.#running += 1;
    else await this.#turn(signal);
    try {
      return await job();
    } finally {
      this.#leave();
    }
  }

  #turn(signal: AbortSignal | undefined): Promise<void> {
    if (this.#waiting.size >= this.limit) {
      this.#refused += 1;
      throw new ServiceError('rate-limited', 'overloaded', '服务繁忙，请稍后再试', {
        retryAfterSeconds: LONGEST_WAIT_SECONDS,
      });
    }
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const start = () => {
      signal?.removeEventListener('abort', drop);
      resolve();
    };
    const drop = () => {
      this.#waiting.delete(start);
      this.#dropped += 1;
      reject(signal?.reason);
    };
    this.#waiting.add(start);
    signal?.addEventListener('abort', drop, { once: true });
    return promise;
  }

  // A slot is handed to the next in the queue without becoming free, so no later caller overtakes.
  #leave(): void {
    const [next] = this.#waiting;
    if (next === undefined) {
      this.#running -= 1;
      return;
    }
    this.#waiting.delete(next);
    next();
  }
}
