import { Type } from 'typebox';
import { callerOf } from '../http/authenticate.ts';
import { answers, dataAnswer } from '../http/envelope.ts';
import type { App } from '../http/server.ts';
import type { Services } from '../services.ts';
import { befriend, listFriends } from './friends.ts';
import { FRIEND_ACTS, FriendAnswer, FriendBody, FriendEntry } from './schemas.ts';

export async function friendRoutes(app: App, { db, events, now }: Services): Promise<void> {
  app.get('/api/friends', {
    schema: { response: answers(dataAnswer(Type.Array(FriendEntry)), 401) },
    handler: async (request) => ({
      code: 200 as const,
      data: await listFriends(db, callerOf(request).userId),
    }),
  });

  for (const act of FRIEND_ACTS)
    app.post(`/api/friends/${act}`, {
      schema: { body: FriendBody, response: answers(dataAnswer(FriendAnswer), 400, 401, 403, 404) },
      handler: async (request) => {
        const { userId } = request.body;
        const state = await befriend({ db, events }, callerOf(request), act, userId, now());
        return { code: 200 as const, data: { userId, state } };
      },
    });
}
