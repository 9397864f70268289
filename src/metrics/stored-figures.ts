import { setTimeout as delay } from 'node:timers/promises';
import type { Clock } from '../clock.ts';
import type { Db, Queries } from '../db/db.ts';

/** How often the database is asked what takes it a millisecond at most. */
export const READ_MS = 15_000;
/** Between two counts of all rows. */
export const COUNT_MS = 60_000;
/** Rows that one statement of a count looks at: some milliseconds. */
const SLICE_ROWS = 1_000;
/** `pauseShare`: a count pauses so many times as long as its statements take, so that it takes at most a hundredth of the time. */
const TIMES = { readMs: READ_MS, countMs: COUNT_MS, pauseShare: 99 };

/** Where counting stops: a larger backlog counts as this many. */
export const MOST_COUNTED = 10_000;

/** Work that is due and not taken by a process. */
interface Backlog {
  /** Up to {@link MOST_COUNTED}. */
  readonly count: number;
  /** When the oldest became due, epoch milliseconds; null if there is none. */
  readonly oldestAt: number | null;
}

/** How many rows of a slice are of one kind. */
interface RowCount {
  readonly kind: string;
  readonly count: number;
  /** The greatest id of them. */
  readonly last: string;
}

/**
 * Figures that are in the database. They are read apart from scrapes, as often as they cost little, and a scrape gets the latest.
 * Where several nodes use the database, each reads the same ones.
 */
export class StoredFigures implements AsyncDisposable {
  /** Whether the database could be used when it was last asked; null before the first time. */
  isUp: boolean | null = null;
  /** Null while the database is away. */
  backlog: { decide: Backlog; send: Backlog; at: number } | null = null;
  /** What waits for the operator, for recipients, and for the end of a grace period, each up to {@link MOST_COUNTED}. Null while the database is away. */
  waiting: { reports: number; messageRequests: number; deletions: number } | null = null;
  /** Reports by their reason and what became of them, in one text; null before the first count. */
  reports: ReadonlyMap<string, number> | null = null;
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
      this.#repeat(times.countMs, () => this.#countReports()),
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
      this.waiting = await readWaiting(this.#db);
      this.isUp = true;
    } catch {
      this.backlog = null;
      this.waiting = null;
      this.isUp = false;
    }
  }

  async #countHashes(): Promise<void> {
    const counts = await this.#inSlices((after) =>
      countHashes(this.#db, this.#bcryptCost, after, SLICE_ROWS),
    );
    this.weakHashes = counts.get('weak') ?? 0;
  }

  async #countSubscriptions(): Promise<void> {
    this.subscriptions = await this.#inSlices((after) => countSubscriptions(this.#db, after, SLICE_ROWS));
  }

  async #countReports(): Promise<void> {
    this.reports = await this.#inSlices((after) => countReports(this.#db, after, SLICE_ROWS));
  }

  /**
   * Counts rows by their kinds.
   *
   * @throws {Error} also at the end of the process, so that a part does not count as the whole
   */
  async #inSlices(count: (after: string) => Promise<RowCount[]>): Promise<Map<string, number>> {
    const counts = new Map<string, number>();
    for (let after = ''; ; ) {
      const startedAt = performance.now();
      let rows = 0;
      for (const { kind, count: ofKind, last } of await count(after)) {
        counts.set(kind, (counts.get(kind) ?? 0) + ofKind);
        rows += ofKind;
        if (last > after) after = last;
      }
      if (rows < SLICE_ROWS) return counts;
      await this.#pause(this.#times.pauseShare * (performance.now() - startedAt));
      this.#ending.signal.throwIfAborted();
    }
  }
}

/** The pushes that are to be decided, and those that are to be sent, by all processes on the database together. */
async function readBacklog(db: Queries, now: number): Promise<{ decide: Backlog; send: Backlog }> {
  const [decide, send] = await Promise.all([
    db.get<Backlog>`
      select count(*) as count, min(due_at) as "oldestAt" from (
        select due_at from push_pending where due_at <= ${now} order by due_at limit ${MOST_COUNTED}) as due`,
    db.get<Backlog>`
      select count(*) as count, min(due_at) as "oldestAt" from (
        select due_at from push_jobs where due_at <= ${now} order by due_at limit ${MOST_COUNTED}) as due`,
  ]);
  const none = { count: 0, oldestAt: null };
  return { decide: decide ?? none, send: send ?? none };
}

/** How many reports are open, how many conversations wait as message requests, and how many accounts to be erased. */
async function readWaiting(
  db: Queries,
): Promise<{ reports: number; messageRequests: number; deletions: number }> {
  const [reports, messageRequests, deletions] = await Promise.all([
    db.get<{ count: number }>`
      select count(*) as count from (
        select at from reports where decided_at is null limit ${MOST_COUNTED}) as open`,
    db.get<{ count: number }>`
      select count(*) as count from (
        select at from message_requests where state = 'waiting' limit ${MOST_COUNTED}) as waiting`,
    db.get<{ count: number }>`
      select count(*) as count from (
        select due_at from deletions where due_at > 0 limit ${MOST_COUNTED}) as waiting`,
  ]);
  return {
    reports: reports?.count ?? 0,
    messageRequests: messageRequests?.count ?? 0,
    deletions: deletions?.count ?? 0,
  };
}

/** Counts the `limit` reports after the id `after`, in the order of their ids, as `spam open` or `spam suspend`. */
function countReports(db: Queries, after: string, limit: number): Promise<RowCount[]> {
  return db.all<RowCount>`
    select kind, count(*) as count, max(id) as last from (
      select id, reason || ' ' || coalesce(act, case when decided_at is null then 'open' else 'account_deleted' end) as kind
      from reports where id > ${after} order by id limit ${limit}) as slice
    group by kind`;
}

/** Counts the `limit` subscriptions after the id `after`, in the order of their ids, by the VAPID key they were made with. */
function countSubscriptions(db: Queries, after: string, limit: number): Promise<RowCount[]> {
  return db.all<RowCount>`
    select kind, count(*) as count, max(id) as last from (
      select id, vapid_public as kind from push_subscriptions where id > ${after} order by id limit ${limit}) as slice
    group by kind`;
}

/**
 * Counts the `limit` users after the id `after`, in the order of their ids, by their password hash: it is `weak` if it has another format
 * than new ones, or a lower cost, so that their next login replaces it (decision 003). Erased users and those without a password have no hash.
 *
 * @param cost that of new hashes
 */
function countHashes(db: Queries, cost: number, after: string, limit: number): Promise<RowCount[]> {
  return db.all<RowCount>`
    select kind, count(*) as count, max(id) as last from (
      select id, case when password_hash in ('', '!') then 'none' when password_hash not like '$bcrypt-sha256$v=2,t=2b,r=%' then 'weak'
        when cast(rtrim(substr(password_hash, 27, 2), '$') as integer) < ${cost} then 'weak' else 'strong' end as kind
      from users where id > ${after} order by id limit ${limit}) as slice
    group by kind`;
}
