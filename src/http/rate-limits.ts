import { CountedCalls } from './counted-calls.ts';

/** At most `limit` calls in any `windowMs` milliseconds. */
export interface Limit {
  readonly limit: number;
  readonly windowMs: number;
}

/** What a limit says about one key at one moment. All seconds are whole and rounded up. */
export interface Verdict {
  readonly allowed: boolean;
  /** Calls that would still be allowed now, after this one. */
  readonly remaining: number;
  /** Until `remaining` grows, 1 or more; the whole window if nothing is counted. */
  readonly resetSeconds: number;
  /** Until a further call would be allowed: 0 while `remaining` is above 0. */
  readonly retryAfterSeconds: number;
}

const defaultMaxKeys = 1_000_000;

/** Many small maps: growing a single one of a million keys stops the process for 100 ms, one of these for 1. */
const shardCount = 64;

/** How many idle keys at most a call forgets in each list: more than the one it may add, so the sweep keeps up. */
const sweptPerCall = 2;

/** How many keys at their limit an eviction looks at for one that no longer is. */
const evictionLooks = 8;

/** Slots 0 and 1 are the ends of the two circular lists; keys have the slots from 2 up. */
const below = 0;
const atLimit = 1;
const firstSlot = 2;

/**
 * Opens a limit that lives in this process's memory.
 *
 * @param options.limit calls, a whole number from 1
 * @param options.windowMs milliseconds, above 0
 * @param options.maxKeys keys that are remembered at once, 1,000,000 if left out
 * @throws {RangeError} when a number is outside these bounds
 */
export function openRateLimit(options: Limit & { readonly maxKeys?: number }): SlidingLog {
  return new SlidingLog(options.limit, options.windowMs, options.maxKeys ?? defaultMaxKeys);
}

/**
 * The moments of all counted calls of the last window, per key: never more than `limit` in any window, wherever it
 * begins, which counters of fixed windows cannot promise. A call at `t` counts until just before `t + windowMs`.
 * A refused call does not count.
 *
 * `now` is in milliseconds from a clock that never runs backwards, such as `performance.now()`. Should it run
 * backwards, the log stays at the latest moment it has seen: it then refuses longer, and never allows more.
 *
 * A key that is idle for a window is forgotten in the course of later calls. At `maxKeys` the key goes whose last
 * counted call is the oldest, among those below their limit, and starts from nothing when it comes back; one at its
 * limit goes only if there is no other. Keys should be strings of their own: a slice of a long text keeps all of it.
 */
export class SlidingLog implements Limit {
  readonly limit: number;
  readonly windowMs: number;
  readonly maxKeys: number;

