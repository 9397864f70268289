import { keyOf } from '../http/authenticate.ts';
import { answers, dataAnswer, MessageOnly, messageAnswer } from '../http/envelope.ts';
import type { App } from '../http/server.ts';
import { textFor } from '../http/texts/language.ts';
import { blockUser, unblockUser } from '../relations/block-user.ts';
import { changeFriendship } from '../relations/friends.ts';
import { BlockedUser } from '../relations/schemas.ts';
import type { Services } from '../services.ts';
import { getUser } from '../users/users.ts';
import { BlockOfBody, SetFriendsAnswer, SetFriendsBody } from './schemas.ts';

export function relationRoutes(app: App, { clock, db, events, inbox, limits }: Services): void {
  const inboxes = { db, events };

  app.post('/api/admin/friends/set', {
    config: { access: 'key', right: 'relations' },
    schema: {
      operationId: 'setFriends',
      summary: 'Make two users friends, or end their friendship',
      description: 'Asks nothing of what they accept from others; `false` leaves an open request',
      body: SetFriendsBody,
      response: answers(
        dataAnswer(SetFriendsAnswer),
        [400, 'friend_self'],
        [403, 'not_accepting', 'unblock_first'],
        [404, 'user_not_found'],
      ),
    },
    handler: async (request) => {
      const { userId, peerId, friends } = request.body;
      const deps = { ...inboxes, friendLimits: limits.friends };
      const state = await changeFriendship(deps, { userId }, friends ? 'set' : 'unset', peerId, clock.now());
      return { code: 200 as const, data: { state } };
    },
  });

  app.post('/api/admin/block', {
    config: { access: 'key', right: 'relations' },
    schema: {
      operationId: 'blockAsUser',
      summary: 'Block a user for another one, as they would',
      body: BlockOfBody,
      response: answers(messageAnswer(BlockedUser), [400, 'block_self'], [404, 'user_not_found']),
    },
    handler: async (request) => {
      const { userId, blockedId } = request.body;
      const client = { key: keyOf(request).name };
      await getUser(db, userId);
      const { value: data, seq } = await blockUser(inboxes, userId, blockedId, clock.now(), client);
      await inbox.delivery.writtenUpTo(userId, seq);
      return { code: 200 as const, message: textFor(request, '已拉黑该用户', 'The user is blocked'), data };
    },
  });

  app.post('/api/admin/unblock', {
    config: { access: 'key', right: 'relations' },
    schema: {
      operationId: 'unblockAsUser',
      summary: 'Lift the block of a user for another one',
      body: BlockOfBody,
      response: answers(MessageOnly, [400, 'block_self'], [404, 'user_not_found']),
    },
    handler: async (request) => {
      const { userId, blockedId } = request.body;
      const client = { key: keyOf(request).name };
      await Promise.all([getUser(db, userId), getUser(db, blockedId)]);
      const seq = await unblockUser(inboxes, userId, blockedId, clock.now(), client);
      await inbox.delivery.writtenUpTo(userId, seq);
      return { code: 200 as const, message: textFor(request, '已取消拉黑', 'The user is unblocked') };
    },
  });
}
