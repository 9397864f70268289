import type { Queries } from '../../db/db.ts';

/** The users to whom something of `id` still has to be pushed. */
export async function findUsersToNotifyOf(db: Queries, id: string): Promise<string[]> {
  const rows = await db.all<{ user_id: string }>`
    select user_id from push_due
    where peer_id = ${id} and user_id in (select peer_id from conversations where user_id = ${id})
    union select user_id from push_jobs
    where peer_id = ${id} and user_id in (select peer_id from conversations where user_id = ${id})`;
  return rows.map((row) => row.user_id);
}

/**
 * In the transaction that deletes an account, with its inbox and those of `findUsersToNotifyOf` locked: removes its
 * subscriptions, unconfirmed ones too, its push log, and all that waits to be pushed to it or about it. Jobs come before
 * the log, so that who records one that is under way comes before this or finds the account deleted.
 */
export async function removePushesOfUser(tx: Queries, id: string): Promise<void> {
  await tx.run`delete from push_jobs where user_id = ${id}`;
  await tx.run`delete from push_due where user_id = ${id}`;
  await tx.run`delete from push_subscriptions where user_id = ${id}`;
  await tx.run`delete from push_last_confirmed where user_id = ${id}`;
  await tx.run`delete from push_log where user_id = ${id}`;
  await tx.run`
    delete from push_jobs
    where peer_id = ${id} and user_id in (select peer_id from conversations where user_id = ${id})`;
  await tx.run`
    delete from push_due
    where peer_id = ${id} and user_id in (select peer_id from conversations where user_id = ${id})`;
}
