import { callerOf } from '../http/authenticate.ts';
import { answers, dataAnswer } from '../http/envelope.ts';
import type { App } from '../http/server.ts';
import type { Services } from '../services.ts';
import { Snapshot, takeSnapshot } from './sync.ts';

export async function syncRoutes(app: App, { db, epoch }: Services): Promise<void> {
  app.get('/api/sync', {
    schema: { response: answers(dataAnswer(Snapshot), 401) },
    handler: async (request) => ({
      code: 200 as const,
      data: await takeSnapshot(db, callerOf(request).userId, epoch),
    }),
  });
}
