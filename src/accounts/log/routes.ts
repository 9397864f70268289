import { callerOf } from '../../http/authenticate.ts';
import { answers, dataAnswer } from '../../http/envelope.ts';
import type { App } from '../../http/server.ts';
import type { Services } from '../../services.ts';
import { readLog } from './read-log.ts';
import { AccountLogPage, AccountLogQuery } from './schemas.ts';

export function accountLogRoutes(app: App, { db }: Pick<Services, 'db'>): void {
  app.get('/api/account/log', {
    schema: {
      operationId: 'accountLog',
      summary: "List what happened to the user's own account, newest first",
      querystring: AccountLogQuery,
      response: answers(dataAnswer(AccountLogPage), 400, 401),
    },
    handler: async (request) => {
      const { userId } = callerOf(request);
      return { code: 200 as const, data: await readLog(db, userId, request.query) };
    },
  });
}
