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
/** How the answer about a user ends who does not show everyone when they are online. */
const HIDDEN = '0}}';

export async function profileRoutes(app: App, { clock, db, events, presence }: Services): Promise<void> {
  /** Answers, cut before the value of `isOnline`; of who does not show it to everyone with 0 and whole. */
  const profiles = new CachedTexts(events, {
    maxEntries: 2 * MAX_CACHED_PROFILES,
    read: async (userId) => {
      const { user, showsOnline } = await getPublicUser(db, userId);
      const text = `{"code":200,"data":${JSON.stringify(user).slice(0, -1)},"isOnline":`;
      return { text: showsOnline ? text : `${text}${HIDDEN}`, userIds: [userId] };
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
      const showsOnline = presence.seeing.recall(request.caller?.userId);
      if (cached === undefined || showsOnline === undefined) done();
      else send(reply, cached, userId, showsOnline);
    },
    handler: async (request, reply) => {
      const { userId } = request.params;
      const showsOnline = await presence.seeing.load(request.caller?.userId);
      return send(reply, await profiles.load(userId), userId, showsOnline);
    },
  });

  function send(reply: FastifyReply, text: string, userId: string, showsOnline: boolean): FastifyReply {
    const isOnline = showsOnline && presence.online.isOnline(userId);
    return reply
      .header('content-type', 'application/json; charset=utf-8')
      .send(text.endsWith(HIDDEN) ? text : `${text}${isOnline ? 1 : 0}}}`);
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
