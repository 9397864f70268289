import type { Db, Queries, Tx } from '../db/db.ts';
import { asTable, inList } from '../db/fragments.ts';
import { isChange, recordChange } from '../events/changes.ts';
import type { Change, Events, ServiceEvent } from '../events/hints.ts';
import type { LogEvent, LogEventData, LogEventName } from '../events/log-events.ts';
import { userNotFound } from '../users/users.ts';

const POSITIONS = { user_id: 'text', seq: 'bigint' } as const;

/** Where the event logs of users are stored, and where hints about new events are published. */
export interface Inboxes {
  readonly db: Db;
  readonly events: Events;
}

/** Appends events to the inboxes that are locked for a body, and what else a body can do with them. */
export interface Append {
  /** The number of the first event that the body appends for the user. Known once the body has awaited a statement. */
  seqOf(userId: string): number;
  /** Commits what the body wrote even if it appends nothing. */
  commitWithoutEvents(): void;
  /** Publishes a hint after the commit and after all appended events; never if the transaction is rolled back. */
  publish(hint: ServiceEvent): void;
  <E extends AppendedName>(userId: string, event: E, data: LogEventData[E]): Promise<void>;
}

/** Messages are stored in batches, with their events (`message-events.ts`). */
type AppendedName = Exclude<LogEventName, 'message'>;

/**
 * Runs `body` in a transaction that first locks the inboxes of `userIds`, in the order of their ids. So what the body reads of
 * blocks, settings and sessions is true at the position in the logs that its events get (architecture 4: lock first, then
 * look). Each event takes its user's next number, without gaps. A body that appends nothing is rolled back, unless it calls
 * `commitWithoutEvents`. The events are published after the commit, for the users' sockets; what they and the hints change is
 * recorded in the transaction, and announced to other nodes before this resolves.
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
  const ordered = [...new Set(userIds)].sort();
  const appended = new Map<string, LogEvent[]>();
  const hints: ServiceEvent[] = [];
  let changes: Change[] = [];
  let result: T;
  try {
    result = await db.transaction(async (tx) => {
      appended.clear();
      hints.length = 0;
      let commitsWithoutEvents = false;
      const seqs = new Map<string, number>();
      // The body begins without awaiting the locks: a connection runs statements in order, so those of the body run after them.
      const locks = Promise.all(
        ordered.map(async (userId) => void seqs.set(userId, await takeNextSeq(tx, userId))),
      );
      const seqOf = (userId: string) => {
        const seq = seqs.get(userId);
        if (seq === undefined) throw new Error('an event for an inbox that is not locked');
        return seq;
      };
      const commitWithoutEvents = () => {
        commitsWithoutEvents = true;
      };
      const publish = (hint: ServiceEvent) => void hints.push(hint);
      const append = async <E extends AppendedName>(userId: string, event: E, data: LogEventData[E]) => {
        await locks;
        const first = seqOf(userId);
        const events = appended.get(userId) ?? [];
        const isFirst = !appended.has(userId);
        appended.set(userId, events);
        const seq = isFirst ? first : await takeNextSeq(tx, userId);
        events.push({ seq, at: now, event, data } as LogEvent); // `data` belongs to `event`, which a type cannot say of a union
        await tx.run`
          insert into inbox (user_id, seq, at, event, data)
          values (${userId}, ${seq}, ${now}, ${event}, ${JSON.stringify(data)})`;
      };
      const own = body(tx, Object.assign(append, { seqOf, commitWithoutEvents, publish }));
      const value = await unlessRefused(locks, own);
      if (appended.size === 0 && !commitsWithoutEvents) throw new NothingAppended(value);
      const unused = ordered.filter((userId) => !appended.has(userId));
      const blockChanges = [...appended].flatMap(([userId, own]) =>
        own.flatMap((event) => blockChangeOf(userId, event) ?? []),
      );
      const [recorded] = await Promise.all([
        Promise.all([...blockChanges, ...hints.filter(isChange)].map((event) => recordChange(tx, event))),
        ...unused.map((userId) => returnSeq(tx, userId)),
      ]);
      changes = recorded;
      return value;
    });
  } catch (error) {
    // The rollback returned the numbers; the result of the body is still valid.
    if (error instanceof NothingAppended) return error.value as T; // thrown above with a T
    throw error;
  }
  for (const [userId, own] of appended)
    for (const event of own.sort((a, b) => a.seq - b.seq)) publishAppended(events, userId, event);
  for (const hint of hints) events.publish(hint);
  await events.announce(changes);
  return result;
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

function publishAppended(events: Events, userId: string, event: LogEvent): void {
  const blockChange = blockChangeOf(userId, event);
  if (blockChange) events.publish(blockChange);
  events.publish({ type: 'inbox', userId, event });
}

function blockChangeOf(blockerId: string, { event, data }: LogEvent) {
  if (event !== 'block' && event !== 'unblock') return undefined;
  return { type: 'block-changed', blockerId, blockedId: data.userId, isBlocked: event === 'block' } as const;
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

class NothingAppended extends Error {
  readonly value: unknown;
  constructor(value: unknown) {
    super('nothing was appended');
    this.value = value;
  }
}

/** Locks the inbox, and reserves the number of its next event. */
async function takeNextSeq(tx: Tx, userId: string): Promise<number> {
  const head = await tx.get<{ seq: number }>`
    update inbox_heads set seq = seq + 1 where user_id = ${userId} returning seq`;
  if (!head) throw userNotFound();
  return head.seq;
}

