import type { Db, Queries, Tx } from '../db/db.ts';
import { ServiceError } from '../errors.ts';
import type { Events, ServiceEvent } from '../events/hints.ts';
import type { LogEvent, LogEventData, LogEventName } from '../events/log-events.ts';

/** The log of everything that a user's devices must learn, in the database, and the hints to publish when it grows. */
export interface Inboxes {
  readonly db: Db;
  readonly events: Events;
}

/** What a body writes into the inboxes that were locked for it. */
export interface Append {
  /** The number that the user's first event gets, once the body has awaited anything. The user's inbox must be locked. */
  seqOf(userId: string): number;
  /** What the body wrote stands, also if it appends nothing. */
  keep(): void;
  /**
   * For a body that goes first, once it has awaited its own questions.
   *
   * @throws {ServiceError} `not-found` when one of the users does not exist
   */
  refuseUnknownUsers(): Promise<void>;
  /** Sent after the commit, behind all appended events; not at all if the body leaves no trace. */
  publish(hint: ServiceEvent): void;
  /** Any number of times for each locked user. `at` is the time of the event; left out, it is that of the transaction. */
  <E extends LogEventName>(userId: string, event: E, data: LogEventData[E], at?: number): Promise<void>;
}

/**
 * Runs `body` with the inboxes of `userIds` locked before anything else is read, in the order of their ids, so that what
 * it sees of blocks, settings and sessions is true at the place in the logs where its events stand (architecture 4: lock
 * first, then look). Each event takes its user's next number, without gaps. A body that appends nothing leaves
 * no trace, unless it says `keep`. The events are published after the commit, for the users' sockets.
 *
 * @param options.bodyFirst what the body answers or refuses comes before `not-found`, until it calls `refuseUnknownUsers`
 *   or appends; otherwise `not-found` comes before anything that the body answers or refuses
 * @throws {ServiceError} `not-found` when one of the users does not exist, and whatever `body` throws
 */
export async function withInboxes<T>(
  { db, events }: Inboxes,
  userIds: readonly string[],
  now: number,
  body: (tx: Tx, append: Append) => Promise<T>,
  options: { readonly bodyFirst?: boolean } = {},
): Promise<T> {
  const ordered = [...new Set(userIds)].sort();
  const appended = new Map<string, LogEvent[]>();
  const hints: ServiceEvent[] = [];
  let result: T;
  try {
    result = await db.transaction(async (tx) => {
      appended.clear();
      hints.length = 0;
      let isKept = false;
      const seqs = new Map<string, number>();
      // Not awaited before the body begins: its questions travel behind the locks, and a connection answers in order.
      const locks = Promise.all(
        ordered.map(async (userId) => void seqs.set(userId, await lockHead(tx, userId))),
      );
      // A body that goes first may be over before it asks for them.
      locks.catch(() => {});
      const refuseUnknownUsers = async () => void (await locks);
      const seqOf = (userId: string) => {
        const seq = seqs.get(userId);
        if (seq === undefined) throw new Error('an event for an inbox that was not locked');
        return seq;
      };
      const keep = () => {
        isKept = true;
      };
      const publish = (hint: ServiceEvent) => void hints.push(hint);
      const append = async <E extends LogEventName>(
        userId: string,
        event: E,
        data: LogEventData[E],
        at = now,
      ) => {
        await locks;
        const first = seqOf(userId);
        const events = appended.get(userId) ?? [];
        const isFirst = !appended.has(userId);
        appended.set(userId, events);
        const seq = isFirst ? first : await lockHead(tx, userId);
        events.push({ seq, at, event, data } as LogEvent); // the data of this event: no type says that of a union
        await tx.run`
          insert into inbox (user_id, seq, at, event, data)
          values (${userId}, ${seq}, ${at}, ${event}, ${JSON.stringify(data)})`;
      };
      const own = body(tx, Object.assign(append, { seqOf, keep, refuseUnknownUsers, publish }));
      const value = options.bodyFirst ? await own : await unlessRefused(locks, own);
      if (appended.size === 0 && !isKept) throw new NothingAppended(value);
      const unused = ordered.filter((userId) => !appended.has(userId));
      await Promise.all(unused.map((userId) => giveBack(tx, userId)));
      return value;
    });
  } catch (error) {
    // Rolling back gives the numbers back; what the body found out was read before and is the answer.
    if (error instanceof NothingAppended) return error.value as T; // thrown above with a T
    throw error;
  }
  for (const [userId, own] of appended)
    for (const event of own.sort((a, b) => a.seq - b.seq)) events.publish({ type: 'inbox', userId, event });
  for (const hint of hints) events.publish(hint);
  return result;
}

