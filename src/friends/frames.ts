import { Type } from 'typebox';
import type { Services } from '../services.ts';
import { type FrameTable, frameKind } from '../sockets/frame-kinds.ts';
import { befriend } from './friends.ts';
import { FRIEND_ACTS, FriendBody } from './schemas.ts';

const FriendFrame = Type.Object({
  op: Type.Union(FRIEND_ACTS.map((act) => Type.Literal(act))),
  ...FriendBody.properties,
});

/** The `friend` frame (DESIGN 5); its HTTP twins are in `routes.ts`. */
export function friendFrames({ db, events, now }: Services): FrameTable {
  return new Map([
    [
      'friend',
      frameKind(FriendFrame, async (from, { op, userId }) => ({
        userId,
        state: await befriend({ db, events }, from, op, userId, now()),
      })),
    ],
  ]);
}
