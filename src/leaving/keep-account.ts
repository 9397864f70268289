import { accountSuspended, findSuspension, restoreUser } from '../accounts/account-status.ts';
import { lockDeletion } from '../accounts/leaving/deletions.ts';
import { takeTicket } from '../accounts/leaving/tickets.ts';
import { logAct } from '../accounts/log/account-log.ts';
import { queueNotice } from '../accounts/recovery/notices.ts';
import { insertSession } from '../accounts/sessions.ts';
import { newId } from '../db/ids.ts';
import { ServiceError } from '../errors.ts';
import { type Inboxes, withInboxes } from '../inbox/inbox.ts';
import type { UserRow } from '../users/schemas.ts';

/** The dependencies of a deletion that a user asks for, and of its end. */
export interface LeavingContext extends Inboxes {
  /** How the client names itself (User-Agent). */
  readonly device: string;
  /** Its network address; '' if unknown. */
  readonly address: string;
  /** Whether the server sends mails. */
  readonly hasMail: boolean;
  readonly now: () => number;
}

/**
 * Undoes the deletion of an account by the ticket of a login, which is used up, and signs its user in. All is back but sessions and push
 * subscriptions.
 *
 * @throws {ServiceError} `invalid`, word `ticket_invalid`, whatever is wrong; `forbidden` if the operator suspended the account meanwhile
 */
export async function keepAccount(
  { device, address, hasMail, now, ...inboxes }: LeavingContext,
  secret: string,
): Promise<{ user: UserRow; sessionId: string }> {
  const at = now();
  const ticket = await takeTicket(inboxes.db, 'keep', secret, at);
  if (!ticket) throw ticketInvalid();
  const { userId } = ticket;
  return withInboxes(inboxes, [userId], at, async (tx, append) => {
    if (!(await lockDeletion(tx, userId))) throw ticketInvalid();
    if (await findSuspension(tx, userId)) throw await accountSuspended(tx, userId);
    const user = await restoreUser(tx, userId);
    const sessionId = newId(at);
    await insertSession(tx, { id: sessionId, userId, device, address }, 'signed_in', at);
    await logAct(tx, { userId, what: 'deletion_undone', at, sessionId, device, address });
    append.publish({ type: 'user-changed', userId, changesPresence: true });
    if (hasMail) {
      await queueNotice(tx, 'deletion_undone', userId, {}, at);
      append.publish({ type: 'mail-queued' });
    }
    return { user, sessionId };
  });
}

/** The same for every cause, so that a caller who tries tickets learns nothing. */
function ticketInvalid(): ServiceError {
  return new ServiceError('invalid', 'ticket_invalid', '操作已过期或已完成，请重新登录');
}
