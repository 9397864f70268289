import { Type } from 'typebox';
import type { Db } from '../db/db.ts';
import { inList } from '../db/fragments.ts';
import { answers, dataAnswer } from '../http/envelope.ts';
import type { App } from '../http/server.ts';
import type { PresenceServices } from '../presence/presence-services.ts';
import type { Services } from '../services.ts';
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
    handler: async ({ query }) => ({
      code: 200 as const,
      data: await readPresence(db, presence, query.ids.split(',')),
    }),
  });
}

/** The presence of these users in the same order, without unknown and deleted ones, whatever they show to other users. */
async function readPresence(
  db: Db,
  { online, lastSeen }: PresenceServices,
  ids: readonly string[],
): Promise<UserPresence[]> {
  const [rows, times] = await Promise.all([
    db.all<{ id: string }>`select id from users where id in ${inList(ids)} and status <> 'deleted'`,
    lastSeen.read(ids),
  ]);
  const known = new Set(rows.map(({ id }) => id));
  return ids
    .filter((id) => known.has(id))
    .map((id) => {
      const isOnline = online.isOnline(id);
      return { id, isOnline: isOnline ? 1 : 0, lastSeen: isOnline ? 0 : (times.get(id) ?? 0) };
    });
}
