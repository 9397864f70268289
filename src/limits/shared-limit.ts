import { RecentMap } from '../collections/recent-map.ts';
import { COUNT_CALLS } from './scripts.ts';
import type { SharedCounts } from './shared-counts.ts';
import { type KeyedLimit, type RateLimit, SlidingLog, type Verdict } from './sliding-log.ts';

/** A bounded limit is counted by tenths of its window, and a call counts up to one of them too long: so much more is admitted. */
const SLICES = 10;
/** What all nodes together may admit before Redis knows of it, in hundredths of the limit. */
const UNSENT_PERCENT = 15;

/** What a node knows of keys that its own log may not have, since they called other nodes. */
const MAX_KNOWN_KEYS = 200_000;
/** Exchanges of one script, which Redis runs as one step. */
const MAX_EXCHANGES = 100;

interface Known {
  /** When the calls were made that this node admitted and Redis does not know of, the oldest first. */
  unsent: number[];
  /** Exchanges without an answer. */
  running: number;
  /** When the last answer came. */
  answeredAt: number;
  /** How many calls Redis had counted then, of all nodes, and when one of them will leave the window and there is room. */
  counted: number;
  freeAt: number;
}

interface Exchange {
  readonly key: string;
  readonly known: Known;
  /** What was unsent. */
  readonly sent: readonly number[];
  /** Whether a further call is to be admitted. */
  readonly isWanted: boolean;
  resolve(verdict: Verdict): void;
}

/**
 * A limit over all nodes: a node's own log, and behind it a count in Redis (docs/decisions/006-rate-limits.md, "Over several nodes").
 *
 * A node admits a few calls of a key by itself, its allowance. It sends them to Redis as soon as the allowance is used up, and a call
 * that comes before the answer is judged there. What is full by all that the node knows is refused without asking. While Redis is
 * silent the node's own log judges alone; a Redis that has lost its data forgets the calls of other nodes, not the node's own.
 */
export class SharedLimit implements RateLimit {
  readonly limit: number;
  readonly windowMs: number;

  readonly #own: SlidingLog;
  readonly #name: string;
  readonly #counts: SharedCounts;
  readonly #unsentPercent: number;
  /** How many calls Redis counts before it refuses one, and the width of the slices by which it counts. */
  readonly #most: number;
  readonly #sliceMs: number;
  readonly #known: RecentMap<Known>;
  #waiting: Exchange[] = [];

  /** @param how a bounded limit may be exceeded by a quarter; for an exact one each call is judged in Redis */
  constructor(name: string, limit: KeyedLimit, counts: SharedCounts, how: 'bounded' | 'exact') {
    const isBounded = how === 'bounded';
    this.limit = limit.limit;
    this.windowMs = limit.windowMs;
    this.#own = new SlidingLog(limit, counts.now);
    this.#name = name;
    this.#counts = counts;
    this.#unsentPercent = isBounded ? UNSENT_PERCENT : 0;
    this.#most = this.limit + (isBounded ? Math.floor(this.limit / SLICES) : 0);
    this.#sliceMs = isBounded ? limit.windowMs / SLICES : 1;
    const maxKeys = Math.min(limit.maxKeys ?? MAX_KNOWN_KEYS, MAX_KNOWN_KEYS);
    this.#known = new RecentMap({ idleMs: limit.windowMs, maxKeys });
  }

