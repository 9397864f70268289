import type { FastifyRequest } from 'fastify';
import { ServiceError } from '../../errors.ts';
import { callerOf, disconnectSignal } from '../../http/authenticate.ts';
import { clientOf } from '../../http/client-address.ts';
import { answers, dataAnswer, MessageOnly } from '../../http/envelope.ts';
import { refusal } from '../../http/errors.ts';
import type { App } from '../../http/server.ts';
import { languageFor, textFor } from '../../http/texts/language.ts';
import type { Services } from '../../services.ts';
import { NoFields } from '../schemas.ts';
import { limitOldPasswords } from '../step-up/password-attempts.ts';
import { confirmSession } from '../step-up/step-up.ts';
import { readAccount } from './addresses.ts';
import { Account, ConfirmBody, Confirmed, SetEmailBody, VerifiedEmail, VerifyEmailBody } from './schemas.ts';
import { type AddressContext, removeAddress, requestCode, verifyAddress } from './verification.ts';

export async function addressRoutes(app: App, services: Services): Promise<void> {
  const { accounts, clock, config, db, events } = services;
  const { limitCodeMails, mac, mail, passwordAttempts, passwords } = accounts;
  const { now } = clock;

  /** Read before anything is awaited: a lost connection has no address. */
  function read({ raw, caller }: FastifyRequest, isByCaller = true): AddressContext {
    const sessionId = isByCaller ? caller?.sessionId : undefined;
    const client = { ...clientOf(raw, config.trustProxy), ...(sessionId !== undefined && { sessionId }) };
    return { db, events, mail, mac, limitCodeMails, client, now };
  }

  app.get('/api/account', {
    schema: {
      operationId: 'account',
      summary: "Get the user's verified address, and until when the session is confirmed",
      response: answers(dataAnswer(Account), 401),
    },
    handler: async (request) => ({
      code: 200 as const,
      data: await readAccount(db, callerOf(request), now()),
    }),
  });

  app.post('/api/account/confirm', {
    schema: {
      operationId: 'confirm',
      summary: 'Confirm the session for 5 minutes by the password, as some calls need it',
      body: ConfirmBody,
      response: answers(dataAnswer(Confirmed), [400, 'wrong_password'], 401),
    },
    handler: async (request, reply) => {
      const caller = callerOf(request);
      const context = { db, passwords, now, signal: disconnectSignal(reply) };
      const until = await limitOldPasswords(passwordAttempts, caller.userId, () =>
        confirmSession(context, caller, request.body.password),
      );
      return { code: 200 as const, data: { until } };
    },
  });

  app.post('/api/account/email', {
    schema: {
      operationId: 'setEmail',
      summary: 'Mail a code and a link to an address, by which it becomes that of the user',
      body: SetEmailBody,
      response: answers(
        MessageOnly,
        [400, 'email_invalid'],
        401,
        [403, 'confirm_required', 'mail_off'],
        [429, 'too_many_mails'],
      ),
    },
    handler: async (request) => {
      const { email, lang } = request.body;
      await requestCode(read(request), callerOf(request), email, languageFor(request, lang));
      return { code: 200 as const, message: textFor(request, '验证邮件已发送', 'An email is on its way') };
    },
  });

  app.post('/api/account/email/verify', {
    config: { access: 'public' },
    schema: {
      operationId: 'verifyEmail',
      summary: "Make an address the user's, by the code of its mail, or without a session by its link",
      body: VerifyEmailBody,
      response: answers(
        dataAnswer(VerifiedEmail),
        [400, 'code_invalid', 'email_taken', 'invalid_field'],
        401,
      ),
    },
    handler: async (request) => {
      const { code, token } = request.body;
      const by = byOf(request, code, token);
      // A session that sends a link may be of another account.
      const context = read(request, 'code' in by);
      return { code: 200 as const, data: { email: await verifyAddress(context, by) } };
    },
  });

  app.post('/api/account/email/remove', {
    schema: {
      operationId: 'removeEmail',
      summary: "Remove the user's address, and one that waits for its code",
      body: NoFields,
      response: answers(MessageOnly, 400, 401, [403, 'confirm_required']),
    },
    handler: async (request) => {
      await removeAddress(read(request), callerOf(request));
      return { code: 200 as const, message: textFor(request, '已移除邮箱', 'The address is removed') };
    },
  });
}

/** A code needs a session, since 8 digits do not name their user; a link does. */
function byOf({ caller }: FastifyRequest, code: string | undefined, token: string | undefined) {
  if (code === undefined && token !== undefined) return { token };
  if (code === undefined || token !== undefined) throw codeOrToken();
  if (!caller) throw refusal('unauthenticated', 'unauthenticated');
  return { code, ...caller };
}

function codeOrToken(): ServiceError {
  const english = 'Send either code or token';
  return new ServiceError('invalid', 'invalid_field', '参数 code 与 token 需二选一', { english });
}
