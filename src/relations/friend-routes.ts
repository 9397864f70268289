import { Type } from 'typebox';
import { callerOf } from '../http/authenticate.ts';
import { answers, codeOf, dataAnswer } from '../http/envelope.ts';
import { NextPage, PageSeq } from '../http/pages.ts';
import type { App } from '../http/server.ts';
import type { Services } from '../services.ts';
import { changeFriendship, listFriends } from './friends.ts';
import {
  FRIEND_ACTIONS,
  type FriendAction,
  FriendAnswer,
  FriendBody,
  FriendEntry,
  FriendsFields,
} from './schemas.ts';

const FriendsAnswer = Type.Object({
  code: codeOf(200),
  data: Type.Array(FriendEntry),
  seq: PageSeq,
  next: NextPage,
});

const SUMMARIES: Record<FriendAction, string> = {
  request: 'Ask a user to be a friend',
  cancel: 'Take back an own request',
  accept: "Accept a user's request",
  decline: "Decline a user's request",
  remove: 'End a friendship',
};

export async function friendRoutes(app: App, { clock, db, events, limits }: Services): Promise<void> {
  const deps = { db, events, friendLimits: limits.friends };
  app.get('/api/friends', {
    schema: {
      operationId: 'friends',
      summary: 'List friends and open requests, a page of them',
      querystring: FriendsFields,
      response: answers(FriendsAnswer, [400, 'bad_cursor'], 401),
    },
    handler: async (request) => {
      const { items, ...rest } = await listFriends(db, callerOf(request).userId, request.query);
      return { code: 200 as const, data: items, ...rest };
    },
  });

  for (const action of FRIEND_ACTIONS)
    app.post(`/api/friends/${action}`, {
      schema: {
        operationId: `${action}Friend`,
        summary: SUMMARIES[action],
        body: FriendBody,
        response: answers(
          dataAnswer(FriendAnswer),
          [400, 'friend_self', 'friend_state'],
          401,
          [403, 'not_accepting', 'unblock_first'],
          [404, 'user_not_found'],
          [429, 'too_many_friend_requests', 'too_many_requests_to_user', 'too_many_open_requests'],
        ),
      },
      handler: async (request) => {
        const { userId } = request.body;
        const state = await changeFriendship(deps, callerOf(request), action, userId, clock.now());
        return { code: 200 as const, data: { userId, state } };
      },
    });
}
