import type { Queries } from '../db/db.ts';
import { asTable, forUpdate, inList, skipLocked } from '../db/fragments.ts';
import type { StoredEvent } from '../events/log-events.ts';

interface UserEvent {
  readonly userId: string;
  readonly event: StoredEvent;
}

/** The head of a log after a transaction. */
interface Head {
  readonly user_id: string;
  /** The number of the last event. */
  readonly seq: number;
  /** Up to which event receipts are settled, if that is higher than before. */
  readonly received: number;
}

const EVENTS = { user_id: 'text', seq: 'bigint', at: 'bigint', event: 'text', data: 'text' } as const;
const HEADS = { user_id: 'text', seq: 'bigint', received: 'bigint' } as const;

/**
 * Locks the inboxes of users, in the order of their ids; on PostgreSQL without waiting for those that another transaction has locked.
 *
 * @returns the number of the last event of each inbox that is locked now
 */
export async function lockFreeInboxes(tx: Queries, userIds: readonly string[]): Promise<Map<string, number>> {
  const rows = await tx.all<{ user_id: string; seq: number }>`
    select user_id, seq from inbox_heads where user_id in ${inList(userIds)} order by user_id ${skipLocked}`;
  return new Map(rows.map((row) => [row.user_id, row.seq]));
}

/**
 * Locks the inbox of a user, and waits while another transaction has locked it. The caller has locked none before, and locks others
 * only by {@link lockFreeInboxes}, so no two can wait for each other.
 */
export async function waitForInbox(tx: Queries, userId: string): Promise<void> {
  await tx.get`select seq from inbox_heads where user_id = ${userId} ${forUpdate}`;
}

/**
 * Appends events with the next numbers of their logs, whose inboxes the caller has locked, and writes their heads. One by one, the
 * fastest way on SQLite.
 */
export async function appendOneByOne(
  tx: Queries,
  events: readonly UserEvent[],
  heads: readonly Head[],
): Promise<void> {
  await Promise.all([
    ...events.map(
      ({ userId, event: { seq, at, event, data } }) => tx.run`
        insert into inbox (user_id, seq, at, event, data)
        values (${userId}, ${seq}, ${at}, ${event}, ${JSON.stringify(data)})`,
    ),
    ...heads.map(
      ({ user_id, seq, received }) => tx.run`
        update inbox_heads set seq = ${seq}, received = case when received < ${received} then ${received} else received end
        where user_id = ${user_id}`,
    ),
  ]);
}

/** The same in two statements, for PostgreSQL. */
export async function appendTogether(
  tx: Queries,
  events: readonly UserEvent[],
  heads: readonly Head[],
): Promise<void> {
  const rows = events.map(({ userId, event: { seq, at, event, data } }) => ({
    user_id: userId,
    seq,
    at,
    event,
    data: JSON.stringify(data),
  }));
  await Promise.all([
    rows.length > 0 &&
      tx.run`
        insert into inbox (user_id, seq, at, event, data)
        select user_id, seq, at, event, data from ${asTable(EVENTS, rows)} as events`,
    tx.run`
      update inbox_heads set seq = heads.seq,
        received = case when inbox_heads.received < heads.received then heads.received else inbox_heads.received end
      from ${asTable(HEADS, heads)} as heads
      where inbox_heads.user_id = heads.user_id`,
  ]);
}
