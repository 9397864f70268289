import { CountedCalls } from './counted-calls.ts';

/** At most `limit` calls in any `windowMs` milliseconds. */
export interface Limit {
  readonly limit: number;
  readonly windowMs: number;
}

/** The state of one key at one time. Seconds are whole and rounded up. */
export interface Verdict {
  readonly allowed: boolean;
  /** Calls that would still be allowed now, after this one. */
  readonly remaining: number;
  /** Until `remaining` grows, 1 or more; the whole window if nothing is counted. */
  readonly resetSeconds: number;
  /** Until a further call would be allowed: 0 while `remaining` is above 0. */
  readonly retryAfterSeconds: number;
}

/**
 * Counts calls by key. One that is kept in memory answers at once; one that asks elsewhere may answer with a promise, which never
 * rejects.
 */
export interface RateLimit extends Limit {
  /**
   * Counts a call if it is allowed.
   *
   * @param now milliseconds of a clock that never runs backwards
   */
  take(key: string, now: number): Verdict | Promise<Verdict>;
}

/** A limit whose memory is bounded. */
export interface KeyedLimit extends Limit {
  /** How many keys are kept at once; 1,000,000 by default. */
  readonly maxKeys?: number;
}

const DEFAULT_MAX_KEYS = 1_000_000;

/** Many small maps: growing a single one of a million keys stops the process for 100 ms, one of these for 1. */
const SHARDS = 64;

/** How many idle keys a call removes from each list at most: more than the one it may add, so the sweep keeps up. */
const SWEPT_PER_CALL = 2;

/** How many keys at their limit an eviction checks for one that no longer is. */
const EVICTION_CHECKS = 8;

/** Slots 0 and 1 are the heads of two circular lists, of keys below and at their limit; keys have the slots from 2 up. */
const BELOW_LIMIT = 0;
const AT_LIMIT = 1;
const FIRST_SLOT = 2;

/**
 * Makes a limit in this process's memory.
 *
 * @param options.limit calls, a whole number from 1
 * @param options.windowMs milliseconds, above 0
 * @throws {RangeError} when a number is outside these bounds
 */
export function openRateLimit(options: KeyedLimit): SlidingLog {
  return new SlidingLog(options.limit, options.windowMs, options.maxKeys ?? DEFAULT_MAX_KEYS);
}

/**
 * A sliding log: the times of the counted calls of the last window, for each key. There are never more than `limit` in any
 * window, wherever it begins, which counters of fixed windows cannot guarantee. A call at `t` counts until just before
 * `t + windowMs`. A refused call does not count.
 *
 * `now` is in milliseconds from a clock that never runs backwards, such as `performance.now()`. Should it run
 * backwards, the log stays at the latest time it has seen: it then refuses longer, and never allows more.
 *
 * Later calls remove keys that were idle for a window. At `maxKeys` a new key evicts the key below its limit whose last
 * counted call is the oldest; a key at its limit is evicted only if there is no other. Keys should be flat strings, since a
 * slice of a long text keeps the whole text in memory.
 */
export class SlidingLog implements RateLimit {
  readonly limit: number;
  readonly windowMs: number;
  readonly maxKeys: number;

  readonly #calls: CountedCalls;
  readonly #shards: readonly Map<string, number>[];
  readonly #keys: string[] = ['', ''];
  /** Neighbours in the list of keys below their limit, or at it, by their last calls; the oldest first. */
  readonly #before: Int32Array;
  readonly #after: Int32Array;
  /** The first of the free slots, chained through `#after`; 0 if there is none. */
  #free = 0;
  #size = 0;
  #latest = Number.NEGATIVE_INFINITY;

  constructor(limit: number, windowMs: number, maxKeys: number) {
    if (!(Number.isSafeInteger(limit) && limit >= 1))
      throw new RangeError('limit must be a whole number from 1');
    if (!(windowMs > 0 && windowMs < Number.POSITIVE_INFINITY))
      throw new RangeError('windowMs must be above 0');
    if (!(Number.isSafeInteger(maxKeys) && maxKeys >= 1))
      throw new RangeError('maxKeys must be a whole number from 1');
    this.limit = limit;
    this.windowMs = windowMs;
    this.maxKeys = maxKeys;
    this.#calls = new CountedCalls(limit, windowMs, FIRST_SLOT + maxKeys);
    this.#shards = Array.from({ length: SHARDS }, () => new Map());
    this.#before = new Int32Array(FIRST_SLOT + maxKeys);
    this.#after = new Int32Array(FIRST_SLOT + maxKeys);
    this.#before[AT_LIMIT] = AT_LIMIT;
    this.#after[AT_LIMIT] = AT_LIMIT;
  }

