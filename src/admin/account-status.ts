import { restoreByOperator, suspendByOperator } from '../accounts/account-status.ts';
import { findDeletion } from '../accounts/leaving/deletions.ts';
import { type Inboxes, withInboxes } from '../inbox/inbox.ts';
import { eraseAccount } from '../leaving/remove-user.ts';
import { findUsersToNotifyOf } from '../push/decide/pushes-of-user.ts';
import { getUser } from '../users/users.ts';

interface StatusContext extends Inboxes {
  /** The name of the API key. */
  readonly key: string;
  /** Epoch milliseconds. */
  readonly at: number;
  /** Whether mails are sent. */
  readonly hasMail: boolean;
}

// Each returns how many sessions ended, which every node refuses then, and throws `not-found`, also for a deleted user, unless their
// deletion can be undone.

/** Suspends a user as the operator's command does it. A repeat replaces reason and end of the suspension by none. */
export async function suspendByKey(
  { key, at, hasMail, ...inboxes }: StatusContext,
  userId: string,
): Promise<number> {
  return withInboxes(inboxes, [userId], at, async (tx, append) => {
    const suspension = { reason: '', until: null, at };
    const sessionIds = await suspendByOperator(tx, userId, suspension, hasMail, key);
    if (sessionIds.length > 0) append.publish({ type: 'sessions-ended', sessionIds, bySuspension: true });
    append.publish({ type: 'user-changed', userId });
    if (hasMail) append.publish({ type: 'mail-queued' });
    return sessionIds.length;
  });
}

/** Restores a user who is suspended, or who asked for the deletion of their account; a repeat changes nothing. */
export async function restoreByKey(
  { key, at, hasMail, ...inboxes }: StatusContext,
  userId: string,
): Promise<number> {
  return withInboxes(inboxes, [userId], at, async (tx, append) => {
    const isLeaving = (await findDeletion(tx, userId)) !== undefined;
    if (!isLeaving && (await getUser(tx, userId)).status === 'active') return 0;
    await restoreByOperator(tx, userId, at, hasMail, key);
    append.publish({ type: 'user-changed', userId, changesPresence: isLeaving });
    if (hasMail) append.publish({ type: 'mail-queued' });
    return 0;
  });
}

/** Deletes an account as the operator's command does it. */
export async function deleteByKey({ at, ...inboxes }: StatusContext, userId: string): Promise<number> {
  const others = await findUsersToNotifyOf(inboxes.db, userId);
  return withInboxes(inboxes, [userId, ...others], at, async (tx, append) => {
    if (!(await findDeletion(tx, userId))) await getUser(tx, userId);
    const sessionIds = await eraseAccount(tx, append, userId, at);
    if (sessionIds.length > 0) append.publish({ type: 'sessions-ended', sessionIds });
    return sessionIds.length;
  });
}
