import { Type } from 'typebox';
import { callerOf } from '../http/authenticate.ts';
import { answers, dataAnswer } from '../http/envelope.ts';
import { NextPage, PageSeq, toPageRequest } from '../http/pages.ts';
import type { App } from '../http/server.ts';
import type { Services } from '../services.ts';
import { changeFriendship, listFriends } from './friends.ts';
import { FRIEND_ACTIONS, FriendAnswer, FriendBody, FriendEntry, FriendsQuery } from './schemas.ts';

const FriendsAnswer = Type.Object({
  code: Type.Literal(200),
  data: Type.Array(FriendEntry),
  seq: PageSeq,
  next: NextPage,
});

export async function friendRoutes(app: App, { clock, db, events, limits }: Services): Promise<void> {
  app.get('/api/friends', {
    schema: { querystring: FriendsQuery, response: answers(FriendsAnswer, 400, 401) },
    handler: async (request) => {
      const { list } = request.query;
      const page = { ...toPageRequest(request.query), ...(list !== undefined && { list }) };
      const { items, ...rest } = await listFriends(db, callerOf(request).userId, page);
      return { code: 200 as const, data: items, ...rest };
    },
  });

  for (const action of FRIEND_ACTIONS)
    app.post(`/api/friends/${action}`, {
      schema: { body: FriendBody, response: answers(dataAnswer(FriendAnswer), 400, 401, 403, 404) },
      handler: async (request) => {
        const { userId } = request.body;
        const state = await changeFriendship(
          { db, events, friendLimits: limits.friends },
          callerOf(request),
          action,
          userId,
          clock.now(),
        );
        return { code: 200 as const, data: { userId, state } };
      },
    });
}
