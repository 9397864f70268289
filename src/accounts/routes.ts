import type { FastifyReply, FastifyRequest } from 'fastify';
import { ServiceError } from '../errors.ts';
import { callerOf, disconnectSignal } from '../http/authenticate.ts';
import { addressKeyOf, addressOf, clientOf } from '../http/client-address.ts';
import { answers, dataAnswer, MessageOnly, messageAnswer } from '../http/envelope.ts';
import type { SecurityEvent } from '../http/log/security-log.ts';
import type { App } from '../http/server.ts';
import { textFor } from '../http/texts/language.ts';
import type { Services } from '../services.ts';
import { toOwnUser } from '../users/schemas.ts';
import { logIn, register } from './accounts.ts';
import { readProofs, renewProof } from './device-proofs.ts';
import { accountLogRoutes } from './log/routes.ts';
import {
  ChangePasswordBody,
  FreshToken,
  GIVES_PROOF,
  KeySet,
  LoggedIn,
  LoginBody,
  LoginRefused,
  NoFields,
  PasswordLinkBody,
  READS_PROOF,
  RegisterBody,
  Registered,
  ServiceOptions,
} from './schemas.ts';
import { sessionRoutes } from './session-routes.ts';
import { endSurplusSessions } from './sessions.ts';
import { changePassword, resetPasswordByLink } from './set-password.ts';
import { limitOldPasswords } from './step-up/password-attempts.ts';

