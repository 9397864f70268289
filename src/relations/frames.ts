import { Type } from 'typebox';
import { type FrameTable, frameKind } from '../frames/frame-kinds.ts';
import type { Services } from '../services.ts';
import { changeFriendship, listFriends } from './friends.ts';
import { FRIEND_ACTIONS, FriendBody, FriendsFields } from './schemas.ts';

const FriendFrame = Type.Object({
  op: Type.Union(FRIEND_ACTIONS.map((action) => Type.Literal(action))),
  ...FriendBody.properties,
});

/** The frames `friend` and `friends`; the same by HTTP is in `friend-routes.ts`. */
export function friendFrames({ db, events, friendLimits, now }: Services): FrameTable {
  return new Map([
    [
      'friend',
      frameKind(FriendFrame, async (from, { op, userId }) => ({
        userId,
        state: await changeFriendship({ db, events, friendLimits }, from, op, userId, now()),
      })),
    ],
    ['friends', frameKind(FriendsFields, (from, frame) => listFriends(db, from.userId, frame))],
  ]);
}
