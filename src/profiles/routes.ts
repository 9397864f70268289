import type { FastifyReply } from 'fastify';
import { Type } from 'typebox';
import { CachedTexts } from '../events/cached-texts.ts';
import { callerOf } from '../http/authenticate.ts';
import { answers, dataAnswer, messageAnswer } from '../http/envelope.ts';
import type { App } from '../http/server.ts';
import { textFor } from '../http/texts/language.ts';
import type { Services } from '../services.ts';
import { toOwnUser } from '../users/schemas.ts';
import { getPublicUser, updateProfile } from './profiles.ts';
import { OwnProfile, ProfileBody, PublicProfile } from './schemas.ts';

/** Some 500 bytes each. */
const MAX_CACHED_PROFILES = 20_000;

export async function profileRoutes(app: App, { clock, db, events, presence }: Services): Promise<void> {
  /** Answers, cut before the value of `isOnline`. */
  const profiles = new CachedTexts(events, {
    maxEntries: 2 * MAX_CACHED_PROFILES,
    read: async (userId) => {
      const data = JSON.stringify(await getPublicUser(db, userId));
      return { text: `{"code":200,"data":${data.slice(0, -1)},"isOnline":`, userIds: [userId] };
    },
  });

  app.get('/api/user/profile/:userId', {
    config: { access: 'public' },
    schema: {
      operationId: 'profileOf',
      summary: "Read a user's public profile",
      params: Type.Object({ userId: Type.String() }),
      response: answers(dataAnswer(PublicProfile), [404, 'user_not_found']),
    },
    // A cached answer skips the validation of the id, which was done when it was made: a tenth of the time.
    preValidation: (request, reply, done) => {
      const { userId } = request.params;
      const cached = profiles.recall(userId);
      if (cached === undefined) done();
      else send(reply, cached, userId);
    },
    handler: async (request, reply) => {
      const { userId } = request.params;
      return send(reply, await profiles.load(userId), userId);
    },
  });

  function send(reply: FastifyReply, start: string, userId: string): FastifyReply {
    return reply
      .header('content-type', 'application/json; charset=utf-8')
      .send(`${start}${presence.online.isOnline(userId) ? 1 : 0}}}`);
  }

  app.post('/api/user/profile', {
    schema: {
      operationId: 'updateProfile',
      summary: 'Change the own profile: the fields that are sent',
      body: ProfileBody,
      response: answers(messageAnswer(OwnProfile), [400, 'nickname_invalid', 'avatar_invalid'], 401),
    },
    handler: async (request) => {
      const { userId } = callerOf(request);
      const row = await updateProfile({ db, events }, userId, request.body, clock.now());
      return {
        code: 200 as const,
        message: textFor(request, '资料更新成功', 'The profile is saved'),
        data: toOwnUser(row),
      };
    },
  });
}
