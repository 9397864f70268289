import { beginDeletion } from '../accounts/leaving/deletions.ts';
import { logAct } from '../accounts/log/account-log.ts';
import { queueNotice } from '../accounts/recovery/notices.ts';
import { requireConfirmed } from '../accounts/step-up/step-up.ts';
import { withInboxes } from '../inbox/inbox.ts';
import { endPushesOfUser, findUsersToNotifyOf } from '../push/decide/pushes-of-user.ts';
import type { LeavingContext } from './keep-account.ts';
import { eraseAccount } from './remove-user.ts';

/**
 * Deletes the account of the caller, who can undo it for `graceMs`: by `keepAccount`. Without grace it is erased at once.
 *
 * @returns until when it can be undone, and how many sessions ended
 * @throws {ServiceError} as `requireConfirmed`
 */
export async function askForDeletion(
  { device, address, hasMail, now, ...inboxes }: LeavingContext,
  { userId, sessionId }: { userId: string; sessionId: string },
  graceMs: number,
): Promise<{ until: number; ended: number }> {
  const at = now();
  // What is refused here locks no inbox of another user.
  await requireConfirmed(inboxes.db, sessionId, at);
  const others = await findUsersToNotifyOf(inboxes.db, userId);
  const until = at + graceMs;
  return withInboxes(inboxes, [userId, ...others], at, async (tx, append) => {
    await requireConfirmed(tx, sessionId, at);
    let sessionIds: string[];
    if (graceMs === 0) sessionIds = await eraseAccount(tx, append, userId, at);
    else {
      sessionIds = await beginDeletion(tx, userId, { askedAt: at, dueAt: until });
      await endPushesOfUser(tx, userId, at);
      const detail = { until, ended: sessionIds.length };
      await logAct(tx, { userId, what: 'deletion_asked', at, sessionId, device, address, detail });
      if (hasMail) await queueNotice(tx, 'deletion_asked', userId, {}, at);
      append.publish({ type: 'user-changed', userId, changesPresence: true });
    }
    append.publish({ type: 'sessions-ended', sessionIds, byLeaving: true });
    if (hasMail) append.publish({ type: 'mail-queued' });
    return { until, ended: sessionIds.length };
  });
}
