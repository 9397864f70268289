import type { Queries } from '../../db/db.ts';
import { endEntries } from '../log/push-log.ts';

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
 * Removes a user's subscriptions, and all pending pushes and jobs to them or about them. It runs in the transaction that deletes the account,
 * with the inboxes of the user and of `findUsersToNotifyOf` locked. Entries of push logs that say `waiting` end as `account_closed`.
 */
export async function endPushesOfUser(tx: Queries, id: string, now: number): Promise<void> {
  const ownJobs = await tx.all<{
    log_id: string;
  }>`delete from push_jobs where user_id = ${id} returning log_id`;
  const ownPending = await tx.all<{ log_id: string | null }>`
    delete from push_pending where user_id = ${id} returning quiet_log as log_id`;
  const jobs = await tx.all<{ log_id: string }>`
    delete from push_jobs
    where peer_id = ${id} and user_id in (select peer_id from conversations where user_id = ${id}) returning log_id`;
  const pending = await tx.all<{ log_id: string | null }>`
    delete from push_pending
    where peer_id = ${id} and user_id in (select peer_id from conversations where user_id = ${id})
    returning quiet_log as log_id`;
  const waiting = [...ownJobs, ...ownPending, ...jobs, ...pending].flatMap(({ log_id }) => log_id || []);
  await endEntries(tx, waiting, { outcome: 'account_closed' }, now);
  await tx.run`delete from push_subscriptions where user_id = ${id}`;
}

/**
 * {@link endPushesOfUser}, and removes the user's push log and quiet hours. Jobs are removed before the log: recording the result of a job in
 * flight either comes before or finds the account deleted.
 */
export async function removePushesOfUser(tx: Queries, id: string, now: number): Promise<void> {
  await endPushesOfUser(tx, id, now);
  await tx.run`delete from push_last_confirmed where user_id = ${id}`;
  await tx.run`delete from push_log where user_id = ${id}`;
  await tx.run`delete from quiet where user_id = ${id}`;
}
