import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { disconnectSignal, keyOf } from '../http/authenticate.ts';
import { answers, codeOf, dataAnswer, MessageOnly } from '../http/envelope.ts';
import { NextPage } from '../http/pages.ts';
import type { App } from '../http/server.ts';
import { languageFor, textFor } from '../http/texts/language.ts';
import type { Services } from '../services.ts';
import { deleteByKey, restoreByKey, suspendByKey } from './account-status.ts';
import {
  AdminUser,
  AdminUsersQuery,
  PutUserAnswer,
  PutUserBody,
  toAdminUser,
  UserIdBody,
} from './schemas.ts';
import { getAnyUser, listAnyUsers, putUser } from './users.ts';

const FOR_USERS = { access: 'key', right: 'users' } as const;

const ACTIONS = {
  suspend: {
    act: suspendByKey,
    summary: 'Suspend a user until they are restored, and end their sessions',
    chinese: '用户已停用',
    english: 'The user is suspended',
  },
  restore: {
    act: restoreByKey,
    summary: 'Make a user active again who is suspended, or asked for the deletion of their account',
    chinese: '用户已恢复',
    english: 'The user is active',
  },
  delete: {
    act: deleteByKey,
    summary: 'Delete a user for ever; their name stays taken',
    chinese: '用户已删除',
    english: 'The user is deleted',
  },
};

export function userRoutes(app: App, services: Services): void {
  const { accounts, clock, db, events, limits } = services;
  const { mac, mail, passwords, commonPasswords } = accounts;

  const read = (request: FastifyRequest) => {
    const [key, at] = [keyOf(request).name, clock.now()];
    return { db, events, key, at, hasMail: mail !== null };
  };

  app.post('/api/admin/users', {
    config: FOR_USERS,
    schema: {
      operationId: 'putUser',
      summary: 'Create a user with an id of the product, or change what is sent of theirs',
      description: 'Whatever `REGISTRATION` says. The same call again changes nothing',
      body: PutUserBody,
      response: answers(dataAnswer(PutUserAnswer), [
        400,
        ...['username_invalid', 'nickname_invalid', 'avatar_invalid', 'password_common'],
        ...['username_taken', 'username_fixed', 'user_deleted', 'email_taken'],
      ]),
    },
    handler: async (request, reply) => {
      const [language, signal] = [languageFor(request), disconnectSignal(reply)];
      const context = { ...read(request), mac, passwords, commonPasswords, mail, language, signal };
      const { created, user } = await putUser(context, request.body);
      return { code: 200 as const, data: { created, user: toAdminUser(user) } };
    },
  });

  app.get('/api/admin/users/:userId', {
    config: FOR_USERS,
    schema: {
      operationId: 'getUser',
      summary: 'Read a user, also a suspended or deleted one',
      description: 'The names of a user who was erased are empty',
      params: Type.Object({ userId: Type.String() }),
      response: answers(dataAnswer(AdminUser), [404, 'user_not_found']),
    },
    handler: async ({ params }) => ({
      code: 200 as const,
      data: toAdminUser(await getAnyUser(db, params.userId)),
    }),
  });

  app.get('/api/admin/users', {
    config: FOR_USERS,
    schema: {
      operationId: 'listUsers',
      summary: 'List all users by id, a page at a time, also suspended and deleted ones',
      description: 'The names of users who were erased are empty',
      querystring: AdminUsersQuery,
      response: answers(Type.Object({ code: codeOf(200), data: Type.Array(AdminUser), next: NextPage }), [
        400,
        'bad_cursor',
      ]),
    },
    handler: async ({ query }) => {
      const { users, next } = await listAnyUsers(db, query);
      return { code: 200 as const, data: users.map(toAdminUser), ...(next !== undefined && { next }) };
    },
  });

  for (const [action, { act, summary, chinese, english }] of Object.entries(ACTIONS))
    app.post(`/api/admin/users/${action}`, {
      config: FOR_USERS,
      schema: {
        operationId: `${action}User`,
        summary,
        body: UserIdBody,
        response: answers(MessageOnly, [404, 'user_not_found']),
      },
      handler: async (request) => {
        const { userId } = request.body;
        const ended = await act(read(request), userId);
        limits.securityLog.write('session_ended', userId, undefined, ended);
        return { code: 200 as const, message: textFor(request, chinese, english) };
      },
    });
}
