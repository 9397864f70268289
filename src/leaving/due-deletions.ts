import { type Inboxes, withInboxes } from '../inbox/inbox.ts';
import { findUsersToNotifyOf } from '../push/decide/pushes-of-user.ts';
import { eachUser } from './each-user.ts';
import { eraseAccount } from './remove-user.ts';

/**
 * Erases the accounts whose grace period is over, each in a transaction of its own. Several nodes may do it at once: the one that removes
 * the row of `deletions` erases the account, unless its user removes the row and so keeps the account.
 *
 * @param stopping ends it after the account that is being erased
 * @throws {AggregateError} see {@link eachUser}
 */
export function eraseDueAccounts(inboxes: Inboxes, now: number, stopping?: AbortSignal): Promise<void> {
  return eachUser(
    (limit) => inboxes.db.all<{ user_id: string }>`
      select user_id from deletions where due_at <= ${now} order by due_at limit ${limit}`,
    (userId) => eraseIfDue(inboxes, userId, now),
    stopping,
  );
}

async function eraseIfDue(inboxes: Inboxes, userId: string, now: number): Promise<void> {
  const others = await findUsersToNotifyOf(inboxes.db, userId);
  await withInboxes(inboxes, [userId, ...others], now, async (tx, append) => {
    const isDue = await tx.run`delete from deletions where user_id = ${userId} and due_at <= ${now}`;
    if (!isDue) return;
    // An operator restores accounts too, with an earlier version perhaps, which leaves the row.
    const user = await tx.get<{ status: string }>`select status from users where id = ${userId}`;
    if (user?.status === 'deleted') await eraseAccount(tx, append, userId, now);
  });
}
