import type { SlidingLog } from '../http/rate-limits.ts';
import { KeyCounts } from '../key-counts.ts';

/** Ends an attempt; only a failed one goes on counting. */
type EndAttempt = (isFailure: boolean, now: number) => void;

/**
 * Counts failed attempts by key. A running attempt counts as failed until it ends, so that parallel attempts are limited as
 * sequential ones are.
 */
export class FailureLog {
  readonly #log: SlidingLog;
  readonly #inFlight = new KeyCounts();

  constructor(log: SlidingLog) {
    this.#log = log;
  }

  isFull(key: string, now: number): boolean {
    return this.#log.peek(key, now).remaining <= this.#inFlight.get(key);
  }

  /** @returns `undefined` if the key is full; otherwise a function to call exactly once when the attempt ends */
  begin(key: string, now: number): EndAttempt | undefined {
    if (this.isFull(key, now)) return undefined;
    this.#inFlight.add(key, 1);
    return (isFailure, endedAt) => {
      this.#inFlight.add(key, -1);
      if (isFailure) this.#log.take(key, endedAt);
    };
  }

  /** 0 while only running attempts fill the key. */
  retryAfterSeconds(key: string, now: number): number {
    return this.#log.peek(key, now).retryAfterSeconds;
  }
}
