import { setTimeout as delay } from 'node:timers/promises';
import type { Clock } from '../clock.ts';
import type { Db } from '../db/db.ts';
import { type Backlog, readBacklog } from '../push/queue/backlog.ts';
import { countByVapidKey } from '../push/subscriptions/count-by-key.ts';
import { countWeakHashes } from './weak-hashes.ts';

/** How often the database is asked what takes it a millisecond at most. */
export const READ_MS = 15_000;
/** Between two counts of all rows. */
export const COUNT_MS = 60_000;
/** Rows that one statement of a count looks at: some milliseconds. */
const SLICE_ROWS = 1_000;
/** `pauseShare`: a count pauses so many times as long as its statements take, so that it takes at most a hundredth of the time. */
const TIMES = { readMs: READ_MS, countMs: COUNT_MS, pauseShare: 99 };

/**
 * Figures that are in the database. They are read apart from scrapes, as often as they cost little, and a scrape gets the latest.
 * Where several nodes use the database, each reads the same ones.
 */
export class StoredFigures implements AsyncDisposable {
  /** Whether the database could be used when it was last asked; null before the first time. */
  isUp: boolean | null = null;
  /** Null while the database is away. */
  backlog: { decide: Backlog; send: Backlog; at: number } | null = null;
  /** Users with a hash that their next login replaces; null before the first count. */
  weakHashes: number | null = null;
  /** Subscriptions by VAPID key; null before the first count. */
  subscriptions: ReadonlyMap<string, number> | null = null;
  readonly #db: Db;
  readonly #clock: Pick<Clock, 'now'>;
  readonly #bcryptCost: number;
  readonly #times: typeof TIMES;
  readonly #ending = new AbortController();
  readonly #loops: Promise<unknown>;

  constructor(db: Db, clock: Pick<Clock, 'now'>, bcryptCost: number, times = TIMES) {
    this.#db = db;
    this.#clock = clock;
    this.#bcryptCost = bcryptCost;
    this.#times = times;
    this.#loops = Promise.all([
      this.#repeat(times.readMs, () => this.#read()),
      this.#repeat(times.countMs, () => this.#countHashes()),
      this.#repeat(times.countMs, () => this.#countSubscriptions()),
    ]);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#ending.abort();
    await this.#loops;
  }

  /** @param run may fail: what it read before stays, and it runs again */
  async #repeat(everyMs: number, run: () => Promise<void>): Promise<void> {
    while (!this.#ending.signal.aborted) {
      await run().catch(() => {});
      await this.#pause(everyMs);
    }
  }

  async #pause(ms: number): Promise<void> {
    // Aborted at the end.
    await delay(ms, undefined, { signal: this.#ending.signal, ref: false }).catch(() => {});
  }

  async #read(): Promise<void> {
    try {
      await this.#db.checkHealth();
      const at = this.#clock.now();
      this.backlog = { ...(await readBacklog(this.#db, at)), at };
      this.isUp = true;
    } catch {
      this.backlog = null;
      this.isUp = false;
    }
  }

  async #countHashes(): Promise<void> {
    let weakHashes = 0;
    await this.#inSlices(async (after) => {
      const { count, last, weak } = await countWeakHashes(this.#db, this.#bcryptCost, after, SLICE_ROWS);
      weakHashes += weak;
      return { count, last };
    });
    this.weakHashes = weakHashes;
  }

  async #countSubscriptions(): Promise<void> {
    const counts = new Map<string, number>();
    await this.#inSlices(async (after) => {
      const ofKeys = await countByVapidKey(this.#db, after, SLICE_ROWS);
      for (const { key, count } of ofKeys) counts.set(key, (counts.get(key) ?? 0) + count);
      const last =
        ofKeys
          .map((ofKey) => ofKey.last)
          .sort()
          .at(-1) ?? null;
      return { count: ofKeys.reduce((sum, ofKey) => sum + ofKey.count, 0), last };
    });
    this.subscriptions = counts;
  }

  /** @throws {Error} also at the end of the process, so that a part does not count as the whole */
  async #inSlices(count: (after: string) => Promise<{ count: number; last: string | null }>): Promise<void> {
    for (let after: string | null = ''; after !== null; ) {
      const startedAt = performance.now();
      const slice: { count: number; last: string | null } = await count(after);
      if (slice.count < SLICE_ROWS) return;
      after = slice.last;
      await this.#pause(this.#times.pauseShare * (performance.now() - startedAt));
      this.#ending.signal.throwIfAborted();
    }
  }
}