/** What `own` comes to, a refusal too, unless `first` is refused. */
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

async function lockHead(tx: Tx, userId: string): Promise<number> {
  const head = await tx.get<{ seq: number }>`
    update inbox_heads set seq = seq + 1 where user_id = ${userId} returning seq`;
  if (!head) throw new ServiceError('not-found', 'user_not_found', '用户不存在');
  return head.seq;
}

/** The lock is kept, its number is the next event's. */
async function giveBack(tx: Tx, userId: string): Promise<void> {
  await tx.run`update inbox_heads set seq = seq - 1 where user_id = ${userId}`;
}

/** In the transaction that makes the user. */
export async function openInbox(tx: Queries, userId: string): Promise<void> {
  await tx.run`insert into inbox_heads (user_id) values (${userId})`;
}

/** Keeps further events out of the user's inbox until the transaction ends. @returns the number of the last one */
export async function holdInbox(tx: Queries, userId: string): Promise<number> {
  const head = await tx.get<{ seq: number }>`
    update inbox_heads set seq = seq where user_id = ${userId} returning seq`;
  return head?.seq ?? 0;
}

/** The same for several users, in the order in which {@link withInboxes} locks. */
export async function holdInboxes(tx: Queries, userIds: readonly string[]): Promise<void> {
  for (const userId of [...new Set(userIds)].sort()) await holdInbox(tx, userId);
}

/** In the transaction that deletes an account, with its inbox locked. The number of the last event stays. */
export async function removeEvents(tx: Queries, userId: string): Promise<void> {
  await tx.run`delete from inbox where user_id = ${userId}`;
}

/** The number of the user's last event; 0 before the first. */
export async function readHead(db: Queries, userId: string): Promise<number> {
  const head = await db.get<{ seq: number }>`select seq from inbox_heads where user_id = ${userId}`;
  return head?.seq ?? 0;
}

/** The heads of several users, for finding who missed a hint. */
export async function readHeads(db: Queries, userIds: readonly string[]): Promise<Map<string, number>> {
  const rows = await db.all<{ user_id: string; seq: number }>`
    select user_id, seq from inbox_heads where user_id in ${db.list(userIds)}`;
  return new Map(rows.map((row) => [row.user_id, row.seq]));
}

/** Up to `limit` events after `seq`, in order. */
export async function readEvents(
  db: Queries,
  userId: string,
  seq: number,
  limit: number,
): Promise<LogEvent[]> {
  return (
    await db.all<LogEventRow>`
      select seq, at, event, data from inbox where user_id = ${userId} and seq > ${seq} order by seq limit ${limit}`
  ).map(toLogEvent);
}

/** The events of one kind after `seq`, up to `upTo`, in order. */
export async function readEventsOf<E extends LogEventName>(
  db: Queries,
  userId: string,
  event: E,
  seq: number,
  upTo: number,
): Promise<LogEvent<E>[]> {
  return (
    await db.all<LogEventRow<E>>`
      select seq, at, event, data from inbox
      where user_id = ${userId} and seq > ${seq} and seq <= ${upTo} and event = ${event} order by seq`
  ).map(toLogEvent<E>);
}

interface LogEventRow<E extends LogEventName = LogEventName> {
  readonly seq: number;
  readonly at: number;
  readonly event: E;
  readonly data: string;
}

function toLogEvent<E extends LogEventName>({ seq, at, event, data }: LogEventRow<E>): LogEvent<E> {
  return { seq, at, event, data: parseEventData<E>(data) } as LogEvent<E>; // no type says that of a union
}

/** What an event of this kind carries, from the column `data`, which `append` alone writes: not compared with its schema. */
export function parseEventData<E extends LogEventName>(data: string): LogEventData[E] {
  return JSON.parse(data);
}

/**
 * Whether a device that has everything up to `seq` can be brought up to date from the log: it is not ahead of the
 * head, and the event after it was not trimmed.
 */
export async function canResume(db: Queries, userId: string, seq: number, head: number): Promise<boolean> {
  if (seq === head) return true;
  if (seq > head || seq < 0) return false;
  const next = await db.get<{ seq: number }>`
    select seq from inbox where user_id = ${userId} and seq > ${seq} order by seq limit 1`;
  return next?.seq === seq + 1 || (seq === 0 && next !== undefined);
}
