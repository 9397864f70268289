import { RecentMap } from '../collections/recent-map.ts';

/** At most `limit` calls in any `windowMs` milliseconds. */
export interface Limit {
  readonly limit: number;
  readonly windowMs: number;
}

/** The state of one key at one time. */
export interface Verdict {
  readonly allowed: boolean;
  /** Calls that would still be allowed now, after this one. */
  readonly remaining: number;
  /** Whole seconds, rounded up, until `remaining` grows; the whole window if nothing is counted. */
  readonly resetSeconds: number;
}

/**
 * Counts calls by key. One that is kept in memory answers at once; one that asks elsewhere may answer with a promise, which never
 * rejects.
 */
export interface RateLimit extends Limit {
  /** Counts a call if it is allowed. */
  take(key: string): Verdict | Promise<Verdict>;
}

/** A limit whose memory is bounded. */
export interface KeyedLimit extends Limit {
  /** How many keys are kept at once below their limit, and how many at it; 1,000,000 by default. */
  readonly maxKeys?: number;
}

const DEFAULT_MAX_KEYS = 1_000_000;

/**
 * The times of the counted calls of the last window, for each key. There are never more than `limit` in any window, wherever it
 * begins, which counters of fixed windows cannot guarantee. A call at `t` counts until just before `t + windowMs`. A refused call
 * does not count.
 *
 * Should the clock run backwards, the log stays at the latest time it has seen: it then refuses longer, and never allows more.
 *
 * A key is kept for a window after its last counted call. Only half of `maxKeys` others within that window push it out, and a key at
 * its limit only so many others at theirs. Keys should be flat strings, since a slice of a long text keeps the whole text in memory.
 */
export class SlidingLog implements RateLimit {
  readonly limit: number;
  readonly windowMs: number;

  readonly #monotonicMs: () => number;
  /** The times of a key, the oldest first, are one array in both maps. */
  readonly #belowLimit: RecentMap<number[]>;
  readonly #atLimit: RecentMap<number[]>;
  #latest = Number.NEGATIVE_INFINITY;

  /** @param monotonicMs milliseconds of a clock that never runs backwards */
  constructor({ limit, windowMs, maxKeys = DEFAULT_MAX_KEYS }: KeyedLimit, monotonicMs: () => number) {
    this.limit = limit;
    this.windowMs = windowMs;
    this.#monotonicMs = monotonicMs;
    this.#belowLimit = new RecentMap({ idleMs: windowMs, maxKeys });
    this.#atLimit = new RecentMap({ idleMs: windowMs, maxKeys });
  }

  take(key: string): Verdict {
    const now = this.#now();
    const known = this.#find(key, now);
    if (known && known.length >= this.limit) return this.#verdict(known, now, false);
    // An array of one number that was never pushed to takes a third of the memory.
    const times = known ?? [now];
    if (known) times.push(now);
    (times.length < this.limit ? this.#belowLimit : this.#atLimit).set(key, times, now);
    return this.#verdict(times, now, true);
  }

  /** The verdict that `take` would return, without counting a call. */
  peek(key: string): Verdict {
    const now = this.#now();
    const times = this.#find(key, now) ?? [];
    return this.#verdict(times, now, times.length < this.limit);
  }

  #now(): number {
    const now = this.#monotonicMs();
    if (now > this.#latest) this.#latest = now;
    return this.#latest;
  }

  #find(key: string, now: number): number[] | undefined {
    const times = this.#atLimit.get(key) ?? this.#belowLimit.get(key);
    while (times?.[0] !== undefined && now - times[0] >= this.windowMs) times.shift();
    return times;
  }

  #verdict(times: readonly number[], now: number, allowed: boolean): Verdict {
    const leftMs = this.windowMs - (now - (times[0] ?? now));
    return { allowed, remaining: this.limit - times.length, resetSeconds: Math.ceil(leftMs / 1000) };
  }
}
