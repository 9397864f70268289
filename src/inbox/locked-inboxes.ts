import type { Queries } from '../db/db.ts';
import { asTable, forUpdate, inList, skipLocked } from '../db/fragments.ts';
import type { LogEvent } from '../events/log-events.ts';
import { userNotFound } from '../users/users.ts';

interface UserEvent {
  readonly userId: string;
  readonly event: LogEvent;
}

const EVENTS = { user_id: 'text', seq: 'bigint', at: 'bigint', event: 'text', data: 'text' } as const;
const HEADS = { user_id: 'text', seq: 'bigint', received: 'bigint' } as const;

/** Stands for the number of the last event where nothing may be appended: the user is erased. */
export const CLOSED = -1;

interface HeadRow {
  readonly user_id: string;
  readonly seq: number;
}

/**
 * Locks the inboxes of users, in the order of their ids, and waits for those that another transaction has locked. The caller has
 * locked none before, so no two can wait for each other.
 *
 * @returns the number of the last event of each, or {@link CLOSED}
 * @throws {ServiceError} `not-found` when one of the users does not exist
 */
export async function lockInboxes(tx: Queries, userIds: readonly string[]): Promise<Map<string, number>> {
  const rows = await tx.all<HeadRow>`
    select user_id, case closed when 1 then ${CLOSED} else seq end as seq
    from inbox_heads where user_id in ${inList(userIds)} order by user_id ${forUpdate}`;
  if (rows.length < new Set(userIds).size) throw userNotFound();
  return toHeads(rows);
}

/** The same without waiting on PostgreSQL: an inbox that another transaction has locked is left out, as that of an unknown user. */
export async function lockFreeInboxes(tx: Queries, userIds: readonly string[]): Promise<Map<string, number>> {
  return toHeads(
    await tx.all<HeadRow>`
      select user_id, case closed when 1 then ${CLOSED} else seq end as seq
      from inbox_heads where user_id in ${inList(userIds)} order by user_id ${skipLocked}`,
  );
}

function toHeads(rows: readonly HeadRow[]): Map<string, number> {
  return new Map(rows.map((row) => [row.user_id, row.seq]));
}

/**
 * Appends events with the next numbers of their logs, whose inboxes the caller has locked, and raises their heads. Sends everything
 * before it returns; the transaction reports the first failure.
 *
 * @param settled up to which event receipts of a user are settled now
 */
export function appendEvents(
  tx: Queries,
  events: readonly UserEvent[],
  settled: ReadonlyMap<string, number> = new Map(),
): void {
  const rows = events.map(({ userId, event: { seq, at, event, data } }) => ({
    user_id: userId,
    seq,
    at,
    event,
    // Only `messages` holds what an unsent message loses.
    data: JSON.stringify(
      event === 'message' || event === 'edited'
        ? { ...data, body: undefined, replyTo: undefined, picture: undefined }
        : data,
    ),
  }));
  if (rows.length > 0) void tx.run`insert into inbox ${asTable(EVENTS, rows)}`;
  const seqs = new Map(rows.map(({ user_id, seq }) => [user_id, seq]));
  const heads = [...new Set([...seqs.keys(), ...settled.keys()])].map((userId) => ({
    user_id: userId,
    seq: seqs.get(userId) ?? 0,
    received: settled.get(userId) ?? 0,
  }));
  if (heads.length > 0)
    void tx.run`
      insert into inbox_heads ${asTable(HEADS, heads)}
      on conflict (user_id) do update set
        seq = case when inbox_heads.seq < excluded.seq then excluded.seq else inbox_heads.seq end,
        received = case when inbox_heads.received < excluded.received then excluded.received else inbox_heads.received end`;
}
