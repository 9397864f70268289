import type { Queries } from '../../db/db.ts';
import { asTable } from '../../db/fragments.ts';
import { logCancelled } from '../log/push-log.ts';

/** A message seen within this time is not pushed (architecture 8.1). */
const SEEN_WITHIN_MS = 5_000;
/** By how much the clocks of two nodes may differ. A wait that ends later by more than this was written before the clock was set back. */
export const CLOCK_TOLERANCE_MS = 3_000;
/** A pair waits 5 s after a message or 3 s after a decision. */
const LONGEST_PENDING_MS = SEEN_WITHIN_MS + CLOCK_TOLERANCE_MS;

/** When a push about a message of `now` is decided on: at once if no device can see it before. */
export function pushDueAt(now: number, mayBeAttentive: boolean): number {
  return mayBeAttentive ? now + SEEN_WITHIN_MS : now;
}

/** A recipient (`userId`) and the sender of the messages (`peerId`). */
export interface Pair {
  readonly userId: string;
  readonly peerId: string;
}

export function pairKey({ userId, peerId }: Pair): string {
  return `${userId} ${peerId}`;
}

/** Pairs that are due, the longest due first. */
export async function findDue(db: Queries, now: number, limit: number): Promise<Pair[]> {
  return db.all<Pair>`
    select user_id as "userId", peer_id as "peerId" from push_pending
    where due_at <= ${now} order by due_at limit ${limit}`;
}

/**
 * Makes pairs due that wait longer than any wait can be: they were written before the wall clock was set back. One that is held in quiet
 * hours waits for hours; it is decided on again if that was computed at a later time. It locks no inbox, so PostgreSQL may end it as a
 * deadlock.
 */
export async function endOverlongPairs(db: Queries, now: number): Promise<void> {
  await db.run`
    update push_pending set due_at = ${now}, cooldown_until = ${now} where due_at > ${now + LONGEST_PENDING_MS}
      and (quiet_until is null or cooldown_until > ${now + CLOCK_TOLERANCE_MS})`;
}

/** When the next pair is due, epoch milliseconds; `Infinity` if there is none. */
export async function nextDueAt(db: Queries): Promise<number> {
  const row = await db.get<{ at: number | null }>`select min(due_at) as at from push_pending`;
  return row?.at ?? Number.POSITIVE_INFINITY;
}

// A user's rows are written only with the user's inbox locked, so writers of several rows cannot deadlock.

/** A message for a recipient; `seq` is its number in their log, `dueAt` that of {@link pushDueAt}. */
interface NewMessage extends Pair {
  readonly seq: number;
  readonly dueAt: number;
}

const PENDING = {
  user_id: 'text',
  peer_id: 'text',
  first_seq: 'bigint',
  last_seq: 'bigint',
  count: 'bigint',
  due_at: 'bigint',
} as const;

/** Adds messages to the pending pushes of their pairs, in the transaction that stores them. A pair that is held in quiet hours stays so;
 * a node of the version before may have decided about one, and left its marks. */
export function enqueuePushes(tx: Queries, messages: readonly NewMessage[]): Promise<number> {
  // A statement cannot change a row twice.
  const byPair = Map.groupBy(messages, pairKey);
  const pending = [...byPair.values()].map((ofPair) => {
    const { userId, peerId, seq } = ofPair[0] as NewMessage; // a group is never empty
    return {
      user_id: userId,
      peer_id: peerId,
      first_seq: seq,
      last_seq: ofPair.at(-1)?.seq ?? seq,
      count: ofPair.length,
      due_at: Math.min(...ofPair.map(({ dueAt }) => dueAt)),
    };
  });
  return tx.run`
    insert into push_pending ${asTable(PENDING, pending)}
    on conflict (user_id, peer_id) do update set
      first_seq = case when push_pending.count = 0 then excluded.first_seq else push_pending.first_seq end,
      last_seq = excluded.last_seq,
      due_at = case
        when push_pending.count > 0 and (push_pending.quiet_until is not null or push_pending.due_at < excluded.due_at)
          then push_pending.due_at
        when push_pending.cooldown_until > excluded.due_at then push_pending.cooldown_until
        else excluded.due_at end,
      quiet_until = case when push_pending.count = 0 then null else push_pending.quiet_until end,
      quiet_log = case when push_pending.count = 0 then null else push_pending.quiet_log end,
      count = push_pending.count + excluded.count`;
}

interface Cancellation extends Pair {
  readonly outcome: 'blocked' | 'seen' | 'unsent';
  /** The name of the device on which the messages were seen, for the push log; empty if unknown. */
  readonly device?: string;
  readonly now: number;
}

/** Cancels the pushes about `peerId`, in the transaction that marks all of their messages read, or blocks them. */
export async function cancelPushes(
  tx: Queries,
  { userId, peerId, outcome, device = '', now }: Cancellation,
): Promise<void> {
  const [pending, jobs] = await Promise.all([
    tx.all<{ log_id: string | null }>`
      delete from push_pending where user_id = ${userId} and peer_id = ${peerId} and count > 0 returning quiet_log as log_id`,
    tx.all<{ log_id: string | null }>`
      delete from push_jobs where user_id = ${userId} and peer_id = ${peerId} returning log_id`,
  ]);
  if (pending.length === 0 && jobs.length === 0) return;
  const jobLogIds = [...pending, ...jobs].flatMap(({ log_id }) => (log_id ? [log_id] : []));
  await logCancelled(tx, outcome, [{ userId, peerId, detail: device, jobLogIds }], now);
}

/**
 * Takes one message out of the pushes about `peerId`, in the transaction that unsends it.
 *
 * @param later how many later messages of the peer stand: a pending push is about the last ones
 * @param unread how many unread messages are left; without any the jobs end too
 */
export async function withdrawPush(
  tx: Queries,
  { userId, peerId, later, unread, now }: Pair & { later: number; unread: number; now: number },
): Promise<void> {
  if (unread === 0) return cancelPushes(tx, { userId, peerId, outcome: 'unsent', now });
  const pending = await tx.get<{ count: number; log_id: string | null }>`
    update push_pending set count = count - 1
    where user_id = ${userId} and peer_id = ${peerId} and count > ${later} returning count, quiet_log as log_id`;
  if (pending?.count !== 0) return;
  await tx.run`delete from push_pending where user_id = ${userId} and peer_id = ${peerId}`;
  const jobLogIds = pending.log_id ? [pending.log_id] : [];
  await logCancelled(tx, 'unsent', [{ userId, peerId, detail: '', jobLogIds }], now);
}