  readonly #calls: CountedCalls;
  readonly #shards: readonly Map<string, number>[];
  readonly #keys: string[] = ['', ''];
  /** Neighbours in the list of the keys that were below, or at, their limit after their last call; oldest first. */
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
    this.#calls = new CountedCalls(limit, windowMs, firstSlot + maxKeys);
    this.#shards = Array.from({ length: shardCount }, () => new Map());
    this.#before = new Int32Array(firstSlot + maxKeys);
    this.#after = new Int32Array(firstSlot + maxKeys);
    this.#before[atLimit] = atLimit;
    this.#after[atLimit] = atLimit;
  }

  /** How many keys are remembered. */
  get size(): number {
    return this.#size;
  }

  /** Counts a call if it is allowed. */
  take(key: string, now: number): Verdict {
    const moment = this.#notBackwards(now);
    this.#sweep(below, moment);
    this.#sweep(atLimit, moment);
    const shard = this.#shardOf(key);
    let slot = shard.get(key);
    if (slot === undefined) {
      if (this.#size >= this.maxKeys) this.#forget(this.#dispensable(moment));
      slot = this.#newSlot(key);
      shard.set(key, slot);
    } else if (this.#calls.expire(slot, moment) >= this.limit) {
      return this.#verdict(slot, moment, false);
    } else {
      this.#unlink(slot);
    }
    this.#calls.append(slot, moment);
    this.#link(slot, this.#calls.count(slot) < this.limit ? below : atLimit);
    return this.#verdict(slot, moment, true);
  }

  /** What `take` would find, counting nothing: `allowed` says whether a call now would be. */
  peek(key: string, now: number): Verdict {
    const moment = this.#notBackwards(now);
    const slot = this.#shardOf(key).get(key);
    if (slot !== undefined) return this.#verdict(slot, moment, this.#calls.expire(slot, moment) < this.limit);
    const resetSeconds = Math.ceil(this.windowMs / 1000);
    return { allowed: true, remaining: this.limit, resetSeconds, retryAfterSeconds: 0 };
  }

  #notBackwards(now: number): number {
    if (now > this.#latest) this.#latest = now;
    return this.#latest;
  }

  #shardOf(key: string): Map<string, number> {
    let hash = 0;
    for (let i = Math.max(0, key.length - 8); i < key.length; i++) hash = (hash * 31 + key.charCodeAt(i)) | 0;
    // `shardCount` is a power of two, so the index is always one of the shards.
    return this.#shards[hash & (shardCount - 1)] as Map<string, number>;
  }

  #verdict(slot: number, now: number, allowed: boolean): Verdict {
    const count = this.#calls.count(slot);
    const remaining = this.limit - count;
    const leftMs = count === 0 ? this.windowMs : this.windowMs - (now - this.#calls.oldest(slot));
    const resetSeconds = Math.ceil(leftMs / 1000);
    return { allowed, remaining, resetSeconds, retryAfterSeconds: remaining > 0 ? 0 : resetSeconds };
  }

  #sweep(list: number, now: number): void {
    for (let swept = 0; swept < sweptPerCall; swept++) {
      const slot = at(this.#after, list);
      if (slot === list || !this.#calls.isOver(this.#calls.newest(slot), now)) return;
      this.#forget(slot);
    }
  }

  /** The key to forget for a new one. */
  #dispensable(now: number): number {
    const victim = at(this.#after, below);
    let slot = at(this.#after, atLimit);
    // Keys come to this list in the order of their last call, but fall below their limit in that of their oldest.
    for (let looks = 0; looks < evictionLooks && slot !== atLimit; looks++) {
      if (victim !== below && this.#calls.newest(slot) >= this.#calls.newest(victim)) break;
      if (this.#calls.isOver(this.#calls.oldest(slot), now)) return slot;
      slot = at(this.#after, slot);
    }
    return victim === below ? at(this.#after, atLimit) : victim;
  }

  #newSlot(key: string): number {
    this.#size++;
    if (this.#free === 0) return this.#keys.push(key) - 1;
    const slot = this.#free;
    this.#free = at(this.#after, slot);
    this.#keys[slot] = key;
    return slot;
  }

  #forget(slot: number): void {
    // Every slot in a list has its key.
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

/** An element that is known to be there: every slot lies within the arrays. */
function at(numbers: Int32Array, slot: number): number {
  return numbers[slot] as number;
}

/** Fields of an answer; `retry-after` only where the call was refused. */
export interface RateLimitHeaders {
  readonly 'ratelimit-policy': string;
  readonly ratelimit: string;
  readonly 'retry-after'?: string;
}

/** One text for each policy, made at its first use. */
const policies = new Map<string, { limit: Limit; text: string }>();

/**
 * The header fields that report a client's quota, by draft-ietf-httpapi-ratelimit-headers-11: `q` calls in `w`
 * seconds, of which `r` are left until `t` seconds from now; and `Retry-After` (RFC 9110, 10.2.3), which on a
 * refusal is the same moment as `t`.
 *
 * @param policyName a word of ours, letters, digits, `-` and `_`, so that it needs no escaping (RFC 9651, 3.3.3)
 */
export function rateLimitHeaders(policyName: string, limit: Limit, verdict: Verdict): RateLimitHeaders {
  let policy = policies.get(policyName);
  if (policy?.limit !== limit) {
    policy = { limit, text: `"${policyName}";q=${limit.limit};w=${Math.ceil(limit.windowMs / 1000)}` };
    policies.set(policyName, policy);
  }
  const ratelimit = `"${policyName}";r=${verdict.remaining};t=${verdict.resetSeconds}`;
  if (verdict.allowed) return { 'ratelimit-policy': policy.text, ratelimit };
  return {
    'ratelimit-policy': policy.text,
    ratelimit,
    'retry-after': String(Math.max(1, verdict.retryAfterSeconds)),
  };
}
