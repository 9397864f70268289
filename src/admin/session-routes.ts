import { endOtherSessions, endSession, endSurplusSessions } from '../accounts/sessions.ts';
import { keyOf } from '../http/authenticate.ts';
import { answers, dataAnswer } from '../http/envelope.ts';
import type { App } from '../http/server.ts';
import type { Services } from '../services.ts';
import { getUser } from '../users/users.ts';
import { signInByKey } from './key-sessions.ts';
import { EndedSessions, EndSessionsBody, SignedIn, SignInBody, SignInRefused } from './schemas.ts';

export function sessionRoutes(app: App, { accounts, clock, db, events, limits }: Services): void {
  const { securityLog } = limits;
  const inboxes = { db, events };

  app.post('/api/admin/sessions', {
    config: { access: 'key', right: 'sessions' },
    schema: {
      operationId: 'signInUser',
      summary: 'Sign a user in whom the backend has recognized',
      description: 'Asks no password or second factor, and sends the user no mail',
      body: SignInBody,
      response: answers(dataAnswer(SignedIn), 400, [403, SignInRefused], [404, 'user_not_found']),
    },
    handler: async (request) => {
      const { userId } = request.body;
      const sessionId = await signInByKey(db, keyOf(request), request.body, clock.now());
      securityLog.write('signed_in', userId);
      const surplus = await endSurplusSessions(inboxes, userId, sessionId, clock.now());
      securityLog.write('session_ended', userId, undefined, surplus);
      const token = await accounts.tokens.issue(userId, sessionId);
      return { code: 200 as const, data: { token, sessionId } };
    },
  });

  app.post('/api/admin/sessions/end', {
    config: { access: 'key', right: 'sessions' },
    schema: {
      operationId: 'endSessionsOfUser',
      summary: 'End one session of a user, or all; no node takes their tokens then',
      body: EndSessionsBody,
      response: answers(dataAnswer(EndedSessions), 400, [404, 'user_not_found', 'session_not_found']),
    },
    handler: async (request) => {
      const { userId, sessionId } = request.body;
      const client = { key: keyOf(request).name };
      await getUser(db, userId);
      let ended = 1;
      if (sessionId === undefined) ended = await endOtherSessions(inboxes, userId, client, clock.now());
      else await endSession(inboxes, userId, sessionId, clock.now(), client);
      securityLog.write('session_ended', userId, undefined, ended);
      return { code: 200 as const, data: { ended } };
    },
  });
}
