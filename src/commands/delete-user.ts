import { eraseUser } from '../accounts/account-status.ts';
import type { Tx } from '../db/db.ts';
import { holdInboxes, removeEvents } from '../inbox/inbox.ts';
import { findUsersToNotifyOf, removePushesOfUser } from '../push/queue/pushes-of-user.ts';
import { removeFriendsOfUser } from '../relations/friends.ts';

/**
 * Deletes an account: no one finds the user any more, and what is stored of them goes at once, beside their name, which
 * stays taken, the conversations, which their peers go on reading, and their blocks. A repeat changes nothing.
 *
 * @returns the sessions that ended
 * @throws {ServiceError} `not-found`
 */
export async function deleteUser(tx: Tx, id: string): Promise<string[]> {
  await holdInboxes(tx, [id, ...(await findUsersToNotifyOf(tx, id))]);
  const sessionIds = await eraseUser(tx, id);
  await removePushesOfUser(tx, id);
  await removeFriendsOfUser(tx, id);
  await removeEvents(tx, id);
  return sessionIds;
}
