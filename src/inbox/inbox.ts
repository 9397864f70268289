import type { Db, Queries, Tx } from '../db/db.ts';
import { asTable, inList } from '../db/fragments.ts';
import { isChange, recordChange } from '../events/changes.ts';
import type { Events, ServiceEvent } from '../events/hints.ts';
import type { LogEvent, LogEventData, LogEventName } from '../events/log-events.ts';
import { userNotFound } from '../users/users.ts';
import { appendEvents, CLOSED, lockInboxes } from './locked-inboxes.ts';

const NEW_HEADS = { user_id: 'text' } as const;
const POSITIONS = { user_id: 'text', seq: 'bigint' } as const;

/** Where the event logs of users are stored, and where hints about new events are published. */
export interface Inboxes {
  readonly db: Db;
  readonly events: Events;
}

/** Appends events to the inboxes that are locked for a body, and what else a body can do with them. */
export interface Append {
  /** Publishes a hint after the commit, in its place among the events; never if the transaction is rolled back. */
  publish(hint: ServiceEvent): void;
  /** @returns the number of the event; 0 for an erased user, who gets none */
  <E extends AppendedName>(userId: string, event: E, data: LogEventData[E]): Promise<number>;
}

/** Messages are stored in batches, with their events (`locked-inboxes.ts`). */
type AppendedName = Exclude<LogEventName, 'message'>;

/**
 * Runs `body` in a transaction that first locks the inboxes of `userIds`, in the order of their ids. So what the body reads of
 * blocks, settings and sessions is true at the position in the logs that its events get (architecture 4: lock first, then
 * look). Each event takes its user's next number, without gaps. The events are published after the commit, for the users' sockets;
 * what they and the hints change is recorded in the transaction, and other nodes have read it before this resolves.
 *
 * @throws {ServiceError} `not-found` when one of the users does not exist, whatever the body returns or throws; and everything
 *   that `body` throws
 */
export async function withInboxes<T>(
  { db, events }: Inboxes,
  userIds: readonly string[],
  now: number,
  body: (tx: Tx, append: Append) => Promise<T>,
): Promise<T> {
  const { value, hints, changes } = await db.transaction(async (tx) => {
    const hints: ServiceEvent[] = [];
    // The body begins without awaiting the locks: a connection runs statements in order, so those of the body run after them.
    const locks = lockInboxes(tx, userIds);
    const publish = (hint: ServiceEvent) => void hints.push(hint);
    const append = async <E extends AppendedName>(userId: string, event: E, data: LogEventData[E]) => {
      const heads = await locks;
      const head = heads.get(userId);
      if (head === undefined) throw new Error('an event for an inbox that is not locked');
      if (head === CLOSED) return 0;
      const seq = head + 1;
      heads.set(userId, seq);
      publish({ type: 'inbox', userId, event: { seq, at: now, event, data } as LogEvent }); // `data` belongs to `event`, which a type cannot say of a union
      return seq;
    };
    const value = await unlessRefused(locks, body(tx, Object.assign(append, { publish })));
    appendEvents(
      tx,
      hints.filter((hint) => hint.type === 'inbox'),
    );
    const changes = await Promise.all(hints.filter(isChange).map((hint) => recordChange(tx, hint)));
    return { value, hints, changes };
  });
  for (const hint of hints) events.publish(hint);
  await events.shareChanges(changes);
  return value;
}

/** The result of a check: the answer where nothing changes, or what to write. */
export type Checked<T, Change> = { readonly answer: T } | { readonly change: Change };

/**
 * {@link withInboxes} for a rule that locks inboxes of other users. `check` first reads without locks: what it refuses, or answers as
 * it changes nothing, holds up nobody's messages. Otherwise it reads again behind the locks, since another writer may have come
 * between, and only what it finds there is written.
 *
 * @param check reads and has no effects; it may throw a refusal
 * @throws {ServiceError} as {@link withInboxes}
 */
export async function checkThenLock<T, Change>(
  inboxes: Inboxes,
  userIds: readonly string[],
  now: number,
  check: (db: Queries) => Promise<Checked<T, Change>>,
  write: (tx: Tx, append: Append, change: Change) => Promise<T>,
): Promise<T> {
  const { db } = inboxes;
  const checked = await unlessRefused(assertInboxes(db, userIds), check(db));
  if ('answer' in checked) return checked.answer;
  return withInboxes(inboxes, userIds, now, async (tx, append) => {
    const found = await check(tx);
    return 'answer' in found ? found.answer : write(tx, append, found.change);
  });
}

/** Settles as `own` does, unless `first` rejects: then with its error. */
async function unlessRefused<T>(first: Promise<unknown>, own: Promise<T>): Promise<T> {
  const [, value] = await Promise.all([
    first,
    own.catch(async (error) => {
      await first;
      throw error;
    }),
  ]);
  return value;
}

/** @throws {ServiceError} `not-found` when one of the users does not exist */
async function assertInboxes(db: Queries, userIds: readonly string[]): Promise<void> {
  const rows = await db.all`select user_id from inbox_heads where user_id in ${inList(userIds)}`;
  if (rows.length < new Set(userIds).size) throw userNotFound();
}

/** Call it in the transaction that creates the users. */
export async function createInboxes(tx: Queries, userIds: readonly string[]): Promise<void> {
  const heads = userIds.map((user_id) => ({ user_id }));
  await tx.run`insert into inbox_heads ${asTable(NEW_HEADS, heads)}`;
}

/**
 * Removes all events, and appends none from then on, whatever others do. To be called in the transaction that erases an account, with its
 * inbox locked. The number of the last event stays.
 */
export async function closeInbox(tx: Queries, userId: string): Promise<void> {
  await tx.run`update inbox_heads set closed = 1 where user_id = ${userId}`;
  await tx.run`delete from inbox where user_id = ${userId}`;
}

/** The number of the user's last event; 0 before the first. */
export async function readHead(db: Queries, userId: string): Promise<number> {
  const head = await db.get<{ seq: number }>`select seq from inbox_heads where user_id = ${userId}`;
  return head?.seq ?? 0;
}

export interface Position {
  readonly user_id: string;
  readonly seq: number;
}

/**
 * The heads that are not at these positions: after them where a hint was lost, before them after a failover that lost events; 0
 * where there is none.
 */
export function readOtherHeads(db: Queries, positions: readonly Position[]): Promise<Position[]> {
  return db.all<Position>`
    select wanted.user_id, coalesce(heads.seq, 0) as seq from ${asTable(POSITIONS, positions)} as wanted
    left join inbox_heads as heads on heads.user_id = wanted.user_id
    where heads.seq is null or heads.seq <> wanted.seq`;
}
