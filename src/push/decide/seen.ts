import type { Db, Queries } from '../../db/db.ts';
import { asTable } from '../../db/fragments.ts';
import { lockFreeInboxes, lockInboxes } from '../../inbox/locked-inboxes.ts';
import { type CancelledPushes, logCancelled } from '../log/push-log.ts';
import type { Acknowledgement } from './attention.ts';
import { pairKey } from './pending.ts';

/** Users that one transaction locks. */
const BATCH_USERS = 64;
const SEEN = { user_id: 'text', seq: 'bigint' } as const;

interface CancelledRow {
  readonly user_id: string;
  readonly peer_id: string;
  /** The log entry of a job, or of a pending push that is held in quiet hours; null for another one. */
  readonly log_id: string | null;
}

/**
 * Cancels the pushes about messages that attentive devices acknowledged, many users in one transaction. Where nothing is pending,
 * as for most acknowledgements of other events, it only reads. Inboxes that another transaction has locked are waited for one by
 * one, so that everything is written when this returns.
 *
 * @param now epoch milliseconds
 * @throws {AggregateError} after all users were tried
 */
export async function markPushesSeen(db: Db, seen: readonly Acknowledgement[], now: number): Promise<void> {
  const faults: unknown[] = [];
  for (let i = 0; i < seen.length; i += BATCH_USERS) {
    const batch = seen.slice(i, i + BATCH_USERS);
    faults.push(...(await markBatchSeen(db, batch, now).catch((error: unknown) => [error])));
  }
  if (faults.length > 0) throw new AggregateError(faults, 'seen messages could not be written');
}

/** @returns the faults of single users */
async function markBatchSeen(db: Db, seen: readonly Acknowledgement[], now: number): Promise<unknown[]> {
  const ids = await findUsersWithPushes(db, seen);
  const batch = seen.filter(({ userId }) => ids.has(userId));
  if (batch.length === 0) return [];
  const held = await db
    .transaction(async (tx) => {
      const heads = await lockFreeInboxes(
        tx,
        batch.map(({ userId }) => userId),
      );
      await cancelSeen(
        tx,
        batch.filter(({ userId }) => heads.has(userId)),
        now,
      );
      return batch.filter(({ userId }) => !heads.has(userId));
    })
    .catch((error) => {
      if (batch.length === 1 || !db.isStatementFault(error)) throw error;
      return batch;
    });
  const results = await Promise.allSettled(
    held.map((one) =>
      db.transaction(async (tx) => {
        await lockInboxes(tx, [one.userId]);
        await cancelSeen(tx, [one], now);
      }),
    ),
  );
  return results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []));
}

/** Users with a pending push, or a job, about a message that was seen. A push about it cannot begin later: it was stored before. */
async function findUsersWithPushes(db: Db, seen: readonly Acknowledgement[]): Promise<Set<string>> {
  const rows = await db.all<{ user_id: string }>`
    select wanted.user_id from ${asTable(SEEN, toRecords(seen))} as wanted
    where exists (select 1 from push_pending pending
        where pending.user_id = wanted.user_id and pending.last_seq <= wanted.seq and pending.count > 0)
      or exists (select 1 from push_jobs jobs where jobs.user_id = wanted.user_id and jobs.last_seq <= wanted.seq)`;
  return new Set(rows.map((row) => row.user_id));
}

/** The caller has locked the users' inboxes. */
async function cancelSeen(tx: Queries, seen: readonly Acknowledgement[], now: number): Promise<void> {
  if (seen.length === 0) return;
  const wanted = toRecords(seen);
  const [pending, jobs] = await Promise.all([
    tx.all<CancelledRow>`
      delete from push_pending where (user_id, peer_id) in (
        select pending.user_id, pending.peer_id from ${asTable(SEEN, wanted)} as wanted
        join push_pending pending on pending.user_id = wanted.user_id and pending.last_seq <= wanted.seq
        where pending.count > 0)
      returning user_id, peer_id, quiet_log as log_id`,
    tx.all<CancelledRow>`
      delete from push_jobs where (subscription_id, peer_id) in (
        select jobs.subscription_id, jobs.peer_id from ${asTable(SEEN, wanted)} as wanted
        join push_jobs jobs on jobs.user_id = wanted.user_id and jobs.last_seq <= wanted.seq)
      returning user_id, peer_id, log_id`,
  ]);
  const deviceOf = new Map(seen.map(({ userId, device }) => [userId, device]));
  const messages = new Map<string, CancelledPushes>();
  for (const { user_id: userId, peer_id: peerId, log_id } of [...pending, ...jobs]) {
    const key = pairKey({ userId, peerId });
    const known = messages.get(key) ?? { userId, peerId, detail: deviceOf.get(userId) ?? '', jobLogIds: [] };
    messages.set(key, known);
    if (log_id) known.jobLogIds.push(log_id);
  }
  await logCancelled(tx, 'seen', [...messages.values()], now);
}

function toRecords(seen: readonly Acknowledgement[]): { user_id: string; seq: number }[] {
  return seen.map(({ userId, seq }) => ({ user_id: userId, seq }));
}
