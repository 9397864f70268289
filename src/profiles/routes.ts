import type { FastifyReply } from 'fastify';
import { Type } from 'typebox';
import { callerOf } from '../http/authenticate.ts';
import { answers, dataAnswer, messageAnswer } from '../http/envelope.ts';
import type { App } from '../http/server.ts';
import type { Services } from '../services.ts';
import { toOwnUser } from '../users/schemas.ts';
import { getPublicUser, updateProfile } from './profiles.ts';
import { ReadyProfiles } from './ready-profiles.ts';
import { OwnProfile, ProfileBody, PublicProfile } from './schemas.ts';

export async function profileRoutes(app: App, { clock, db, events, presence }: Services): Promise<void> {
  const ready = new ReadyProfiles((userId) => getPublicUser(db, userId), events);

  app.get('/api/user/profile/:userId', {
    config: { access: 'public' },
    schema: {
      params: Type.Object({ userId: Type.String() }),
      response: answers(dataAnswer(PublicProfile), 404),
    },
    // A kept answer goes out before the id is validated: it was when the answer was made, and it costs a tenth.
    preValidation: (request, reply, done) => {
      const { userId } = request.params;
      const kept = ready.recall(userId);
      if (kept === undefined) done();
      else send(reply, kept, userId);
    },
    handler: async (request, reply) => {
      const { userId } = request.params;
      return send(reply, await ready.make(userId), userId);
    },
  });

  function send(reply: FastifyReply, start: string, userId: string): FastifyReply {
    return reply
      .header('content-type', 'application/json; charset=utf-8')
      .send(`${start}${presence.online.isOnline(userId) ? 1 : 0}}}`);
  }

  app.post('/api/user/profile', {
    schema: { body: ProfileBody, response: answers(messageAnswer(OwnProfile), 400, 401) },
    handler: async (request) => {
      const { userId } = callerOf(request);
      const row = await updateProfile({ db, events }, userId, request.body, clock.now());
      return { code: 200 as const, message: '资料更新成功', data: toOwnUser(row) };
    },
  });
}
