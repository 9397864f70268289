import { readFile } from 'node:fs/promises';
import swagger from '@fastify/swagger';
import Fastify from 'fastify';
import { ErrorAnswer } from '../http/envelope.ts';
import type { DefinedRoute } from '../http/server.ts';

/** Our annotations of a schema, which are not of JSON Schema (`http/validation.ts`). */
const OWN_ANNOTATIONS = new Set(['refusal', 'tooLong', 'refine']);

/** A route's schemas; those of its answers are keyed by code. */
interface Definition {
  response?: Record<string, object>;
}

/** Interface 7. */
const MEANINGS: Record<string, string> = {
  200: 'Success',
  400: 'Bad request parameters',
  401: 'Not authenticated or token expired',
  403: 'No permission',
  404: 'Resource not found',
  429: 'Too many requests',
  500: 'Internal server error',
  503: 'Not ready', // `/readyz` only
};

/**
 * The OpenAPI 3.1 description of the routes, as text. It is made by a second application with the same definitions, which
 * serves nothing, so that the service starts without loading OpenAPI. A path with a parameter may be malformed, so it gets a
 * 400 that no definition has. Pages, which have `hide`, are left out.
 */
export async function describeRoutes(routes: readonly DefinedRoute[]): Promise<string> {
  const app = Fastify();
  app.setValidatorCompiler(() => () => true);
  app.setSerializerCompiler(() => () => '');
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: await readInfo(),
      servers: [{ url: '/' }],
      components: {
        securitySchemes: {
          token: {
            type: 'http',
            scheme: 'bearer',
            bearerFormat: 'JWT',
            description: 'The `token` of register or login',
          },
        },
      },
    },
  });
  for (const { definedBy, route } of routes) {
    const { method, url, config, schema = {} } = route;
    if (isHidden(schema)) continue;
    const { response = {}, ...request }: Definition = withoutAnnotations(schema);
    const security = config?.access === 'public' ? [] : [{ token: [] }];
    app.route({
      method,
      url,
      schema: {
        ...request,
        response: Object.fromEntries(
          Object.entries({ ...response, ...(url.includes(':') && { 400: ErrorAnswer }) }).map(
            ([code, schema]) => [code, { ...schema, description: MEANINGS[code] }],
          ),
        ),
        tags: [definedBy.replace(/Routes$/, '')],
        security,
      },
      handler: async () => '',
    });
  }
  await app.ready();
  return JSON.stringify(app.swagger());
}

export function isHidden(schema: object): boolean {
  return 'hide' in schema;
}

async function readInfo(): Promise<{ title: string; version: string; description: string }> {
  const text = await readFile(new URL('../../package.json', import.meta.url), 'utf8');
  const { version, description }: { version: string; description: string } = JSON.parse(text);
  return { title: 'Doorman', version, description };
}

function withoutAnnotations(value: object): object {
  const text = JSON.stringify(value, (key, inner) => (OWN_ANNOTATIONS.has(key) ? undefined : inner));
  return JSON.parse(text);
}