  take(key: string): Verdict | Promise<Verdict> {
    const known = this.#recall(key, this.#counts.now());
    const refused = this.#findRefusal(key, known);
    if (refused) return refused;
    const allowance = Math.floor((this.limit * this.#unsentPercent) / (100 * this.#counts.nodes()));
    const isOpen = known.counted + known.unsent.length < this.#most;
    if (!isOpen || known.running > 0 || known.unsent.length >= allowance)
      return this.#exchange(key, known, true) ?? this.#takeAlone(key, known);
    const verdict = this.#takeAlone(key, known);
    if (known.unsent.length >= allowance) void this.#exchange(key, known, false);
    return verdict;
  }

  /** The refusal of a key that is full by this node's own log or by the last answer. */
  #findRefusal(key: string, known: Known): Verdict | undefined {
    const own = this.#own.peek(key);
    const fullMs = known.counted >= this.#most ? known.freeAt - this.#counts.now() : 0;
    if (own.allowed && fullMs <= 0) return undefined;
    const ownSeconds = own.allowed ? 0 : own.resetSeconds;
    return { allowed: false, remaining: 0, resetSeconds: Math.max(ownSeconds, Math.ceil(fullMs / 1000)) };
  }

  /** What is known of a key, without what has left the window since. */
  #recall(key: string, now: number): Known {
    const known = this.#known.get(key) ?? {
      unsent: [],
      running: 0,
      answeredAt: now,
      counted: 0,
      freeAt: now,
    };
    if (now - known.answeredAt >= this.windowMs) known.counted = 0;
    while (known.unsent[0] !== undefined && now - known.unsent[0] >= this.windowMs) known.unsent.shift();
    return known;
  }

  /** Counts a call by this node's own log. */
  #takeAlone(key: string, known: Known): Verdict {
    const now = this.#counts.now();
    const own = this.#own.take(key);
    if (own.allowed) {
      known.unsent.push(now);
      this.#known.set(key, known, now);
    }
    return this.#withCounted(own, known);
  }

  /** The verdict of the own log, with what all nodes leave if that is less. */
  #withCounted(own: Verdict, known: Known): Verdict {
    const remaining = Math.max(0, this.limit - known.counted - known.unsent.length);
    if (own.remaining <= remaining) return own;
    const leftMs = known.freeAt - this.#counts.now();
    return { ...own, remaining, resetSeconds: Math.max(1, Math.ceil(leftMs / 1000)) };
  }

  /**
   * Sends what the node admitted by itself, together with the exchanges of other keys in this turn of the event loop.
   *
   * @param isWanted whether Redis is asked for one more call
   * @returns `undefined` if Redis is known to be silent
   */
  #exchange(key: string, known: Known, isWanted: boolean): Promise<Verdict> | undefined {
    if (!this.#counts.mayAsk()) return undefined;
    const { promise, resolve } = Promise.withResolvers<Verdict>();
    const sent = known.unsent;
    known.unsent = [];
    known.running++;
    this.#known.set(key, known, this.#counts.now());
    if (this.#waiting.push({ key, known, sent, isWanted, resolve }) === 1) setImmediate(() => this.#send());
    return promise;
  }

  #send(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (let i = 0; i < waiting.length; i += MAX_EXCHANGES)
      void this.#sendTogether(waiting.slice(i, i + MAX_EXCHANGES));
  }

  async #sendTogether(exchanges: readonly Exchange[]): Promise<void> {
    const now = this.#counts.now();
    const names = exchanges.map(({ key }) => this.#counts.nameOf(`calls:${this.#name}`, key));
    const args = exchanges.flatMap(({ isWanted, sent }) => {
      const agesMs = sent.map((at) => Math.floor(now - at)).filter((age) => age < this.windowMs);
      return [isWanted ? 1 : 0, agesMs.length, ...agesMs];
    });
    const reply = await this.#counts.run(COUNT_CALLS, names, [
      this.#most,
      this.windowMs,
      this.#sliceMs,
      ...args,
    ]);
    for (const [i, exchange] of exchanges.entries())
      exchange.resolve(this.#settle(exchange, reply?.slice(3 * i, 3 * i + 3)));
  }

  #settle({ key, known, sent, isWanted }: Exchange, answer: readonly number[] | undefined): Verdict {
    known.running--;
    if (!answer) {
      known.unsent.unshift(...sent);
      return isWanted ? this.#takeAlone(key, known) : this.#own.peek(key);
    }
    const [isAdmitted, counted = 0, freeMs = 0] = answer;
    known.answeredAt = this.#counts.now();
    known.counted = counted;
    known.freeAt = known.answeredAt + freeMs;
    if (!isWanted || isAdmitted === 1)
      return this.#withCounted(isWanted ? this.#own.take(key) : this.#own.peek(key), known);
    // A Redis that refuses without being full is not one of ours.
    return this.#findRefusal(key, known) ?? this.#takeAlone(key, known);
  }
}
