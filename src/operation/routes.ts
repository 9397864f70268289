import { Type } from 'typebox';
import { answers, ErrorAnswer } from '../http/envelope.ts';
import type { App } from '../http/server.ts';
import type { Services } from '../services.ts';

const Alive = Type.Object({ code: Type.Literal(200) });

/** For whoever runs the service; outside `/api`, so neither counted nor guarded. */
export async function operationRoutes(app: App, { db, log, readiness }: Services): Promise<void> {
  app.get('/healthz', {
    config: { access: 'public' },
    schema: { response: answers(Alive) },
    handler: async () => ({ code: 200 as const }),
  });

  app.get('/readyz', {
    config: { access: 'public' },
    schema: { response: { 200: Alive, 500: ErrorAnswer } },
    handler: async (_request, reply) => {
      const reason = readiness.draining ? 'draining' : await databaseFault();
      if (reason === undefined) return { code: 200 as const };
      return reply.code(500).send({ code: 500, error: reason, msg: '服务未就绪' });
    },
  });

  async function databaseFault(): Promise<string | undefined> {
    try {
      await db.get`select 1 as one`;
      return undefined;
    } catch (err) {
      log.warn({ err }, 'not ready: the database does not answer');
      return 'database';
    }
  }
}
