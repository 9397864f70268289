import { Type } from 'typebox';
import { answers, codeOf, refusedWith } from '../http/envelope.ts';
import type { App } from '../http/server.ts';
import { textFor } from '../http/texts/language.ts';
import type { Services } from '../services.ts';
import type { ReferencePage } from './reference-page.ts';

const Alive = Type.Object({ code: codeOf(200) });

/** For operators and developers; outside `/api`, so without limits and tokens. */
export async function healthRoutes(app: App, { db, lifecycle, log }: Services): Promise<void> {
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
      const isStopping = lifecycle.leaving || lifecycle.draining;
      const reason = isStopping ? 'draining' : await databaseFault();
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
      log.warn({ err }, 'not ready: the database cannot be used');
      return 'database';
    }
  }

  // Loaded and made at the first call, so that the service starts without it.
  let description: Promise<string> | undefined;
  let page: Promise<ReferencePage> | undefined;

  app.get('/openapi.json', {
    config: { access: 'public' },
    schema: {
      operationId: 'describe',
      summary: 'This description',
      response: answers(Type.Object({ openapi: Type.String() }, { description: 'This description' })),
    },
    handler: async (_request, reply) => {
      description ??= import('./openapi.ts')
        .then(({ describeRoutes }) => describeRoutes(app.definedRoutes))
        .catch((error) => {
          description = undefined;
          throw error;
        });
      return reply.header('content-type', 'application/json; charset=utf-8').send(await description);
    },
  });

  app.get('/docs', {
    config: { access: 'public' },
    schema: { hide: true },
    handler: async (_request, reply) => {
      const { html, contentSecurityPolicy } = await openPage();
      return reply
        .header('content-type', 'text/html; charset=utf-8')
        .header('content-security-policy', contentSecurityPolicy)
        .header('referrer-policy', 'no-referrer')
        .send(html);
    },
  });

  app.get('/docs/reference.js', {
    config: { access: 'public' },
    schema: { hide: true },
    handler: async (_request, reply) => {
      const { script } = await openPage();
      return reply.header('content-type', 'text/javascript; charset=utf-8').send(script);
    },
  });

  function openPage(): Promise<ReferencePage> {
    page ??= import('./reference-page.ts')
      .then(({ renderReference }) =>
        renderReference({ openapi: '/openapi.json', script: '/docs/reference.js' }),
      )
      .catch((error) => {
        page = undefined;
        throw error;
      });
    return page;
  }
}
