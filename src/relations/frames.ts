import { Type } from 'typebox';
import { type FrameTable, frameKind } from '../frames/define-frame.ts';
import type { Services } from '../services.ts';
import { changeFriendship, listFriends } from './friends.ts';
import { FRIEND_ACTIONS, FriendBody, FriendsFields } from './schemas.ts';

const FriendFrame = Type.Object({
  op: Type.Union(FRIEND_ACTIONS.map((action) => Type.Literal(action))),
  ...FriendBody.properties,
});

/** The frames `friend` and `friends`; the same by HTTP is in `friend-routes.ts`. */
export function friendFrames({ clock, db, events, limits }: Services): FrameTable {
  return new Map([
    [
      'friend',
      frameKind(FriendFrame, async (from, { op, userId }) => ({
        userId,
        state: await changeFriendship(
          { db, events, friendLimits: limits.friends },
          from,
          op,
          userId,
          clock.now(),
        ),
      })),
    ],
    ['friends', frameKind(FriendsFields, (from, frame) => listFriends(db, from.userId, frame))],
  ]);
}
