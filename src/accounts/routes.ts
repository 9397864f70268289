import type { FastifyReply, FastifyRequest } from 'fastify';
import { ServiceError } from '../errors.ts';
import { callerOf, disconnectSignal } from '../http/authenticate.ts';
import { addressKeyOf, addressOf } from '../http/client-address.ts';
import { answers, dataAnswer, MessageOnly, messageAnswer } from '../http/envelope.ts';
import type { App } from '../http/server.ts';
import { textFor } from '../http/texts/language.ts';
import type { Services } from '../services.ts';
import { toOwnUser } from '../users/schemas.ts';
import { changePassword, type LimitLogins, logIn, register } from './accounts.ts';
import { findProof, readProofs, renewProof } from './device-proofs.ts';
import { resetPasswordByLink } from './reset-password.ts';
import {
  ChangePasswordBody,
  DEVICE_PROOF,
  FreshToken,
  KeySet,
  LoggedIn,
  LoginBody,
  NoFields,
  PasswordLinkBody,
  RegisterBody,
  Registered,
  ServiceOptions,
  WITH_PROOF,
} from './schemas.ts';
import { type LogAct, sessionRoutes } from './session-routes.ts';
import { endSurplusSessions } from './sessions.ts';

export async function accountRoutes(app: App, services: Services): Promise<void> {
  const { accounts, clock, config, db, events, limits } = services;
  const { admission, authentication, commonPasswords, loginAttempts, passwordAttempts, passwords, tokens } =
    accounts;
  const { now } = clock;
  const { securityLog } = limits;

  /** Sends a client that sent `Device-Proof` its valid proof in the same header. */
  async function answerProof(
    request: FastifyRequest,
    reply: FastifyReply,
    session: { userId: string; sessionId: string },
  ): Promise<void> {
    const sent = readProofs(request.headers['device-proof']);
    const proof = sent && (await renewProof(db, session, sent, now()).catch(ignoreOverload));
    if (proof !== undefined) reply.header('device-proof', proof);
  }

  /** Limits the guesses of one account, unless logins have no limit (`RATE_LIMIT_AUTH=off`). */
  function limitLogins(request: FastifyRequest): LimitLogins {
    const address = addressKeyOf(request.raw, config.trustProxy);
    return async (userId, verify) => {
      if (!loginAttempts) return verify();
      const sent = readProofs(request.headers['device-proof']) ?? [];
      const proof = await findProof(db, userId, sent, now());
      return loginAttempts.limit(userId, { address, proof }, verify);
    };
  }

  const addressIn = ({ raw }: FastifyRequest) => addressOf(raw, config.trustProxy);

  /** Returns what logs the acts of a request. The address is read now: a lost connection has none. */
  function logFor({ raw }: FastifyRequest): LogAct {
    const address = addressKeyOf(raw, config.trustProxy);
    return (event, userId, count) => securityLog.write(event, userId, address, count);
  }

  app.get('/api/options', {
    config: { access: 'public' },
    schema: {
      operationId: 'options',
      summary: 'Get what a client needs to know before a user is signed in, such as who may register',
      response: answers(dataAnswer(ServiceOptions)),
    },
    handler: async () => {
      const { passwordList, registration } = config;
      return { code: 200 as const, data: { registration, passwordList } };
    },
  });

  app.post('/api/register', {
    config: { access: 'public', limit: 'auth' },
    schema: {
      operationId: 'register',
      summary: 'Create an account and sign in',
      parameters: [DEVICE_PROOF],
      answerHeaders: WITH_PROOF,
      body: RegisterBody,
      response: answers(
        messageAnswer(Registered),
        [400, 'username_invalid', 'nickname_invalid', 'avatar_invalid', 'password_common', 'username_taken'],
        [403, 'registration_closed', 'invite_required'],
      ),
    },
    handler: async (request, reply) => {
      const signal = disconnectSignal(reply);
      const log = logFor(request);
      const address = addressIn(request);
      const context = { db, events, passwords, commonPasswords, admission, now: now(), signal, address };
      const { user, sessionId } = await register(context, request.body, deviceOf(request));
      const { id, username, nickname, email } = user;
      log('signed_in', id);
      const token = await tokens.issue(id, sessionId);
      await answerProof(request, reply, { userId: id, sessionId });
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
      summary: 'Sign in with username and password',
      parameters: [DEVICE_PROOF],
      answerHeaders: WITH_PROOF,
      body: LoginBody,
      response: answers(
        dataAnswer(LoggedIn),
        [400, 'unknown_user', 'wrong_password'],
        [403, 'account_suspended'],
        [429, 'too_many_logins'],
      ),
    },
    handler: async (request, reply) => {
      const { username, password } = request.body;
      const signal = disconnectSignal(reply);
      const context = { db, passwords, now: now(), signal, address: addressIn(request) };
      const log = logFor(request);
      const addressKey = addressKeyOf(request.raw, config.trustProxy);
      const limit = limitLogins(request);
      const { user, sessionId } = await logIn(context, username, password, deviceOf(request), limit).catch(
        (error) => {
          if (error instanceof ServiceError && error.kind !== 'rate-limited')
            securityLog.failedSignIn(error.userId, addressKey);
          throw error;
        },
      );
      log('signed_in', user.id);
      const surplus = await endSurplusSessions({ db, events }, user.id, sessionId, context.now);
      log('session_ended', user.id, surplus);
      await answerProof(request, reply, { userId: user.id, sessionId });
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
      parameters: [DEVICE_PROOF],
      body: ChangePasswordBody,
      response: answers(MessageOnly, [400, 'password_common', 'wrong_old_password'], 401),
    },
    handler: async (request, reply) => {
      const caller = callerOf(request);
      const { oldPassword, newPassword } = request.body;
      const log = logFor(request);
      const ended = await passwordAttempts.guard(caller.userId, () =>
        changePassword(
          { db, events, passwords, commonPasswords, now: now(), signal: disconnectSignal(reply) },
          caller,
          oldPassword,
          newPassword,
          readProofs(request.headers['device-proof']),
        ),
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
      summary: "Set a new password by a link of the operator, which ends all of the user's sessions",
      parameters: [DEVICE_PROOF],
      answerHeaders: WITH_PROOF,
      body: PasswordLinkBody,
      response: answers(MessageOnly, [400, 'link_invalid', 'password_common']),
    },
    handler: async (request, reply) => {
      const { token, newPassword } = request.body;
      const context = { db, events, passwords, commonPasswords, now, signal: disconnectSignal(reply) };
      const log = logFor(request);
      const wantsProof = request.headers['device-proof'] !== undefined;
      const used = await resetPasswordByLink(context, token, newPassword, wantsProof);
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
      parameters: [DEVICE_PROOF],
      answerHeaders: WITH_PROOF,
      body: NoFields,
      response: answers(dataAnswer(FreshToken), 400, 401),
    },
    handler: async (request, reply) => {
      const { userId, sessionId } = callerOf(request);
      authentication.markUsed([sessionId], addressIn(request));
      await answerProof(request, reply, { userId, sessionId });
      return { code: 200 as const, data: { token: await tokens.issue(userId, sessionId) } };
    },
  });

  sessionRoutes(app, services, logFor);

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

/** The request succeeds without a proof: the device gets one the next time. */
function ignoreOverload(error: unknown): undefined {
  if (!(error instanceof ServiceError && error.word === 'overloaded')) throw error;
}

/** How the client names itself, stored so that a user can recognize each session. */
function deviceOf({ headers }: FastifyRequest): string {
  return (headers['user-agent'] ?? '').slice(0, 200);
}
