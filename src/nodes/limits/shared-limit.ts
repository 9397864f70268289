import {
  type KeyedLimit,
  type Limit,
  openRateLimit,
  type RateLimit,
  type SlidingLog,
  type Verdict,
} from '../../http/rate-limits.ts';
import { Exchanges } from './exchanges.ts';
import type { SharedCounts } from './shared-counts.ts';

/** Keys that used up a node's allowance within a window, which are fewer than those that call at all. */
const MAX_EXCHANGED_KEYS = 200_000;
const SWEPT_PER_EXCHANGE = 2;

/** What a node knows of a key that it has exchanged. */
interface Exchanged {
  /** When the calls were made that the node admitted by itself since then, the oldest first. */
  unshared: number[];
  /** Exchanges without an answer. */
  running: number;
  /** The end of the last one. */
  at: number;
  /** How many more calls there was room for, over all nodes, and when that number grows. */
  remaining: number;
  growsAt: number;
}

/**
 * A sliding log over all nodes. A node admits the first calls of a key by its own log, at most `allowance()` since its last exchange
 * with Redis; it exchanges them as soon as the allowance is used up, and a call that comes before the answer is judged there. What is
 * full by all that the node knows is refused without asking.
 *
 * So calls that Redis does not know of are never more than all nodes' allowances together, and no window has more than the limit
 * and these. With an allowance of 0 there are never more than the limit. While Redis is silent the node's own log judges, and a
 * Redis that has lost its data forgets the calls of other nodes, not the node's own.
 */
export class SharedLimit implements RateLimit {
  readonly limit: number;
  readonly windowMs: number;

  readonly #own: SlidingLog;
  readonly #name: string;
  readonly #counts: SharedCounts;
  readonly #exchanges: Exchanges;
  readonly #allowance: () => number;
  readonly #maxExchanged: number;
  /** In the order of the last exchange. */
  readonly #exchanged = new Map<string, Exchanged>();

  /** @param allowance of one node; it shrinks as nodes join */
  constructor(name: string, limit: KeyedLimit, counts: SharedCounts, allowance: () => number) {
    this.#own = openRateLimit(limit);
    this.limit = limit.limit;
    this.windowMs = limit.windowMs;
    this.#name = name;
    this.#counts = counts;
    this.#exchanges = new Exchanges(limit, counts);
    this.#allowance = allowance;
    this.#maxExchanged = Math.min(this.#own.maxKeys, MAX_EXCHANGED_KEYS);
  }

  take(key: string, now: number): Verdict | Promise<Verdict> {
    const own = this.#own.peek(key, now);
    const known = this.#exchanged.get(key);
    const seen = known ? roomSeen(known, now) : own;
    if (!own.allowed || !seen.allowed) return stricter(own, seen);
    const allowance = this.#allowance();
    const unshared = known ? known.unshared.length : this.limit - own.remaining;
    const isFree = unshared < allowance && (!known || (known.running === 0 && seen.remaining > 0));
    if (!isFree) return this.#exchange(key, now, true) ?? this.#takeOwn(key, now);
    const taken = this.#takeOwn(key, now);
    const left = known ? stricter(taken, roomSeen(known, now)) : taken;
    if (unshared + 1 >= allowance) void this.#exchange(key, now, false);
    return { ...left, allowed: true };
  }

  /** How many keys' exchanges are kept. */
  get exchangedKeys(): number {
    return this.#exchanged.size;
  }

  #takeOwn(key: string, now: number): Verdict {
    const own = this.#own.take(key, now);
    const unshared = this.#exchanged.get(key)?.unshared;
    if (!unshared || !own.allowed) return own;
    while (unshared[0] !== undefined && now - unshared[0] >= this.windowMs) unshared.shift();
    unshared.push(now);
    return own;
  }

  /**
   * Shares what the node admitted by itself, and asks for one more call if it is wanted.
   *
   * @returns `undefined` if Redis is known to be silent
   */
  #exchange(key: string, now: number, isWanted: boolean): Promise<Verdict> | undefined {
    const unshared = this.#exchanged.get(key)?.unshared ?? this.#own.times(key, now);
    const sent = unshared.filter((at) => now - at < this.windowMs);
    const asked = this.#exchanges.ask({ name: this.#counts.nameOf(this.#name, key), isWanted, times: sent });
    if (!asked) return undefined;
    const exchanged = this.#remember(key, now);
    return asked.then((answer) => {
      exchanged.running--;
      if (!answer) {
        exchanged.unshared.unshift(...sent);
        return isWanted ? this.#takeOwn(key, now) : this.#own.peek(key, now);
      }
      const { isAdmitted, remaining, growsMs } = answer;
      exchanged.remaining = remaining;
      exchanged.growsAt = this.#counts.now() + growsMs;
      const seconds = Math.ceil(growsMs / 1000);
      const shared = verdictOf(isAdmitted, remaining, seconds);
      return stricter(shared.allowed ? this.#own.take(key, now) : this.#own.peek(key, now), shared);
    });
  }

  /** Notes that an exchange has begun, which takes all that is unshared along. */
  #remember(key: string, now: number): Exchanged {
    const known = this.#exchanged.get(key) ?? newlyExchanged(this, now);
    this.#exchanged.delete(key);
    this.#sweep(now);
    this.#exchanged.set(key, known);
    known.unshared = [];
    known.running++;
    known.at = now;
    return known;
  }

  /** A key that was exchanged a window ago has no calls that count but unshared ones, which its own log knows. */
  #sweep(now: number): void {
    let swept = 0;
    for (const [key, { at, running }] of this.#exchanged) {
      const hasRoom = this.#exchanged.size < this.#maxExchanged;
      if (hasRoom && (running > 0 || now - at < this.windowMs || swept >= SWEPT_PER_EXCHANGE)) return;
      this.#exchanged.delete(key);
      swept++;
    }
  }
}

/** Until the first answer, all that is known is the node's own log. */
function newlyExchanged({ limit, windowMs }: Limit, now: number): Exchanged {
  return { unshared: [], running: 0, at: now, remaining: limit, growsAt: now + windowMs };
}

/** What the last exchange and the calls since then leave: at least so much, and until `growsAt` exactly so much. */
function roomSeen({ remaining, growsAt, unshared }: Exchanged, now: number): Verdict {
  const left = Math.max(0, remaining - unshared.length);
  return verdictOf(left > 0 || now >= growsAt, left, Math.max(1, Math.ceil((growsAt - now) / 1000)));
}

function verdictOf(allowed: boolean, remaining: number, resetSeconds: number): Verdict {
  return { allowed, remaining, resetSeconds, retryAfterSeconds: remaining > 0 ? 0 : resetSeconds };
}

/** What two logs allow together. */
function stricter(one: Verdict, other: Verdict): Verdict {
  const isOne =
    one.remaining === other.remaining
      ? one.resetSeconds >= other.resetSeconds
      : one.remaining < other.remaining;
  const { remaining, resetSeconds } = isOne ? one : other;
  return verdictOf(one.allowed && other.allowed, remaining, resetSeconds);
}
