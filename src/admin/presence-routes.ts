import { Type } from 'typebox';
import { answers, dataAnswer } from '../http/envelope.ts';
import type { App } from '../http/server.ts';
import type { Services } from '../services.ts';
import { readPresence } from './presence.ts';
import { PresenceQuery, UserPresence } from './schemas.ts';

export function presenceRoutes(app: App, { db, presence }: Services): void {
  app.get('/api/admin/presence', {
    config: { access: 'key', right: 'users' },
    schema: {
      operationId: 'presenceOf',
      summary: 'Read who of these users is online, whatever they show to others',
      description: 'In the order of `ids`, without users that do not exist',
      querystring: PresenceQuery,
      response: answers(dataAnswer(Type.Array(UserPresence))),
    },
    handler: async ({ query }) => {
      const data = await readPresence(db, presence, query.ids.split(','));
      return { code: 200 as const, data };
    },
  });
}
