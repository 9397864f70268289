import type { SlidingLog } from '../http/rate-limits.ts';

/** Ends an attempt, which counts from now on if it failed. */
type End = (isFailure: boolean, now: number) => void;

/**
 * Counts failed attempts by key. An attempt under way counts as failed until it ends, so that attempts at the same time get
 * no further than attempts in turn.
 */
export class FailureLog {
  readonly #log: SlidingLog;
  readonly #underWay = new Map<string, number>();

  constructor(log: SlidingLog) {
    this.#log = log;
  }

  isFull(key: string, now: number): boolean {
    return this.#log.peek(key, now).remaining <= (this.#underWay.get(key) ?? 0);
  }

  /** @returns `undefined` if the key is full; else it has to be called once, however the attempt ends */
  begin(key: string, now: number): End | undefined {
    if (this.isFull(key, now)) return undefined;
    this.#underWay.set(key, (this.#underWay.get(key) ?? 0) + 1);
    return (isFailure, endedAt) => {
      const left = (this.#underWay.get(key) ?? 1) - 1;
      if (left > 0) this.#underWay.set(key, left);
      else this.#underWay.delete(key);
      if (isFailure) this.#log.take(key, endedAt);
    };
  }

  /** 0 while the key is full of attempts under way alone. */
  retryAfterSeconds(key: string, now: number): number {
    return this.#log.peek(key, now).retryAfterSeconds;
  }
}