export async function accountRoutes(app: App, services: Services): Promise<void> {
  const { accounts, clock, config, db, events, limits } = services;
  const { authentication, failedSignIns, limitLogins, mail, passwordAttempts, tokens } = accounts;
  const { now } = clock;
  const { securityLog } = limits;

  /** What a handler reads of its request before it awaits anything: a lost connection has no address. */
  function read({ raw, headers }: FastifyRequest, reply: FastifyReply) {
    const { commonPasswords, mac, passwords } = accounts;
    const { registration } = config;
    const client = clientOf(raw, config.trustProxy);
    const signal = disconnectSignal(reply);
    const addressKey = addressKeyOf(raw, config.trustProxy);
    const proofs = readProofs(headers['device-proof']);
    const hasMail = mail !== null;
    return {
      addressKey,
      client,
      context: {
        ...{ db, events, mac, passwords, commonPasswords, registration, now, signal, proofs, hasMail },
        ...client,
      },
      proofs,
      log: (event: SecurityEvent, userId: string, count?: number) =>
        securityLog.write(event, userId, addressKey, count),
    };
  }

  app.get('/api/options', {
    config: { access: 'public' },
    schema: {
      operationId: 'options',
      summary: 'Get what a client needs to know before a user is signed in, such as who may register',
      response: answers(dataAnswer(ServiceOptions)),
    },
    handler: async () => {
      const { deletionGraceSeconds, passwordList, registration, smtp } = config;
      return {
        code: 200 as const,
        data: {
          registration,
          passwordList,
          mail: smtp !== null,
          deletionGrace: deletionGraceSeconds,
          pictures: limits.pictures.isOpenForMessages(),
        },
      };
    },
  });

  app.post('/api/register', {
    config: { access: 'public', limit: 'auth' },
    schema: {
      operationId: 'register',
      summary: 'Create an account and sign in',
      ...GIVES_PROOF,
      body: RegisterBody,
      response: answers(
        messageAnswer(Registered),
        [400, 'username_invalid', 'nickname_invalid', 'avatar_invalid', 'password_common', 'username_taken'],
        [403, 'registration_closed', 'invite_required'],
      ),
    },
    handler: async (request, reply) => {
      const { context, log } = read(request, reply);
      const { user, sessionId } = await register(context, request.body);
      const { id, username, nickname, email } = user;
      log('signed_in', id);
      const token = await tokens.issue(id, sessionId);
      await answerProof(services, request, reply, { userId: id, sessionId });
      return {
        code: 200 as const,
        message: textFor(request, '注册成功', 'Registered'),
        data: { id, username, nickname, email, token },
      };
    },
  });

  app.post('/api/login', {
    config: { access: 'public', limit: 'auth' },
    schema: {
      operationId: 'login',
      summary: 'Sign in with username, or verified e-mail address, and password',
      ...GIVES_PROOF,
      body: LoginBody,
      response: answers(
        dataAnswer(LoggedIn),
        [400, 'unknown_user', 'wrong_password'],
        [403, LoginRefused],
        [429, 'too_many_logins'],
      ),
    },
    handler: async (request, reply) => {
      const { username, password } = request.body;
      const { addressKey, client, context, log, proofs = [] } = read(request, reply);
      const { user, sessionId } = await logIn(context, username, password, (account, verify) =>
        limitLogins ? limitLogins(account, { addressKey, proofs }, verify) : verify(),
      ).catch((error) => {
        if (error instanceof ServiceError && error.kind !== 'rate-limited') {
          securityLog.failedSignIn(error.userId, addressKey);
          failedSignIns.count(error.userId, addressKey, client);
        }
        throw error;
      });
      log('signed_in', user.id);
      const surplus = await endSurplusSessions({ db, events }, user.id, sessionId, now());
      log('session_ended', user.id, surplus);
      await answerProof(services, request, reply, { userId: user.id, sessionId });
      return {
        code: 200 as const,
        data: { ...toOwnUser(user), token: await tokens.issue(user.id, sessionId) },
      };
    },
  });

  app.post('/api/user/change-password', {
    schema: {
      operationId: 'changePassword',
      summary: "Change the own password, which ends the user's other sessions",
      ...READS_PROOF,
      body: ChangePasswordBody,
      response: answers(MessageOnly, [400, 'password_common', 'wrong_old_password'], 401),
    },
    handler: async (request, reply) => {
      const caller = callerOf(request);
      const { oldPassword, newPassword } = request.body;
      const { context, log, proofs } = read(request, reply);
      const ended = await limitOldPasswords(passwordAttempts, caller.userId, () =>
        changePassword(context, caller, oldPassword, newPassword, proofs),
      );
      log('password_changed', caller.userId);
      log('session_ended', caller.userId, ended.length);
      return { code: 200 as const, message: textFor(request, '密码修改成功', 'The password is changed') };
    },
  });

  app.post('/api/password-link', {
    config: { access: 'public', limit: 'auth' },
    schema: {
      operationId: 'usePasswordLink',
      summary: "Set a new password by a link, which ends all of the user's sessions",
      ...GIVES_PROOF,
      body: PasswordLinkBody,
      response: answers(MessageOnly, [400, 'link_invalid', 'password_common']),
    },
    handler: async (request, reply) => {
      const { token, newPassword } = request.body;
      const { context, log, proofs } = read(request, reply);
      const used = await resetPasswordByLink(context, token, newPassword, proofs !== undefined);
      const { userId, proof, ended } = used;
      log('link_used', userId);
      log('session_ended', userId, ended);
      if (proof !== undefined) reply.header('device-proof', proof);
      return { code: 200 as const, message: textFor(request, '密码设置成功', 'The password is set') };
    },
  });

  app.post('/api/token', {
    schema: {
      operationId: 'freshToken',
      summary: 'Get a newer token of the same session',
      ...GIVES_PROOF,
      body: NoFields,
      response: answers(dataAnswer(FreshToken), 400, 401),
    },
    handler: async (request, reply) => {
      const { userId, sessionId } = callerOf(request);
      authentication.markUsed([sessionId], addressOf(request.raw, config.trustProxy));
      await answerProof(services, request, reply, { userId, sessionId });
      return { code: 200 as const, data: { token: await tokens.issue(userId, sessionId) } };
    },
  });

  sessionRoutes(app, services);
  accountLogRoutes(app, services);

  app.get('/.well-known/jwks.json', {
    config: { access: 'public' },
    schema: {
      operationId: 'keySet',
      summary: 'The keys by which other services verify tokens (RFC 7517)',
      response: answers(KeySet),
    },
    handler: (_request, reply) => reply.header('cache-control', 'public, max-age=300').send(tokens.keySet()),
  });
}

/** Sends a client that sent `Device-Proof` its valid proof in the same header. */
export async function answerProof(
  { db, clock }: Pick<Services, 'db' | 'clock'>,
  { headers }: FastifyRequest,
  reply: FastifyReply,
  session: { userId: string; sessionId: string },
): Promise<void> {
  const sent = readProofs(headers['device-proof']);
  const proof = sent && (await renewProof(db, session, sent, clock.now()).catch(ignoreOverload));
  if (proof !== undefined) reply.header('device-proof', proof);
}

/** The request succeeds without a proof: the device gets one the next time. */
function ignoreOverload(error: unknown): undefined {
  if (!(error instanceof ServiceError && error.word === 'overloaded')) throw error;
}
