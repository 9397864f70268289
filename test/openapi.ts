import { isHidden } from '../src/health/openapi.ts';
import { wordsOf } from '../src/health/refused-words.ts';
import { WORDS_OF_ANY_CALL } from '../src/http/errors.ts';
import type { App } from '../src/http/server.ts';
import type { Answer, Body, TestService } from './harness.ts';

/** `/openapi.json`, with each reference replaced by what it names. */
export async function readDescription(service: Pick<TestService, 'get'>): Promise<Body> {
  const { body } = await service.get('/openapi.json');
  return inline(body, body);
}

/** A part of a document with each reference replaced by what it names in the whole. */
export function inline(value: Body, whole: Body): Body {
  if (Array.isArray(value)) return value.map((one) => inline(one, whole));
  if (typeof value !== 'object' || value === null) return value;
  if (typeof value.$ref === 'string') {
    const path: string[] = value.$ref.slice('#/'.length).split('/');
    return inline(
      path.reduce((part: Body, key) => part[key], whole),
      whole,
    );
  }
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, inline(one, whole)]));
}

/** The operations of a description. */
export function operations(paths: Body): [path: string, method: string, operation: Body][] {
  return Object.entries<object>(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]): [string, string, Body] => [
      path,
      method.toUpperCase(),
      operation,
    ]),
  );
}

/** The routes of an application, each with a pattern of its paths. */
const routes = new WeakMap<App, { method: string; pattern: RegExp; words: (code: string) => string[] }[]>();

/**
 * Checks that the word of a refusal is one that the route names or that any call may get, so that `/openapi.json` has it.
 *
 * @throws {Error} how to name it
 */
export function checkWord(app: App, method: string, url: string, { status, body }: Answer): void {
  if (status < 400 || !body) return;
  let known = routes.get(app);
  if (!known) {
    known = app.definedRoutes
      .filter(({ route }) => !isHidden(route.schema ?? {}))
      .map(({ route }) => ({
        method: String(route.method),
        pattern: new RegExp(`^${route.url.replace(/:\w+/g, '[^/]+')}$`),
        words: (code) => wordsOf(route, code),
      }));
    routes.set(app, known);
  }
  const [path = ''] = url.split('?');
  const route = known.find((one) => one.method === method && one.pattern.test(path));
  const { error } = body;
  if (!route || error === undefined) return;
  if (WORDS_OF_ANY_CALL[status]?.includes(error) || route.words(String(status)).includes(error)) return;
  throw new Error(
    `${method} ${path} refused with ${status} "${error}", which /openapi.json does not have: add it to the route's schema, as in answers(.., [${status}, '${error}'])`,
  );
}
