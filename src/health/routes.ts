import events from 'node:events';
import { Worker } from 'node:worker_threads';
import { Type } from 'typebox';
import { ServiceError } from '../errors.ts';
import { answers, codeOf, refusedWith } from '../http/envelope.ts';
import type { App } from '../http/server.ts';
import { textFor } from '../http/texts/language.ts';
import type { Services } from '../services.ts';
import type { ReferencePage } from './reference-worker.ts';
import { sendStored, storeAnswer } from './stored-answer.ts';

const Alive = Type.Object({ code: codeOf(200) });

/** For operators and developers; outside `/api`, so without limits and tokens. */
export async function healthRoutes(app: App, { db, log }: Services): Promise<void> {
  app.get('/healthz', {
    config: { access: 'public' },
    schema: {
      operationId: 'checkAlive',
      summary: 'Whether the process lives',
      response: answers(Alive),
    },
    handler: async () => ({ code: 200 as const }),
  });

  app.get('/readyz', {
    config: { access: 'public' },
    schema: {
      operationId: 'checkReady',
      summary: 'Whether the service takes calls: not while it stops or cannot use its database',
      response: { 200: Alive, 503: refusedWith('draining', 'database') },
    },
    handler: async (request, reply) => {
      const reason = app.lifecycle.phase !== 'serving' ? 'draining' : await databaseFault();
      if (reason === undefined) return { code: 200 as const };
      return reply
        .code(503)
        .send({ code: 503, error: reason, msg: textFor(request, '服务未就绪', 'The service is not ready') });
    },
  });

  async function databaseFault(): Promise<string | undefined> {
    try {
      await db.checkHealth();
      return undefined;
    } catch (err) {
      // Overload is no fault: another node would get the same load.
      if (err instanceof ServiceError) return undefined;
      log.warn({ err }, 'not ready: the database cannot be used');
      return 'database';
    }
  }

  // Made at the first call, so that the service starts without them.
  const openDescription = once(async () => {
    const { describeRoutes } = await import('./openapi.ts');
    return storeAnswer(Buffer.from(await describeRoutes(app.definedRoutes)));
  });
  const openPage = once(renderInWorker);

  app.get('/openapi.json', {
    config: { access: 'public' },
    schema: {
      operationId: 'describe',
      summary: 'This description',
      response: answers(Type.Object({ openapi: Type.String() }, { description: 'This description' })),
    },
    handler: async (request, reply) =>
      sendStored(request, reply, await openDescription(), 'application/json; charset=utf-8'),
  });

  const page = { config: { access: 'public' }, schema: { hide: true } } as const;
  app.get('/docs', page, async (_request, reply) => {
    const { html, contentSecurityPolicy } = await openPage();
    return reply
      .headers({
        'content-type': 'text/html; charset=utf-8',
        'content-security-policy': contentSecurityPolicy,
        'referrer-policy': 'no-referrer',
      })
      .send(html);
  });
  app.get('/docs/', page, async (_request, reply) => reply.redirect('/docs', 308));
  app.get('/docs/reference.js', page, async (request, reply) =>
    sendStored(request, reply, (await openPage()).script, 'text/javascript; charset=utf-8'),
  );
}

async function renderInWorker(): Promise<ReferencePage> {
  const worker = new Worker(new URL('./reference-worker.ts', import.meta.url));
  worker.unref();
  const [page] = await events.once(worker, 'message');
  return page;
}

/** Makes a value at the first call; after a failure again at the next. */
function once<Value>(make: () => Promise<Value>): () => Promise<Value> {
  let made: Promise<Value> | undefined;
  return () => {
    made ??= make().catch((error) => {
      made = undefined;
      throw error;
    });
    return made;
  };
}
