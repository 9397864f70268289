import { eraseUser } from '../accounts/account-status.ts';
import { removeSettingsOfUser } from '../chat/keep-conversation.ts';
import type { Tx } from '../db/db.ts';
import { removeEvents } from '../inbox/inbox.ts';
import { lockInboxes } from '../inbox/locked-inboxes.ts';
import { removeUnsentPictures } from '../pictures/remove-pictures.ts';
import { removeAvatars } from '../profiles/avatars.ts';
import { findUsersToNotifyOf, removePushesOfUser } from '../push/decide/pushes-of-user.ts';
import { removeFriendsOfUser } from '../relations/friends.ts';
import { removeRequestsOfUser } from '../relations/message-requests.ts';
import { endReportsOfUser } from '../reports/reports.ts';

/**
 * Deletes an account: the user disappears from every list, and what is stored of them is removed, except their name, which
 * stays taken, their conversations, which peers can still read, and their blocks. A repeat changes nothing.
 *
 * @returns the ids of the ended sessions
 * @throws {ServiceError} `not-found`
 */
export async function deleteUser(tx: Tx, id: string): Promise<string[]> {
  await lockInboxes(tx, [id, ...(await findUsersToNotifyOf(tx, id))]);
  return removeUser(tx, id, Date.now());
}

/** {@link deleteUser} in a transaction that has locked the inboxes of the user and of `findUsersToNotifyOf`. */
export async function removeUser(tx: Tx, id: string, now: number): Promise<string[]> {
  const sessionIds = await eraseUser(tx, id);
  await removePushesOfUser(tx, id, now);
  await removeFriendsOfUser(tx, id);
  await removeRequestsOfUser(tx, id);
  await removeSettingsOfUser(tx, id);
  await removeUnsentPictures(tx, id, now);
  await removeAvatars(tx, id);
  await endReportsOfUser(tx, id, now);
  await removeEvents(tx, id);
  return sessionIds;
}
