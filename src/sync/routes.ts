import { callerOf } from '../http/authenticate.ts';
import { answers, dataAnswer } from '../http/envelope.ts';
import type { App } from '../http/server.ts';
import type { Services } from '../services.ts';
import { Snapshot, takeSnapshot } from './snapshot.ts';

export async function syncRoutes(app: App, { db, inbox, limits }: Services): Promise<void> {
  app.get('/api/sync', {
    schema: { response: answers(dataAnswer(Snapshot), 401) },
    handler: async (request) => {
      const { userId } = callerOf(request);
      limits.sync.take(userId);
      return { code: 200 as const, data: await takeSnapshot(db, userId, inbox.epoch) };
    },
  });
}
