import { callerOf } from '../http/authenticate.ts';
import { answers, dataAnswer } from '../http/envelope.ts';
import type { App } from '../http/server.ts';
import type { Services } from '../services.ts';
import { Snapshot, takeSnapshot } from './snapshot.ts';

export async function syncRoutes(app: App, { clock, db, inbox, limits }: Services): Promise<void> {
  app.get('/api/sync', {
    schema: {
      operationId: 'snapshot',
      summary: 'Read what a device starts from: the first page of every list, true at one `seq`',
      response: answers(dataAnswer(Snapshot), 401, [429, 'too_many_syncs']),
    },
    handler: async (request) => {
      const { userId } = callerOf(request);
      limits.sync.take(undefined, userId);
      return { code: 200 as const, data: await takeSnapshot(db, userId, inbox.epoch, clock.now()) };
    },
  });
}
