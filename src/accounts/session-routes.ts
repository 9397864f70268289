import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { ServiceError } from '../errors.ts';
import { callerOf } from '../http/authenticate.ts';
import { addressKeyOf, clientOf } from '../http/client-address.ts';
import { answers, dataAnswer, MessageOnly } from '../http/envelope.ts';
import type { App } from '../http/server.ts';
import { textFor } from '../http/texts/language.ts';
import type { Services } from '../services.ts';
import { EndSessionBody, NoFields, SessionEntry } from './schemas.ts';
import { endOtherSessions, endSession, listSessions } from './sessions.ts';

/** The routes by which users see and end their sessions, among those of `accountRoutes`. */
export function sessionRoutes(app: App, services: Services): void {
  const { clock, config, db, events, limits, presence } = services;
  const { now } = clock;

  /** Ends a session of the caller; without an id all of theirs but the calling one. */
  async function endOwn(request: FastifyRequest, id?: string): Promise<void> {
    const { userId, sessionId } = callerOf(request);
    // Before anything is awaited: a lost connection has no address.
    const caller = { sessionId, ...clientOf(request.raw, config.trustProxy) };
    const addressKey = addressKeyOf(request.raw, config.trustProxy);
    let ended = 1;
    if (id === undefined) ended = await endOtherSessions({ db, events }, userId, caller, now());
    else await endSession({ db, events }, userId, id, now(), caller);
    limits.securityLog.write('session_ended', userId, addressKey, ended);
  }

  app.post('/api/logout', {
    schema: {
      operationId: 'logout',
      summary: 'End the session of the token',
      body: NoFields,
      response: answers(MessageOnly, 400, 401),
    },
    handler: async (request) => {
      await endOwn(request, callerOf(request).sessionId);
      return { code: 200 as const, message: textFor(request, '已退出登录', 'Signed out') };
    },
  });

  app.get('/api/sessions', {
    schema: {
      operationId: 'sessions',
      summary: "List the user's own sessions",
      response: answers(dataAnswer(Type.Array(SessionEntry)), 401),
    },
    handler: async (request) => {
      const { userId, sessionId } = callerOf(request);
      const connected = new Set(presence.online.sessionsOf(userId));
      return {
        code: 200 as const,
        data: await listSessions(db, userId, sessionId, now(), (id) => connected.has(id)),
      };
    },
  });

  app.post('/api/sessions/end', {
    schema: {
      operationId: 'endSession',
      summary: "End one of the user's own sessions, or all others than that of the token",
      body: EndSessionBody,
      response: answers(MessageOnly, 400, 401, [404, 'session_not_found']),
    },
    handler: async (request) => {
      const { id, others } = request.body;
      if ((id !== undefined) === (others === true)) throw idOrOthers();
      await endOwn(request, id);
      const message = others
        ? textFor(request, '已退出其他所有设备', 'All other sessions are ended')
        : textFor(request, '已结束该会话', 'The session is ended');
      return { code: 200 as const, message };
    },
  });
}

function idOrOthers(): ServiceError {
  const english = 'Send either id, or others with true';
  return new ServiceError('invalid', 'invalid_field', '参数 id 与 others 需二选一', { english });
}
