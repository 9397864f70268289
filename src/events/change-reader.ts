import type { Clock, PeriodicJob } from '../clock.ts';
import { inBatches } from '../db/batches.ts';
import type { Db } from '../db/db.ts';
import { inList, nowMs } from '../db/fragments.ts';
import { type Change, eventOf } from './changes.ts';
import { Events } from './hints.ts';

const READ_MS = 500;
/** Rows become visible in another order than that of their times, as no transaction lives longer than this after it wrote one. */
const OVERLAP_MS = 15_000;
const KEPT_MS = 60 * 60 * 1000;
/** If more were written, everything is dropped at once. */
const MAX_ROWS = 20_000;

/** How long a read is believed to be current. */
const CURRENT_MS = 3_000;
/** Rows of which another node sent word are read within this time: it waits 600 ms before it answers their change. */
const UNREAD_MS = 400;

const EVERYTHING = { type: 'external-change' } as const;

/**
 * Finds what other processes changed in the table `changes`, in time by the database's clock, and passes it to the listeners of
 * {@link Events}: what other nodes and commands wrote, and what this process wrote without learning that it was committed.
 */
export class ChangeReader {
  readonly #db: Db;
  readonly #events: Events;
  readonly #monotonicMs: () => number;
  readonly #hasNodes: boolean;
  /** The database's time when the last successful read began. */
  #readUpTo = Number.POSITIVE_INFINITY;
  /** When that was by this process's monotonic clock. */
  #readAtMs = 0;
  /** The rows of the last read, which the next one finds again; then those that were passed on or written here since it began. */
  #seen = new Set<string>();
  /** When messages came whose rows are not read yet, the oldest first. */
  readonly #unread = new Set<{ readonly atMs: number }>();
  /** When nodes said within the last 15 s that they have no link to the others. */
  #unlinkedAtMs: readonly number[] = [];
  #onEverything: () => Promise<void> = async () => {};
  #running = Promise.resolve();
  #next: Promise<void> | undefined;

  private constructor(db: Db, events: Events, monotonicMs: () => number, hasNodes: boolean) {
    this.#db = db;
    this.#events = events;
    this.#monotonicMs = monotonicMs;
    this.#hasNodes = hasNodes;
    events.onChanges((ids) => {
      for (const id of ids) this.#seen.add(id);
    });
  }

  /**
   * To be called before anything is remembered of the database, and anything listens: what was changed before concerns no one.
   *
   * @param hasNodes whether other nodes change the database too
   */
  static async open(
    db: Db,
    events: Events,
    { monotonicMs }: Pick<Clock, 'monotonicMs'>,
    { hasNodes = false } = {},
  ): Promise<ChangeReader> {
    const reader = new ChangeReader(db, events, monotonicMs, hasNodes);
    await reader.read();
    return reader;
  }

  /** How long ago the last successful read began, in milliseconds. */
  get ageMs(): number {
    return this.#monotonicMs() - this.#readAtMs;
  }

  /**
   * Whether this node has read what other nodes changed: all of it within the last 3 s, and within 400 ms what it got a message of.
   * Otherwise no data may be written to a socket. Always true for a single server.
   */
  get hasReadLately(): boolean {
    if (!this.#hasNodes) return true;
    const [{ atMs } = { atMs: Number.POSITIVE_INFINITY }] = this.#unread;
    return this.ageMs < CURRENT_MS && this.#monotonicMs() - atMs < UNREAD_MS;
  }

  /** Whether a node, this one or another, said so long ago that it has no link to the others: of rows of the last 15 s. */
  wasUnlinked(fromMs: number, toMs: number): boolean {
    const nowMs = this.#monotonicMs();
    return this.#unlinkedAtMs.some((at) => nowMs - at >= fromMs && nowMs - at < toMs);
  }

  /** @param reload reads again what the listeners of `external-change` depend on; called before they are */
  onEverything(reload: () => Promise<void>): void {
    this.#onEverything = reload;
  }

  /**
   * Reads rows that another node named after their commit, and passes on those that are new.
   *
   * @throws {Error} when they could not be read; until a later read has found them, this node is not current
   */
  async readRows(ids: readonly string[]): Promise<Change[]> {
    const message = { atMs: this.#monotonicMs() };
    this.#unread.add(message);
    const rows = await this.#db.all<Change>`
      select id, kind, subject from changes where id in ${inList(ids)}`;
    await this.#pass(rows);
    this.#unread.delete(message);
    return rows;
  }

  /** Passes on what was committed before the call. @throws {Error} when the database could not be read; the next read repeats it */
  read(): Promise<void> {
    // The running one may have asked the database already.
    this.#next ??= this.#running
      .catch(() => {})
      .then(() => {
        this.#next = undefined;
        this.#running = this.#readOnce();
        return this.#running;
      });
    return this.#next;
  }

  async #readOnce(): Promise<void> {
    const beganAtMs = this.#monotonicMs();
    const seenBefore = this.#seen.size;
    const { now, rows } = await this.#query(this.#readUpTo);
    const isTooMuch = rows.length === MAX_ROWS || now - this.#readUpTo > KEPT_MS - OVERLAP_MS;
    await this.#pass(
      isTooMuch ? [{ id: crypto.randomUUID(), kind: 'external-change', subject: '{}' }] : rows,
    );
    this.#readUpTo = now;
    this.#readAtMs = beganAtMs;
    this.#seen = new Set([...rows.map(({ id }) => id), ...[...this.#seen].slice(seenBefore)]);
    for (const message of this.#unread) if (message.atMs <= beganAtMs) this.#unread.delete(message);
  }

  async #pass(rows: readonly Change[]): Promise<void> {
    const unseen = rows.filter(({ id }) => !this.#seen.has(id));
    const received = unseen.map(eventOf);
    const isEverything = received.some(({ type }) => type === 'external-change');
    if (isEverything) await this.#onEverything();
    for (const { id } of unseen) this.#seen.add(id);
    // Reading everything again does not tell what the operator did.
    const others = received.filter(({ type }) => type === 'operator-act' || !isEverything);
    for (const event of isEverything ? [EVERYTHING, ...others] : others) this.#events.receive(event);
  }

  /** The newest first. After the database's clock was set back, its present time counts. */
  async #query(readUpTo: number): Promise<{ now: number; rows: Change[] }> {
    const db = this.#db;
    const now = (await db.get<{ now: number }>`select ${nowMs} as now`)?.now ?? 0;
    const rows = await db.all<Change & { at: number }>`
      select id, at, kind, subject from changes where at > ${Math.min(readUpTo, now) - OVERLAP_MS} order by at desc limit ${MAX_ROWS}`;
    const unlinked = rows.filter(({ kind }) => kind === 'hints-lost');
    this.#unlinkedAtMs = unlinked.map(({ at }) => this.#monotonicMs() - Math.max(0, now - at));
    return { now, rows };
  }
}

/** The hints of this process, with the reader that adds what other processes changed. */
export type SharedEvents = Events & { readonly changes: ChangeReader };

/** @param options as for {@link ChangeReader.open} */
export async function openEvents(
  db: Db,
  clock: Pick<Clock, 'monotonicMs'>,
  options: { hasNodes: boolean },
): Promise<SharedEvents> {
  const events = new Events();
  return Object.assign(events, { changes: await ChangeReader.open(db, events, clock, options) });
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
