import { Type } from 'typebox';
import { type FrameTable, frameKind } from '../frames/frame-kinds.ts';
import type { Services } from '../services.ts';
import { befriend, listFriends } from './friends.ts';
import { FRIEND_ACTS, FriendBody, FriendsFields } from './schemas.ts';

const FriendFrame = Type.Object({
  op: Type.Union(FRIEND_ACTS.map((act) => Type.Literal(act))),
  ...FriendBody.properties,
});

/** The `friend` frame; its HTTP twins are in `routes.ts`. */
export function friendFrames({ db, events, friendLimits, now }: Services): FrameTable {
  return new Map([
    [
      'friend',
      frameKind(FriendFrame, async (from, { op, userId }) => ({
        userId,
        state: await befriend({ db, events, friendLimits }, from, op, userId, now()),
      })),
    ],
    ['friends', frameKind(FriendsFields, (from, frame) => listFriends(db, from.userId, frame))],
  ]);
}
