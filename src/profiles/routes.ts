import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { CachedTexts } from '../events/cached-texts.ts';
import { callerOf } from '../http/authenticate.ts';
import { answers, dataAnswer, messageAnswer } from '../http/envelope.ts';
import { refusal } from '../http/errors.ts';
import type { App } from '../http/server.ts';
import { textFor } from '../http/texts/language.ts';
import { PICTURE_TYPES } from '../pictures/containers/rewrite-picture.ts';
import { PICTURE_REFUSALS, pictureBodyOf, takePictureBodies } from '../pictures/uploads.ts';
import type { Services } from '../services.ts';
import { toOwnUser, type UserRow } from '../users/schemas.ts';
import { AVATAR_BOUNDS, AVATARS_PATH, findAvatar } from './avatars.ts';
import { getPublicUser, setAvatar, updateProfile } from './profiles.ts';
import { OwnProfile, ProfileBody, PublicProfile } from './schemas.ts';

/** Some 500 bytes each. */
const MAX_CACHED_PROFILES = 20_000;
/** How the answer about a user ends who does not show everyone when they are online. */
const HIDDEN = '0}}';
/** A picture of a stranger, which is shown and never opened as a page. */
const AVATAR_HEADERS = {
  'cache-control': 'public, max-age=31536000, immutable',
  'content-security-policy': "default-src 'none'; sandbox",
};

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
      return updated(request, await updateProfile({ db, events }, userId, request.body, clock.now()));
    },
  });
}

export async function avatarRoutes(app: App, { clock, db, events, limits }: Services): Promise<void> {
  takePictureBodies(app);

  app.post('/api/user/avatar', {
    bodyLimit: AVATAR_BOUNDS.maxBytes,
    onRequest: limits.pictures.admit,
    schema: {
      operationId: 'uploadAvatar',
      summary: 'Upload the own picture: a square of 16 to 512 pixels a side, at most 64 KiB',
      consumes: PICTURE_TYPES,
      response: answers(messageAnswer(OwnProfile), [400, ...PICTURE_REFUSALS], 401, [
        429,
        'too_many_pictures',
      ]),
    },
    handler: async (request) => {
      const { userId } = callerOf(request);
      return updated(request, await setAvatar({ db, events }, userId, pictureBodyOf(request), clock.now()));
    },
  });

  app.get(`${AVATARS_PATH}:id`, {
    config: { access: 'public' },
    schema: {
      operationId: 'avatar',
      summary: 'Get a picture that a user uploaded, which never changes',
      params: Type.Object({ id: Type.String() }),
      produces: PICTURE_TYPES,
      response: answers(Type.Object({}), [404, 'route_not_found']),
    },
    handler: async (request, reply) => {
      const picture = await findAvatar(db, request.params.id);
      if (!picture) throw refusal('not-found', 'route_not_found');
      return reply.headers({ ...AVATAR_HEADERS, 'content-type': picture.type }).send(picture.bytes);
    },
  });
}

function updated(request: FastifyRequest, row: UserRow) {
  const message = textFor(request, '资料更新成功', 'The profile is saved');
  return { code: 200 as const, message, data: toOwnUser(row) };
}
