import type { Queries } from '../../db/db.ts';
import { asTable, inList } from '../../db/fragments.ts';
import { addToPushLog, markSeenInLog } from '../log/push-log.ts';

/** A message seen within this time is not pushed (architecture 8.1). */
export const SEEN_WITHIN_MS = 5_000;
/** By how much the clocks of two nodes may differ. A wait that ends later by more than this was written before the clock was set back. */
export const CLOCK_TOLERANCE_MS = 3_000;
/** A pair waits 5 s after a message or 3 s after a decision. */
export const LONGEST_PENDING_MS = SEEN_WITHIN_MS + CLOCK_TOLERANCE_MS;

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

const PAIR = { user_id: 'text', peer_id: 'text' } as const;

/** The `pairs` that have a row, with the time at which each is due. */
export async function findPending(
  db: Queries,
  pairs: readonly Pair[],
): Promise<(Pair & { dueAt: number })[]> {
  if (pairs.length === 0) return [];
  const wanted = pairs.map(({ userId, peerId }) => ({ user_id: userId, peer_id: peerId }));
  return db.all<Pair & { dueAt: number }>`
    select pending.user_id as "userId", pending.peer_id as "peerId", pending.due_at as "dueAt"
    from ${asTable(PAIR, wanted)} as wanted
    join push_pending pending on pending.user_id = wanted.user_id and pending.peer_id = wanted.peer_id`;
}

/** Pairs due later than any wait allows, which means the clock was set back. */
export async function findOverlong(db: Queries, now: number): Promise<Pair[]> {
  return db.all<Pair>`
    select user_id as "userId", peer_id as "peerId" from push_pending where due_at > ${now + LONGEST_PENDING_MS}`;
}

/** When the next pair is due, epoch milliseconds. */
export async function nextDueAt(db: Queries): Promise<number | undefined> {
  const row = await db.get<{ at: number | null }>`select min(due_at) as at from push_pending`;
  return row?.at ?? undefined;
}

// A user's rows are written only with the user's inbox locked, so writers of several rows cannot deadlock.

/** A message for a recipient; `seq` is its number in their log, `now` epoch milliseconds. */
interface NewMessage extends Pair {
  readonly seq: number;
  readonly now: number;
}

/** Adds a message to the pending push of its pair, in the transaction that stores the message. */
export async function enqueuePush(tx: Queries, { userId, peerId, seq, now }: NewMessage): Promise<void> {
  await tx.run`
    insert into push_pending (user_id, peer_id, first_seq, last_seq, count, due_at)
    values (${userId}, ${peerId}, ${seq}, ${seq}, 1, ${now + SEEN_WITHIN_MS})
    on conflict (user_id, peer_id) do update set
      first_seq = case when push_pending.count = 0 then excluded.first_seq else push_pending.first_seq end,
      last_seq = excluded.last_seq,
      due_at = case when push_pending.count > 0 then push_pending.due_at
        when push_pending.cooldown_until > excluded.due_at then push_pending.cooldown_until
        else excluded.due_at end,
      count = push_pending.count + 1`;
}

const PENDING = {
  user_id: 'text',
  peer_id: 'text',
  first_seq: 'bigint',
  last_seq: 'bigint',
  count: 'bigint',
  due_at: 'bigint',
} as const;

/** The same for the messages of a batch, in one statement; only on PostgreSQL. */
export async function enqueuePushes(tx: Queries, messages: readonly NewMessage[]): Promise<void> {
  // A statement cannot change a row twice.
  const byPair = Map.groupBy(messages, pairKey);
  const pending = [...byPair.values()].map((ofPair) => {
    const { userId, peerId, seq, now } = ofPair[0] as NewMessage; // a group is never empty
    return {
      user_id: userId,
      peer_id: peerId,
      first_seq: seq,
      last_seq: ofPair.at(-1)?.seq ?? seq,
      count: ofPair.length,
      due_at: now + SEEN_WITHIN_MS,
    };
  });
  await tx.run`
    insert into push_pending (user_id, peer_id, first_seq, last_seq, count, due_at)
    select user_id, peer_id, first_seq, last_seq, count, due_at from ${asTable(PENDING, pending)} as pending where true
    on conflict (user_id, peer_id) do update set
      first_seq = case when push_pending.count = 0 then excluded.first_seq else push_pending.first_seq end,
      last_seq = excluded.last_seq,
      due_at = case when push_pending.count > 0 then push_pending.due_at
        when push_pending.cooldown_until > excluded.due_at then push_pending.cooldown_until
        else excluded.due_at end,
      count = push_pending.count + excluded.count`;
}

/**
 * Cancels the pushes about `peerId`, in the transaction that marks all of their messages read.
 *
 * @param read.device the device's name, for the push log; empty if unknown
 */
export async function markPushesRead(
  tx: Queries,
  { userId, peerId, device, now }: { userId: string; peerId: string; device: string; now: number },
): Promise<void> {
  const cancelled = await cancelPending(tx, userId, peerId);
  if (cancelled)
    await markSeenInLog(tx, [{ userId, peerId, detail: device, jobLogIds: cancelled.jobLogIds }], now);
}

/** Cancels the pushes about `peerId`, in the transaction that blocks them. */
export async function cancelPushes(tx: Queries, userId: string, peerId: string, now: number): Promise<void> {
  const cancelled = await cancelPending(tx, userId, peerId);
  if (!cancelled) return;
  await tx.run`
    update push_log set at = ${now}, outcome = 'blocked', reason = '', detail = '', waiting_until = null
    where id in ${inList(cancelled.jobLogIds)}`;
  if (cancelled.jobLogIds.length === 0)
    await addToPushLog(tx, { userId, peerId, kind: 'message', outcome: 'blocked' }, now);
}

/** Removes the pending push and the jobs about `peerId`. @returns their log entries; `undefined` if there was nothing */
async function cancelPending(
  tx: Queries,
  userId: string,
  peerId: string,
): Promise<{ jobLogIds: string[] } | undefined> {
  const [due, jobs] = await Promise.all([
    tx.run`delete from push_pending where user_id = ${userId} and peer_id = ${peerId} and count > 0`,
    tx.all<{ log_id: string }>`
      delete from push_jobs where user_id = ${userId} and peer_id = ${peerId} returning log_id`,
  ]);
  if (due === 0 && jobs.length === 0) return undefined;
  return { jobLogIds: jobs.filter((job) => job.log_id !== '').map((job) => job.log_id) };
}
