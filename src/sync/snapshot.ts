import { type Static, Type } from 'typebox';
import { readConversations } from '../chat/conversations.ts';
import { Conversation, PersonName } from '../chat/schemas.ts';
import type { Db } from '../db/db.ts';
import { LOG_EVENTS, Quiet } from '../events/log-events.ts';
import { NextPage } from '../http/pages.ts';
import { readHead } from '../inbox/inbox.ts';
import { readQuiet } from '../push/quiet/quiet.ts';
import { readBlockedPage } from '../relations/blocks.ts';
import { readFriends } from '../relations/friends.ts';
import { countMessageRequests } from '../relations/message-requests.ts';
import { BlockedUser, FriendEntry } from '../relations/schemas.ts';
import { Privacy, toPrivacy } from '../users/privacy.ts';
import { OwnUser, toOwnUser } from '../users/schemas.ts';
import { getUser } from '../users/users.ts';

export const NextPages = Type.Object(
  { friends: NextPage, requests: NextPage, blocks: NextPage, conversations: NextPage },
  { description: 'For each list that is longer than a page, the cursor of its next page' },
);

/** From what a device without stored data starts: the first page of each list (docs/protocol.md, sync). */
export const Snapshot = Type.Object({
  epoch: Type.String(),
  seq: Type.Integer({ description: 'Number of the last event that the snapshot includes' }),
  profile: OwnUser,
  settings: LOG_EVENTS.settings,
  privacy: Privacy,
  quiet: Quiet,
  friends: Type.Array(FriendEntry),
  requests: Type.Array(FriendEntry),
  messageRequests: Type.Integer({ description: 'How many message requests wait' }),
  blocks: Type.Array(BlockedUser),
  conversations: Type.Array(Conversation),
  pinned: Type.Array(Conversation, { description: 'The pinned ones, the latest pin first' }),
  people: Type.Array(PersonName, { description: 'The peers of these conversations' }),
  next: NextPages,
});
export type Snapshot = Static<typeof Snapshot>;

/**
 * Reads the first page of each list as of `seq` of the user's log. Takes no lock, so no writer waits for it.
 */
export async function takeSnapshot(db: Db, userId: string, epoch: string, now: number): Promise<Snapshot> {
  return db.snapshot(async (snapshot) => {
    const [seq, user, quiet, friends, requests, messageRequests, blocks, conversations] = await Promise.all([
      readHead(snapshot, userId),
      getUser(snapshot, userId),
      readQuiet(snapshot, userId),
      readFriends(snapshot, userId, { list: 'friends' }),
      readFriends(snapshot, userId, { list: 'requests' }),
      countMessageRequests(snapshot, userId),
      readBlockedPage(snapshot, userId, {}),
      readConversations(snapshot, userId, {}, now),
    ]);
    const { push_enabled, dnd_enabled, push_preview } = user;
    return {
      epoch,
      seq,
      profile: toOwnUser(user),
      settings: { push_enabled, dnd_enabled, push_preview },
      privacy: toPrivacy(user),
      quiet,
      friends: friends.items,
      requests: requests.items,
      messageRequests,
      blocks: blocks.items,
      conversations: conversations.items,
      pinned: conversations.pinned ?? [],
      people: conversations.people,
      next: Object.fromEntries(
        Object.entries({ friends, requests, blocks, conversations }).flatMap(([list, { next }]) =>
          next === undefined ? [] : [[list, next]],
        ),
      ),
    };
  });
}
