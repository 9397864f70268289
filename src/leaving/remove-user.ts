import { eraseUser } from '../accounts/account-status.ts';
import { holdName } from '../accounts/held-names.ts';
import { removeSettingsOfUser } from '../chat/keeping/keep-conversation.ts';
import type { Tx } from '../db/db.ts';
import { recordChange } from '../events/changes.ts';
import { type Append, closeInbox } from '../inbox/inbox.ts';
import { lockInboxes } from '../inbox/locked-inboxes.ts';
import { removeMailsOfUser } from '../mail/mail-jobs.ts';
import { removeUnsentPictures } from '../pictures/remove-pictures.ts';
import { removeLastSeen } from '../presence/last-seen.ts';
import { removeAvatars } from '../profiles/avatars.ts';
import { findUsersToNotifyOf, removePushesOfUser } from '../push/decide/pushes-of-user.ts';
import { removeBlocksOfUser } from '../relations/blocks.ts';
import { removeFriendsOfUser } from '../relations/friends.ts';
import { removeRequestsOfUser } from '../relations/message-requests.ts';
import { endReportsOfUser } from '../reports/reports.ts';
import { beginErasure } from './erasures.ts';

/**
 * Erases an account: the user disappears from every list, and what is stored of them is removed (docs/data.md), except their name, which
 * stays taken without being stored, and their conversations, which peers can still read. A repeat changes nothing. For a command: the
 * servers that run log it.
 *
 * @returns the ids of the ended sessions
 * @throws {ServiceError} `not-found`
 */
export async function deleteUser(tx: Tx, id: string): Promise<string[]> {
  await lockInboxes(tx, [id, ...(await findUsersToNotifyOf(tx, id))]);
  const sessionIds = await removeUser(tx, id, Date.now());
  await recordChange(tx, { type: 'operator-act', act: 'account_erased', userId: id, count: 1 });
  return sessionIds;
}

/** {@link deleteUser} for a server, in `withInboxes` of the user and of `findUsersToNotifyOf`. All nodes forget the user after it. */
export async function eraseAccount(tx: Tx, append: Append, id: string, now: number): Promise<string[]> {
  const sessionIds = await removeUser(tx, id, now);
  append.publish({ type: 'user-changed', userId: id, changesPresence: true });
  append.publish({ type: 'user-erased', userId: id });
  return sessionIds;
}

async function removeUser(tx: Tx, id: string, now: number): Promise<string[]> {
  const sessionIds = await eraseUser(tx, id);
  await removePushesOfUser(tx, id, now);
  await holdName(tx, id);
  // Once more: an act of an operator, or the begin of a download, locks the user's row alone and may have queued one.
  await removeMailsOfUser(tx, id);
  await removeFriendsOfUser(tx, id);
  await removeBlocksOfUser(tx, id);
  await removeRequestsOfUser(tx, id);
  await removeSettingsOfUser(tx, id);
  await removeUnsentPictures(tx, id, now);
  await removeAvatars(tx, id);
  await removeLastSeen(tx, id);
  await endReportsOfUser(tx, id, now);
  await closeInbox(tx, id);
  await beginErasure(tx, id);
  return sessionIds;
}
