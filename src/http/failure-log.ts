import { KeyCounts } from '../collections/key-counts.ts';
import type { SlidingLog } from './rate-limits.ts';

/** An attempt that has begun, with a function to call exactly once when it ends: only a failed one goes on counting. */
interface Begun {
  readonly end: (isFailure: boolean, now: number) => void;
}

interface Refused {
  readonly end: null;
  /** 0 while only running attempts fill the key. */
  readonly retryAfterSeconds: number;
}

export type Attempt = Begun | Refused;

/**
 * Counts failed attempts by key. A running attempt counts as failed until it ends, so that parallel attempts are limited as
 * sequential ones are. Its promises never reject.
 */
export interface FailureLimit {
  isFull(key: string, now: number): boolean | Promise<boolean>;
  begin(key: string, now: number): Attempt | Promise<Attempt>;
}

/** Counts failed attempts in this process's memory. */
export class FailureLog implements FailureLimit {
  readonly #log: SlidingLog;
  readonly #inFlight = new KeyCounts();

  constructor(log: SlidingLog) {
    this.#log = log;
  }

  isFull(key: string, now: number): boolean {
    return this.#log.peek(key, now).remaining <= this.#inFlight.get(key);
  }

  begin(key: string, now: number): Attempt {
    const { remaining, retryAfterSeconds } = this.#log.peek(key, now);
    if (remaining <= this.#inFlight.get(key)) return { end: null, retryAfterSeconds };
    this.#inFlight.add(key, 1);
    return {
      end: (isFailure, endedAt) => {
        this.#inFlight.add(key, -1);
        if (isFailure) this.#log.take(key, endedAt);
      },
    };
  }
}
