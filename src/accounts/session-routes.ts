import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { callerOf } from '../http/authenticate.ts';
import { answers, dataAnswer, MessageOnly } from '../http/envelope.ts';
import type { SecurityEvent } from '../http/log/security-log.ts';
import type { App } from '../http/server.ts';
import { textFor } from '../http/texts/language.ts';
import type { Services } from '../services.ts';
import { EndSessionBody, NoFields, SessionEntry } from './schemas.ts';
import { endSession, listSessions } from './sessions.ts';

/** Logs an act of a request (`SecurityLog`). @param count how many of them happened together */
export type LogAct = (event: SecurityEvent, userId: string, count?: number) => void;

/** The part of `accountRoutes` that shows and ends sessions. @param logFor returns what logs the acts of a request */
export function sessionRoutes(
  app: App,
  { accounts, clock, db, events }: Services,
  logFor: (request: FastifyRequest) => LogAct,
): void {
  const { openSockets } = accounts;
  const { now } = clock;

  app.post('/api/logout', {
    schema: {
      operationId: 'logout',
      summary: 'End the session of the token',
      body: NoFields,
      response: answers(MessageOnly, 400, 401),
    },
    handler: async (request) => {
      const { userId, sessionId } = callerOf(request);
      const log = logFor(request);
      await endSession({ db, events }, userId, sessionId, now());
      log('session_ended', userId);
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
      const isActive = await openSockets.askFor(userId);
      return { code: 200 as const, data: await listSessions(db, userId, sessionId, now(), isActive) };
    },
  });

  app.post('/api/sessions/end', {
    schema: {
      operationId: 'endSession',
      summary: "End one of the user's own sessions",
      body: EndSessionBody,
      response: answers(MessageOnly, 400, 401, [404, 'session_not_found']),
    },
    handler: async (request) => {
      const { userId } = callerOf(request);
      const log = logFor(request);
      await endSession({ db, events }, userId, request.body.id, now());
      log('session_ended', userId);
      return { code: 200 as const, message: textFor(request, '已结束该会话', 'The session is ended') };
    },
  });
}
