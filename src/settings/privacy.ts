import type { Queries } from '../db/db.ts';
import type { Flag } from '../http/validation.ts';
import { type Inboxes, withInboxes } from '../inbox/inbox.ts';
import { type Privacy, type PrivacyBody, type PrivacyRow, toPrivacy } from '../users/privacy.ts';
import { getUser, writePrivacy } from '../users/users.ts';

/** @throws {ServiceError} `not-found` */
export async function readPrivacy(db: Queries, userId: string): Promise<Privacy> {
  return toPrivacy(await getUser(db, userId));
}

/**
 * Changes the answers that were sent, and appends a `privacy` event with all of them for the user's devices. A body without fields
 * changes nothing and appends nothing. Messages, marks and friend requests lock the user's log too, so those that are answered after the
 * change respect it. All nodes drop what they remember of the user's presence and entry of the directory before this resolves.
 *
 * @param now epoch milliseconds
 * @throws {ServiceError} `not-found`
 */
export async function updatePrivacy(
  inboxes: Inboxes,
  userId: string,
  body: PrivacyBody,
  now: number,
): Promise<Privacy> {
  return withInboxes(inboxes, [userId], now, async (tx, append) => {
    const user = await getUser(tx, userId);
    if (Object.keys(body).length === 0) return toPrivacy(user);
    const row: PrivacyRow = {
      who_messages: body.messages ?? user.who_messages,
      who_friend_requests: body.friendRequests ?? user.who_friend_requests,
      who_presence: body.presence ?? user.who_presence,
      shows_read: toFlag(body.readReceipts) ?? user.shows_read,
      is_listed: toFlag(body.listed) ?? user.is_listed,
    };
    await writePrivacy(tx, userId, row);
    const changesPresence = row.who_presence !== user.who_presence;
    if (changesPresence || row.is_listed !== user.is_listed)
      append.publish({ type: 'user-changed', userId, changesPresence });
    const privacy = toPrivacy(row);
    await append(userId, 'privacy', privacy);
    return privacy;
  });
}

function toFlag(value: boolean | undefined): Flag | undefined {
  return value === undefined ? undefined : value ? 1 : 0;
}
