import type { Db } from '../../db/db.ts';
import { decideDue } from './decide.ts';
import type { Job } from './jobs.ts';
import { LEFT_TO_OTHERS_MS, type OwnWork } from './own-work.ts';
import {
  findDue,
  findOverlong,
  findPending,
  nextDueAt,
  type Pair,
  pairKey,
  SEEN_WITHIN_MS,
} from './pending.ts';

/** How many pairs of each kind are decided in one transaction. */
const BATCH = 128;
/** After this time pairs are tried again whose inbox another transaction had locked. */
const HELD_MS = 20;

/**
 * The pending pushes that this process decides: those that the database says are due, and those it knows of.
 * With `own` (several nodes) it takes only overdue rows from the database.
 */
export class PendingPairs {
  readonly #db: Db;
  readonly #own: OwnWork | null;
  /** How long what is due in the database is left to other nodes. */
  readonly #leftMs: number;
  /** Pairs to decide without waiting, as no attentive device is connected, and from which moment. */
  readonly #immediate = new Map<string, { pair: Pair; at: number }>();
  #heldUntil = 0;

  constructor(db: Db, own: OwnWork | null) {
    this.#db = db;
    this.#own = own;
    this.#leftMs = own ? LEFT_TO_OTHERS_MS : 0;
  }

  /** Until when pairs whose inbox was locked need not be tried again; epoch milliseconds. */
  get heldUntil(): number {
    return this.#heldUntil;
  }

  /** Adds a pair that has a new message. @returns when to decide, epoch milliseconds */
  add(pair: Pair, now: number, isAttentive: boolean): number {
    if (isAttentive) {
      this.#own?.addPair(pair, now + SEEN_WITHIN_MS);
      return this.#own?.nextAt(now) ?? now + SEEN_WITHIN_MS;
    }
    const key = pairKey(pair);
    const known = this.#immediate.get(key);
    if (!known) this.#immediate.set(key, { pair, at: now });
    return known?.at ?? now;
  }

  /** When there is something to decide next, epoch milliseconds. */
  async nextAt(now: number): Promise<number> {
    const dueAt = (await nextDueAt(this.#db)) ?? Number.POSITIVE_INFINITY;
    const times = [...this.#immediate.values()].map(({ at }) => at);
    return Math.min(dueAt + this.#leftMs, this.#own?.nextAt(now) ?? dueAt, ...times);
  }

  /**
   * Decides one batch.
   *
   * @param claim whether to claim the jobs that are made
   * @returns these jobs, and whether there may be more to decide
   */
  async decide(claim: boolean, now: number): Promise<{ jobs: Job[]; isMore: boolean }> {
    const immediate = this.#takeImmediate(now);
    const taken = this.#own?.takePairs(now, BATCH) ?? [];
    const [due, own] = await Promise.all([
      findDue(this.#db, now - this.#leftMs, BATCH),
      findPending(this.#db, taken),
    ]);
    for (const pair of own) if (pair.dueAt > now) this.#own?.addPair(pair, pair.dueAt);
    const pairs = [...due, ...own.filter(({ dueAt }) => dueAt <= now), ...immediate.values()];
    const isMore = [due.length, taken.length, immediate.size].includes(BATCH);
    if (pairs.length === 0) return { jobs: [], isMore };
    const { coolingDown, decided, held, jobs } = await decideDue(this.#db, pairs, immediate, { claim, now });
    for (const { pair, until } of coolingDown) this.#immediate.set(pairKey(pair), { pair, at: until });
    for (const { pair, until } of decided) this.#own?.addPair(pair, until);
    for (const pair of held) {
      if (immediate.has(pairKey(pair))) this.#immediate.set(pairKey(pair), { pair, at: now });
      else this.#own?.addPair(pair, 0);
    }
    if (held.length > 0) this.#heldUntil = now + HELD_MS;
    return { jobs, isMore: isMore && held.length < BATCH };
  }

  /** Makes due what waits longer than any wait can be: it was written before the clock was set back. */
  async endOverlongWaits(now: number): Promise<void> {
    this.#own?.clear();
    for (const immediate of this.#immediate.values()) immediate.at = Math.min(immediate.at, now);
    for (const pair of await findOverlong(this.#db, now))
      this.#immediate.set(pairKey(pair), { pair, at: now });
  }

  #takeImmediate(now: number): Map<string, Pair> {
    const immediate = new Map<string, Pair>();
    for (const [key, { pair, at }] of this.#immediate) {
      if (immediate.size === BATCH) break;
      if (at > now) continue;
      immediate.set(key, pair);
      this.#immediate.delete(key);
    }
    return immediate;
  }
}
