import type { Db, Queries } from '../../db/db.ts';
import { holdInbox } from '../../inbox/inbox.ts';
import { addToPushLog, markSeenInLog } from '../log/push-log.ts';

/** How long a message has to be seen before it is worth a push (architecture 8.1). */
const SEEN_WITHIN_MS = 5_000;

// Rows of a user are written with his inbox locked only, so that whoever writes several of them waits for nobody.

/** In the transaction of the message: if nobody sees it, its recipient is to be told of it. */
export async function notePushDue(
  tx: Queries,
  { userId, peerId, seq, now }: { userId: string; peerId: string; seq: number; now: number },
): Promise<void> {
  await tx.run`
    insert into push_due (user_id, peer_id, first_seq, last_seq, count, due_at)
    values (${userId}, ${peerId}, ${seq}, ${seq}, 1, ${now + SEEN_WITHIN_MS})
    on conflict (user_id, peer_id) do update set
      first_seq = case when push_due.count = 0 then excluded.first_seq else push_due.first_seq end,
      last_seq = excluded.last_seq,
      due_at = case when push_due.count > 0 then push_due.due_at
        when push_due.rests_until > excluded.due_at then push_due.rests_until else excluded.due_at end,
      count = push_due.count + 1`;
}

/**
 * In the transaction of the mark: everything of `peerId` was read, so nothing of it is worth a push.
 *
 * @param read.device where, as in {@link noteSeen}; empty if it is not known
 */
export async function noteRead(
  tx: Queries,
  { userId, peerId, device, now }: { userId: string; peerId: string; device: string; now: number },
): Promise<void> {
  const waited = await withdraw(tx, userId, peerId);
  if (waited) await markSeenInLog(tx, { userId, peerId, detail: device, jobLogIds: waited.jobLogIds }, now);
}

/** In the transaction of a block: nothing of `peerId` is told any more. */
export async function cancelPushes(tx: Queries, userId: string, peerId: string, now: number): Promise<void> {
  const waited = await withdraw(tx, userId, peerId);
  if (!waited) return;
  await tx.run`
    update push_log set at = ${now}, outcome = 'blocked', reason = '', detail = '', waiting_until = null
    where id in ${tx.list(waited.jobLogIds)}`;
  if (waited.jobLogIds.length === 0)
    await addToPushLog(tx, { userId, peerId, kind: 'message', outcome: 'blocked' }, now);
}

/**
 * An attentive device acknowledged the user's inbox up to `seq`, so nothing up to there is worth a push.
 *
 * @param device the word by which the user knows that device, for the log
 */
export async function noteSeen(
  db: Db,
  { userId, seq, device, now }: { userId: string; seq: number; device: string; now: number },
): Promise<void> {
  await db.transaction(async (tx) => {
    await holdInbox(tx, userId);
    const [due, jobs] = await Promise.all([
      tx.all<{ peer_id: string }>`
        delete from push_due where user_id = ${userId} and last_seq <= ${seq} and count > 0 returning peer_id`,
      tx.all<{ peer_id: string; log_id: string }>`
        delete from push_jobs where user_id = ${userId} and last_seq <= ${seq} returning peer_id, log_id`,
    ]);
    for (const peerId of new Set([...due, ...jobs].map((row) => row.peer_id))) {
      const jobLogIds = jobs
        .filter((job) => job.peer_id === peerId && job.log_id !== '')
        .map((job) => job.log_id);
      await markSeenInLog(tx, { userId, peerId, detail: device, jobLogIds }, now);
    }
  });
}

/** Takes back all that waits to be told of `peerId`. @returns `undefined` if nothing did */
async function withdraw(
  tx: Queries,
  userId: string,
  peerId: string,
): Promise<{ jobLogIds: string[] } | undefined> {
  const [due, jobs] = await Promise.all([
    tx.run`delete from push_due where user_id = ${userId} and peer_id = ${peerId} and count > 0`,
    tx.all<{ log_id: string }>`
      delete from push_jobs where user_id = ${userId} and peer_id = ${peerId} returning log_id`,
  ]);
  if (due === 0 && jobs.length === 0) return undefined;
  return { jobLogIds: jobs.filter((job) => job.log_id !== '').map((job) => job.log_id) };
}