  get size(): number {
    return this.#size;
  }

  take(key: string, now: number): Verdict {
    const time = this.#notBackwards(now);
    this.#sweep(BELOW_LIMIT, time);
    this.#sweep(AT_LIMIT, time);
    const shard = this.#shardOf(key);
    let slot = shard.get(key);
    if (slot === undefined) {
      if (this.#size >= this.maxKeys) this.#remove(this.#evictable(time));
      slot = this.#newSlot(key);
      shard.set(key, slot);
    } else if (this.#calls.expire(slot, time) >= this.limit) {
      return this.#verdict(slot, time, false);
    } else {
      this.#unlink(slot);
    }
    this.#calls.append(slot, time);
    this.#link(slot, this.#calls.count(slot) < this.limit ? BELOW_LIMIT : AT_LIMIT);
    return this.#verdict(slot, time, true);
  }

  /** The verdict that `take` would return, without counting a call. */
  peek(key: string, now: number): Verdict {
    const time = this.#notBackwards(now);
    const slot = this.#shardOf(key).get(key);
    if (slot !== undefined) return this.#verdict(slot, time, this.#calls.expire(slot, time) < this.limit);
    const resetSeconds = Math.ceil(this.windowMs / 1000);
    return { allowed: true, remaining: this.limit, resetSeconds, retryAfterSeconds: 0 };
  }

  /** When the calls that still count were made, the oldest first. */
  times(key: string, now: number): number[] {
    const slot = this.#shardOf(key).get(key);
    if (slot === undefined) return [];
    this.#calls.expire(slot, this.#notBackwards(now));
    return this.#calls.times(slot);
  }

  #notBackwards(now: number): number {
    if (now > this.#latest) this.#latest = now;
    return this.#latest;
  }

  #shardOf(key: string): Map<string, number> {
    let hash = 0;
    for (let i = Math.max(0, key.length - 8); i < key.length; i++) hash = (hash * 31 + key.charCodeAt(i)) | 0;
    // `SHARDS` is a power of two, so the index is always one of the shards.
    return this.#shards[hash & (SHARDS - 1)] as Map<string, number>;
  }

  #verdict(slot: number, now: number, allowed: boolean): Verdict {
    const count = this.#calls.count(slot);
    const remaining = this.limit - count;
    const leftMs = count === 0 ? this.windowMs : this.windowMs - (now - this.#calls.oldest(slot));
    const resetSeconds = Math.ceil(leftMs / 1000);
    return { allowed, remaining, resetSeconds, retryAfterSeconds: remaining > 0 ? 0 : resetSeconds };
  }

  #sweep(list: number, now: number): void {
    for (let swept = 0; swept < SWEPT_PER_CALL; swept++) {
      const slot = at(this.#after, list);
      if (slot === list || !this.#calls.hasExpired(this.#calls.newest(slot), now)) return;
      this.#remove(slot);
    }
  }

  #evictable(now: number): number {
    const victim = at(this.#after, BELOW_LIMIT);
    let slot = at(this.#after, AT_LIMIT);
    // This list is in the order of the last calls, but keys fall below their limit in the order of their oldest calls.
    for (let checks = 0; checks < EVICTION_CHECKS && slot !== AT_LIMIT; checks++) {
      if (victim !== BELOW_LIMIT && this.#calls.newest(slot) >= this.#calls.newest(victim)) break;
      if (this.#calls.hasExpired(this.#calls.oldest(slot), now)) return slot;
      slot = at(this.#after, slot);
    }
    return victim === BELOW_LIMIT ? at(this.#after, AT_LIMIT) : victim;
  }

  #newSlot(key: string): number {
    this.#size++;
    if (this.#free === 0) return this.#keys.push(key) - 1;
    const slot = this.#free;
    this.#free = at(this.#after, slot);
    this.#keys[slot] = key;
    return slot;
  }

  #remove(slot: number): void {
    // Every slot in a list has a key.
    const key = this.#keys[slot] as string;
    this.#shardOf(key).delete(key);
    this.#unlink(slot);
    this.#calls.clear(slot);
    this.#keys[slot] = '';
    this.#after[slot] = this.#free;
    this.#free = slot;
    this.#size--;
  }

  #unlink(slot: number): void {
    const before = at(this.#before, slot);
    const after = at(this.#after, slot);
    this.#after[before] = after;
    this.#before[after] = before;
  }

  #link(slot: number, list: number): void {
    const last = at(this.#before, list);
    this.#after[last] = slot;
    this.#before[slot] = last;
    this.#after[slot] = list;
    this.#before[list] = slot;
  }
}

/** An element that exists: every slot is within the arrays. */
function at(numbers: Int32Array, slot: number): number {
  return numbers[slot] as number;
}