/** @throws {ServiceError} `not-found` when one of the users does not exist */
async function assertInboxes(db: Queries, userIds: readonly string[]): Promise<void> {
  const rows = await db.all`select user_id from inbox_heads where user_id in ${inList(userIds)}`;
  if (rows.length < new Set(userIds).size) throw userNotFound();
}

/** Returns a number that no event used; the lock stays. */
async function returnSeq(tx: Tx, userId: string): Promise<void> {
  await tx.run`update inbox_heads set seq = seq - 1 where user_id = ${userId}`;
}

/** Call it in the transaction that creates the user. */
export async function createInbox(tx: Queries, userId: string): Promise<void> {
  await tx.run`insert into inbox_heads (user_id) values (${userId})`;
}

/** Locks the user's inbox, so that no event is added until the transaction ends. @returns the number of the last event */
export async function lockInbox(tx: Queries, userId: string): Promise<number> {
  const head = await tx.get<{ seq: number }>`
    update inbox_heads set seq = seq where user_id = ${userId} returning seq`;
  return head?.seq ?? 0;
}

/** Locks several inboxes, in the same order as {@link withInboxes}. */
export async function lockInboxes(tx: Queries, userIds: readonly string[]): Promise<void> {
  for (const userId of [...new Set(userIds)].sort()) await lockInbox(tx, userId);
}

/** Call it in the transaction that deletes an account, with its inbox locked. The number of the last event stays. */
export async function removeEvents(tx: Queries, userId: string): Promise<void> {
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

/** The heads of those users whose log ends before these positions, as after a failover that lost events; 0 where there is none. */
export function readHeadsBefore(db: Queries, positions: readonly Position[]): Promise<Position[]> {
  return db.all<Position>`
    select wanted.user_id, coalesce(heads.seq, 0) as seq from ${asTable(POSITIONS, positions)} as wanted
    left join inbox_heads as heads on heads.user_id = wanted.user_id
    where heads.seq is null or heads.seq < wanted.seq`;
}

/** The heads of those users who have events after these positions, which shows that a hint was lost. */
export function readHeadsAfter(db: Queries, positions: readonly Position[]): Promise<Position[]> {
  return db.all<Position>`
    select heads.user_id, heads.seq from ${asTable(POSITIONS, positions)} as wanted
    join inbox_heads as heads on heads.user_id = wanted.user_id
    where heads.seq > wanted.seq`;
}
