import type { Clock, PeriodicJob } from '../clock.ts';
import { inBatches } from '../db/batches.ts';
import type { Db } from '../db/db.ts';
import { nowMs } from '../db/fragments.ts';
import { eventOf } from './changes.ts';
import type { Change, Events } from './hints.ts';

const READ_MS = 500;
/** Rows become visible in another order than that of their times, as no transaction lives longer than this after it wrote one. */
const OVERLAP_MS = 15_000;
const KEPT_MS = 60 * 60 * 1000;
/** If more were written, everything is dropped at once. */
const MAX_ROWS = 20_000;

/** How long a read is believed to be current. */
const CURRENT_MS = 3_000;
/** A node that said within this time that it has no link serves without it. */
export const UNLINKED_MS = 15_000;

const EVERYTHING = { type: 'external-change' } as const;

/**
 * Finds what other processes changed in the table `changes`, in time by the database's clock, and passes it to the listeners of
 * {@link Events}: what other nodes and commands wrote, and what this process wrote without learning that it was committed.
 */
export class ChangeReader {
  readonly #db: Db;
  readonly #events: Events;
  readonly #monotonicMs: () => number;
  /** The database's time when the last successful read began. */
  #readUpTo = 0;
  /** When that was by this process's monotonic clock. */
  #readAtMs = 0;
  /** The changes of the last read, which the next one finds again. */
  #found: ReadonlySet<string> = new Set();
  /** Until then, by this process's monotonic clock, a node serves that has no link to the others. */
  #unlinkedUntilMs = Number.NEGATIVE_INFINITY;
  /** Changes that are known from elsewhere, since the last successful read began. */
  #known = new Set<string>();
  #onEverything: () => Promise<void> = async () => {};
  #running: Promise<void> | undefined;
  #next: Promise<void> | undefined;

  private constructor(db: Db, events: Events, monotonicMs: () => number) {
    this.#db = db;
    this.#events = events;
    this.#monotonicMs = monotonicMs;
    events.onAnnounce((changes) => {
      for (const { id } of changes) this.#known.add(id);
    });
  }

  /**
   * To be called before anything is remembered of the database: what was changed before is not passed on.
   *
   * @param hasNodes whether other nodes change the database too: then `events.isCurrent` depends on the reads
   */
  static async open(
    db: Db,
    events: Events,
    { monotonicMs }: Pick<Clock, 'monotonicMs'>,
    { hasNodes = false } = {},
  ): Promise<ChangeReader> {
    const reader = new ChangeReader(db, events, monotonicMs);
    if (hasNodes) events.setCurrentWhile(() => reader.ageMs < CURRENT_MS);
    reader.#readAtMs = monotonicMs();
    const { now, rows } = await reader.#query(Number.POSITIVE_INFINITY);
    reader.#readUpTo = now;
    reader.#found = new Set(rows.map(({ id }) => id));
    return reader;
  }

  /** How long ago the last successful read began, in milliseconds. */
  get ageMs(): number {
    return this.#monotonicMs() - this.#readAtMs;
  }

  /** Whether a node, this one or another, said within the last 15 s that it has no link to the others. */
  get hasUnlinkedNode(): boolean {
    return this.#monotonicMs() < this.#unlinkedUntilMs;
  }

  /** @param reload reads again what the listeners of `external-change` depend on; called before they are */
  onEverything(reload: () => Promise<void>): void {
    this.#onEverything = reload;
  }

  /** Passes on changes of which another node sent word, once. @throws what reading everything again throws; the next read repeats it */
  async apply(changes: readonly Change[]): Promise<void> {
    const unknown = changes.filter(({ id }) => !this.#found.has(id) && !this.#known.has(id));
    const received = unknown.map(eventOf);
    const isEverything = received.some(({ type }) => type === 'external-change');
    if (isEverything) await this.#onEverything();
    for (const { id } of unknown) this.#known.add(id);
    // Reading everything again does not tell what the operator did.
    const others = received.filter(({ type }) => type === 'operator-act' || !isEverything);
    for (const event of isEverything ? [EVERYTHING, ...others] : others) this.#events.receive(event);
  }

  /** Passes on what was committed before the call. @throws {Error} when the database could not be read; the next read repeats it */
  read(): Promise<void> {
    if (this.#next) return this.#next;
    if (!this.#running) return this.#start();
    // The running one may have asked the database already.
    this.#next = this.#running
      .catch(() => {})
      .then(() => {
        this.#next = undefined;
        return this.#start();
      });
    return this.#next;
  }

  #start(): Promise<void> {
    this.#running = this.#readOnce().finally(() => {
      this.#running = undefined;
    });
    return this.#running;
  }

  async #readOnce(): Promise<void> {
    const knownBefore = this.#known;
    this.#known = new Set();
    const beganAtMs = this.#monotonicMs();
    try {
      const { now, rows } = await this.#query(this.#readUpTo);
      const found = new Set(rows.map(({ id }) => id));
      const isTooMuch = rows.length === MAX_ROWS || now - this.#readUpTo > KEPT_MS - OVERLAP_MS;
      if (isTooMuch) {
        await this.#onEverything();
        this.#events.receive(EVERYTHING);
      } else await this.apply(rows.filter(({ id }) => !knownBefore.has(id)));
      this.#readUpTo = now;
      this.#readAtMs = beganAtMs;
      this.#found = found;
    } catch (error) {
      for (const id of knownBefore) this.#known.add(id);
      throw error;
    }
  }

  /** The newest first. After the database's clock was set back, its present time counts. */
  async #query(readUpTo: number): Promise<{ now: number; rows: Change[] }> {
    const db = this.#db;
    const now = (await db.get<{ now: number }>`select ${nowMs} as now`)?.now ?? 0;
    const rows = await db.all<Change & { at: number }>`
      select id, at, kind, subject from changes where at > ${Math.min(readUpTo, now) - OVERLAP_MS} order by at desc limit ${MAX_ROWS}`;
    const unlinked = rows.find(({ kind }) => kind === 'hints-lost');
    if (unlinked) this.#unlinkedUntilMs = this.#monotonicMs() + UNLINKED_MS - Math.max(0, now - unlinked.at);
    return { now, rows };
  }
}

/** Reads the changes of others twice a second, and removes those that each process has read. */
export function changeJobs(db: Db, changes: ChangeReader): PeriodicJob[] {
  return [
    { name: 'read changes', everyMs: READ_MS, run: () => changes.read() },
    { name: 'trim changes', everyMs: KEPT_MS, run: () => trimChanges(db) },
  ];
}

function trimChanges(db: Db): Promise<void> {
  return inBatches(
    (limit) => db.run`
      delete from changes where id in (
        select id from changes where at <= ${nowMs} - ${KEPT_MS} order by at limit ${limit})`,
  );
}
