import { defineFrame } from '../frames/define-frame.ts';
import type { Services } from '../services.ts';
import { changeFriendship, listFriends } from './friends.ts';
import { FriendFields, FriendsFields } from './schemas.ts';

/** The frames `friend` and `friends`; the same by HTTP is in `friend-routes.ts`. */
export function friendFrames({ clock, db, events, limits }: Services) {
  const deps = { db, events, friendLimits: limits.friends };
  return {
    friend: defineFrame(FriendFields, async (from, { op, userId }) => ({
      userId,
      state: await changeFriendship(deps, from, op, userId, clock.now()),
    })),
    friends: defineFrame(FriendsFields, (from, frame) => listFriends(db, from.userId, frame)),
  };
}
