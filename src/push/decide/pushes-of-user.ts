import type { Queries } from '../../db/db.ts';

/** Ids of the users with a pending push or a job about `id`. */
export async function findUsersToNotifyOf(db: Queries, id: string): Promise<string[]> {
  const rows = await db.all<{ user_id: string }>`
    select user_id from push_pending
    where peer_id = ${id} and user_id in (select peer_id from conversations where user_id = ${id})
    union select user_id from push_jobs
    where peer_id = ${id} and user_id in (select peer_id from conversations where user_id = ${id})`;
  return rows.map((row) => row.user_id);
}

/**
 * Removes a user's subscriptions, push log, quiet hours, and all pending pushes and jobs to them or about them. It runs in the
 * transaction that deletes the account, with the inboxes of the user and of `findUsersToNotifyOf` locked. Jobs are
 * removed before the log: recording the result of a job in flight either comes before or finds the account deleted.
 */
export async function removePushesOfUser(tx: Queries, id: string): Promise<void> {
  await tx.run`delete from push_jobs where user_id = ${id}`;
  await tx.run`delete from push_pending where user_id = ${id}`;
  await tx.run`delete from push_subscriptions where user_id = ${id}`;
  await tx.run`delete from push_last_confirmed where user_id = ${id}`;
  await tx.run`delete from push_log where user_id = ${id}`;
  await tx.run`delete from quiet where user_id = ${id}`;
  await tx.run`
    delete from push_jobs
    where peer_id = ${id} and user_id in (select peer_id from conversations where user_id = ${id})`;
  await tx.run`
    delete from push_pending
    where peer_id = ${id} and user_id in (select peer_id from conversations where user_id = ${id})`;
}
