import { type Static, Type } from 'typebox';
import { OwnUser, toOwnUser } from '../accounts/schemas.ts';
import { getUser } from '../accounts/users.ts';
import { listBlocked } from '../blocks/blocks.ts';
import { BlockedUser } from '../blocks/schemas.ts';
import { listConversations } from '../chat/conversations.ts';
import { Conversation } from '../chat/schemas.ts';
import type { Db } from '../db/db.ts';
import { listFriends } from '../friends/friends.ts';
import { FriendEntry } from '../friends/schemas.ts';
import { holdInbox } from '../inbox/inbox.ts';

/** What names somebody in a list. */
export const Named = Type.Object({
  id: Type.String(),
  username: Type.String(),
  nickname: Type.String(),
  avatar: Type.String(),
});

/** Everything that a device which knows nothing starts from (DESIGN 5). */
export const Snapshot = Type.Object({
  epoch: Type.String(),
  seq: Type.Integer({ description: 'The event of the log up to which all this is true' }),
  profile: OwnUser,
  settings: Type.Object({
    push_enabled: Type.Integer(),
    dnd_enabled: Type.Integer(),
    push_preview: Type.String(),
  }),
  friends: Type.Array(FriendEntry),
  requests: Type.Array(FriendEntry),
  blocks: Type.Array(BlockedUser),
  conversations: Type.Array(Conversation),
  people: Type.Array(Named, {
    description: 'With whom there are conversations, so that nobody has to be asked for by himself',
  }),
});
export type Snapshot = Static<typeof Snapshot>;

/** What the user's devices must know, with the place in his log at which it is true: he gets no event meanwhile. */
export async function takeSnapshot(db: Db, userId: string, epoch: string): Promise<Snapshot> {
  return db.transaction(async (tx) => {
    const seq = await holdInbox(tx, userId);
    const [user, friends, blocks, conversations, people] = await Promise.all([
      getUser(tx, userId),
      listFriends(tx, userId),
      listBlocked(tx, userId),
      listConversations(tx, userId),
      tx.all<Static<typeof Named>>`
        select users.id, users.username, users.nickname, users.avatar
        from conversations join users on users.id = conversations.peer_id
        where conversations.user_id = ${userId} and users.status <> 'deleted' order by users.id`,
    ]);
    const { push_enabled, dnd_enabled, push_preview } = user;
    return {
      epoch,
      seq,
      profile: toOwnUser(user),
      settings: { push_enabled, dnd_enabled, push_preview },
      friends: friends.filter((one) => one.state === 'friends'),
      requests: friends.filter((one) => one.state !== 'friends'),
      blocks,
      conversations,
      people,
    };
  });
}
