import { ServiceError } from '../errors.ts';

/** How long the last in line should wait at most. */
const longestWaitSeconds = 3;
/** One bcrypt of cost 10, reckoned slow: 40 ms were measured. Each step of the cost doubles it. */
const cost10Ms = 60;

/** How many may wait so that the last one's turn comes within about three seconds. At least one per place. */
export function queueLimitFor(cost: number, concurrency: number): number {
  const hashMs = cost10Ms * 2 ** (cost - 10);
  return concurrency * Math.max(1, Math.floor((longestWaitSeconds * 1000) / hashMs));
}

/**
 * A fixed number of places for password hashes and a bounded line before them, first come, first served.
 * It owns the share of libuv's threads that hashing may take; the counts are there for metrics.
 */
export class HashingQueue {
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
   * disturbed and keeps its place until it has ended, since bcrypt cannot be interrupted.
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
        retryAfterSeconds: longestWaitSeconds,
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

  // A place is handed to the next in line without becoming free, so nobody who arrives in between overtakes.
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
