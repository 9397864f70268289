import type { Static } from 'typebox';
import type { FrameSender } from '../frames/frame-sender.ts';
import type { Services } from '../services.ts';
import { changeFriendship, listFriends } from './friends.ts';
import type { FriendFields, FriendsFields } from './schemas.ts';

/** The frames `friend` and `friends`; the same by HTTP is in `friend-routes.ts`. */
export function friendFrames({ clock, db, events, limits }: Services) {
  const deps = { db, events, friendLimits: limits.friends };
  return {
    friend: async (from: FrameSender, { op, userId }: Static<typeof FriendFields>) => ({
      userId,
      state: await changeFriendship(deps, from, op, userId, clock.now()),
    }),
    friends: (from: FrameSender, frame: FriendsFields) => listFriends(db, from.userId, frame),
  };
}
