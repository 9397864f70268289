import { Type } from 'typebox';
import { callerOf } from '../http/authenticate.ts';
import { answers, MessageOnly, messageAnswer } from '../http/envelope.ts';
import { NextPage, toPageRequest } from '../http/pages.ts';
import type { App } from '../http/server.ts';
import type { Services } from '../services.ts';
import { blockUser, unblockUser } from './block-user.ts';
import { listBlocked, readBlockedPage } from './blocks.ts';
import { BlockBody, BlockedQuery, BlockedUser } from './schemas.ts';

const BlockedAnswer = Type.Object({ code: Type.Literal(200), data: Type.Array(BlockedUser), next: NextPage });

export async function blockRoutes(app: App, { clock, db, events, inbox }: Services): Promise<void> {
  app.post('/api/user/block', {
    schema: { body: BlockBody, response: answers(messageAnswer(BlockedUser), 400, 401, 404) },
    handler: async (request) => {
      const { userId } = callerOf(request);
      const { value: data, seq } = await blockUser(
        { db, events },
        userId,
        request.body.blockedId,
        clock.now(),
      );
      await inbox.delivery.writtenUpTo(userId, seq);
      return { code: 200 as const, message: '已拉黑该用户', data };
    },
  });

  app.post('/api/user/unblock', {
    schema: { body: BlockBody, response: answers(MessageOnly, 400, 401, 404) },
    handler: async (request) => {
      const { userId } = callerOf(request);
      const { seq } = await unblockUser({ db, events }, userId, request.body.blockedId, clock.now());
      await inbox.delivery.writtenUpTo(userId, seq);
      return { code: 200 as const, message: '已取消拉黑' };
    },
  });

  app.get('/api/user/blocked', {
    schema: { querystring: BlockedQuery, response: answers(BlockedAnswer, 400, 401) },
    handler: async (request) => {
      const { userId } = callerOf(request);
      const { limit, after } = request.query;
      if (limit === undefined && after === undefined)
        return { code: 200 as const, data: await listBlocked(db, userId) };
      const { items, ...rest } = await readBlockedPage(db, userId, toPageRequest(request.query));
      return { code: 200 as const, data: items, ...rest };
    },
  });
}
