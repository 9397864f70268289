import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { CachedTexts } from '../events/cached-texts.ts';
import { callerOf } from '../http/authenticate.ts';
import { clientOf } from '../http/client-address.ts';
import { answers, codeOf, MessageOnly, messageAnswer } from '../http/envelope.ts';
import { NextPage } from '../http/pages.ts';
import type { App } from '../http/server.ts';
import { textFor } from '../http/texts/language.ts';
import type { Services } from '../services.ts';
import { blockUser, unblockUser } from './block-user.ts';
import { listBlocked, readBlockedPage } from './blocks.ts';
import { BlockBody, BlockedQuery, BlockedUser } from './schemas.ts';

const BlockedAnswer = Type.Object({ code: codeOf(200), data: Type.Array(BlockedUser), next: NextPage });

export async function blockRoutes(app: App, { clock, config, db, events, inbox }: Services): Promise<void> {
  const inboxes = { db, events };
  /** Whole lists by their owner. */
  const lists = new CachedTexts(events, {
    maxEntries: 50_000,
    maxUsers: 1_000,
    read: async (userId) => {
      const data = await listBlocked(db, userId);
      return { text: JSON.stringify({ code: 200, data }), userIds: data.map(({ id }) => id) };
    },
  });
  events.subscribe((event) => {
    if (event.type === 'block-changed') lists.drop(event.blockerId);
  });

  /** Who acts, for the account's log. */
  const actingClient = (request: FastifyRequest) => {
    const { sessionId } = callerOf(request);
    return { sessionId, ...clientOf(request.raw, config.trustProxy) };
  };

  app.post('/api/user/block', {
    schema: {
      operationId: 'block',
      summary: 'Block a user on every surface',
      body: BlockBody,
      response: answers(messageAnswer(BlockedUser), [400, 'block_self'], 401, [404, 'user_not_found']),
    },
    handler: async (request) => {
      const { userId } = callerOf(request);
      const { blockedId } = request.body;
      const client = actingClient(request);
      const { value: data, seq } = await blockUser(inboxes, userId, blockedId, clock.now(), client);
      await inbox.delivery.writtenUpTo(userId, seq);
      return { code: 200 as const, message: textFor(request, '已拉黑该用户', 'The user is blocked'), data };
    },
  });

  app.post('/api/user/unblock', {
    schema: {
      operationId: 'unblock',
      summary: 'Lift a block',
      body: BlockBody,
      response: answers(MessageOnly, [400, 'block_self'], 401, [404, 'user_not_found']),
    },
    handler: async (request) => {
      const { userId } = callerOf(request);
      const client = actingClient(request);
      const seq = await unblockUser(inboxes, userId, request.body.blockedId, clock.now(), client);
      await inbox.delivery.writtenUpTo(userId, seq);
      return { code: 200 as const, message: textFor(request, '已取消拉黑', 'The user is unblocked') };
    },
  });

  app.get('/api/user/blocked', {
    schema: {
      operationId: 'blocked',
      summary: 'List the users that the caller blocks, or a page of them',
      querystring: BlockedQuery,
      response: answers(BlockedAnswer, [400, 'bad_cursor'], 401),
    },
    // A cached list skips the validation of a query without fields.
    preValidation: (request, reply, done) => {
      const cached = hasFields(request.query) ? undefined : lists.recall(callerOf(request).userId);
      if (cached === undefined) done();
      else sendText(reply, cached);
    },
    handler: async (request, reply) => {
      const { userId } = callerOf(request);
      const { limit, after } = request.query;
      if (limit === undefined && after === undefined) return sendText(reply, await lists.load(userId));
      const { items, ...rest } = await readBlockedPage(db, userId, request.query);
      return { code: 200 as const, data: items, ...rest };
    },
  });
}

function hasFields(query: object): boolean {
  for (const _ in query) return true;
  return false;
}

function sendText(reply: FastifyReply, text: string): FastifyReply {
  return reply.header('content-type', 'application/json; charset=utf-8').send(text);
}
