import { Type } from 'typebox';
import { callerOf } from '../http/authenticate.ts';
import { answers, dataAnswer, MessageOnly, messageAnswer } from '../http/envelope.ts';
import type { App } from '../http/server.ts';
import type { Services } from '../services.ts';
import { blockUser, unblockUser } from './block-user.ts';
import { listBlocked } from './blocks.ts';
import { BlockBody, BlockedUser } from './schemas.ts';

export async function blockRoutes(app: App, { db, delivery, events, now }: Services): Promise<void> {
  app.post('/api/user/block', {
    schema: { body: BlockBody, response: answers(messageAnswer(BlockedUser), 400, 401, 404) },
    handler: async (request) => {
      const { userId } = callerOf(request);
      const { value: data, seq } = await blockUser({ db, events }, userId, request.body.blockedId, now());
      await delivery.writtenUpTo(userId, seq);
      return { code: 200 as const, message: '已拉黑该用户', data };
    },
  });

  app.post('/api/user/unblock', {
    schema: { body: BlockBody, response: answers(MessageOnly, 400, 401, 404) },
    handler: async (request) => {
      const { userId } = callerOf(request);
      const { seq } = await unblockUser({ db, events }, userId, request.body.blockedId, now());
      await delivery.writtenUpTo(userId, seq);
      return { code: 200 as const, message: '已取消拉黑' };
    },
  });

  app.get('/api/user/blocked', {
    schema: { response: answers(dataAnswer(Type.Array(BlockedUser)), 401) },
    handler: async (request) => ({
      code: 200 as const,
      data: await listBlocked(db, callerOf(request).userId),
    }),
  });
}
