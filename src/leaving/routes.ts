import type { FastifyRequest } from 'fastify';
import { answerProof } from '../accounts/routes.ts';
import { AccountSuspended, GIVES_PROOF, LoggedIn, NoFields } from '../accounts/schemas.ts';
import { callerOf } from '../http/authenticate.ts';
import { addressKeyOf, clientOf } from '../http/client-address.ts';
import { answers, dataAnswer } from '../http/envelope.ts';
import type { App } from '../http/server.ts';
import type { Services } from '../services.ts';
import { toOwnUser } from '../users/schemas.ts';
import { askForDeletion } from './ask-deletion.ts';
import { keepAccount, type LeavingContext } from './keep-account.ts';
import { DeletionAsked, KeepBody } from './schemas.ts';

/** The routes by which users delete their account, and keep it after all. */
export async function leavingRoutes(app: App, services: Services): Promise<void> {
  const { accounts, clock, config, db, events, limits } = services;

  /** Read before anything is awaited: a lost connection has no address. */
  function read({ raw }: FastifyRequest): LeavingContext {
    return {
      db,
      events,
      ...clientOf(raw, config.trustProxy),
      hasMail: accounts.mail !== null,
      now: clock.now,
    };
  }

  app.post('/api/account/delete', {
    schema: {
      operationId: 'deleteAccount',
      summary: 'Delete the own account: all sessions end, and the deletion can be undone for some time',
      description:
        'A login answers 403 `account_leaving` until then. With `DELETION_GRACE=0` the account is erased at once',
      body: NoFields,
      response: answers(dataAnswer(DeletionAsked), 400, 401, [403, 'confirm_required']),
    },
    handler: async (request) => {
      const caller = callerOf(request);
      const addressKey = addressKeyOf(request.raw, config.trustProxy);
      const graceMs = config.deletionGraceSeconds * 1_000;
      const { until, ended } = await askForDeletion(read(request), caller, graceMs);
      limits.securityLog.write('deletion_asked', caller.userId, addressKey);
      limits.securityLog.write('session_ended', caller.userId, addressKey, ended);
      return { code: 200 as const, data: { until } };
    },
  });

  app.post('/api/account/keep', {
    config: { access: 'public', limit: 'auth' },
    schema: {
      operationId: 'keepAccount',
      summary: 'Undo the deletion of an account by the ticket of a login, and sign in',
      ...GIVES_PROOF,
      body: KeepBody,
      response: answers(dataAnswer(LoggedIn), [400, 'ticket_invalid'], [403, AccountSuspended]),
    },
    handler: async (request, reply) => {
      const addressKey = addressKeyOf(request.raw, config.trustProxy);
      const { user, sessionId } = await keepAccount(read(request), request.body.ticket);
      limits.securityLog.write('deletion_undone', user.id, addressKey);
      limits.securityLog.write('signed_in', user.id, addressKey);
      await answerProof(services, request, reply, { userId: user.id, sessionId });
      const token = await accounts.tokens.issue(user.id, sessionId);
      return { code: 200 as const, data: { ...toOwnUser(user), token } };
    },
  });
}
