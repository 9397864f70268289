import Value from 'typebox/value';
import { describeRoutes } from '../src/health/openapi.ts';
import { WORDS_OF_ANY_CALL } from '../src/http/errors.ts';
import type { App } from '../src/http/server.ts';
import type { Answer, Body, TestService } from './harness.ts';

/** `/openapi.json`, with each reference replaced by what it names. */
export async function readDescription(service: Pick<TestService, 'get'>): Promise<Body> {
  const { body } = await service.get('/openapi.json');
  return inline(body, body);
}

/** A part of a document with each reference replaced by what it names in the whole, and by what stands beside the reference. */
export function inline(value: Body, whole: Body): Body {
  if (Array.isArray(value)) return value.map((one) => inline(one, whole));
  if (typeof value !== 'object' || value === null) return value;
  if (typeof value.$ref === 'string') {
    const { $ref, ...beside } = value;
    const path: string[] = $ref.slice('#/'.length).split('/');
    const named = path.reduce((part: Body, key) => part[key], whole);
    return inline({ ...named, ...beside }, whole);
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

/** An operation with a pattern of its paths. */
interface Described {
  readonly method: string;
  readonly path: string;
  readonly pattern: RegExp;
  readonly responses: Body;
}

/** Every service of the tests has the same routes. */
let described: Promise<readonly Described[]> | undefined;

/**
 * Checks that an answer is as `/openapi.json` says: the word of a refusal, the fields of its head that are the service's own, and its body,
 * which has no other fields.
 *
 * @returns the path as the description spells it; `undefined` for a route that is not described
 * @throws {Error} what is missing in the description
 */
export async function checkAnswer(
  app: App,
  method: string,
  url: string,
  answer: Answer,
): Promise<string | undefined> {
  described ??= describeRoutes(app.definedRoutes).then((text) => toDescribed(JSON.parse(text)));
  const [target = ''] = url.split('?');
  const operation = (await described).find((one) => one.method === method && one.pattern.test(target));
  if (!operation) return undefined;
  const { status, body, headers, text } = answer;
  const response = operation.responses[status];
  const seen = `${method} ${operation.path}: ${status} ${text.slice(0, 300)}`;
  if (!response) throw new Error(`/openapi.json does not have this code: ${seen}`);
  checkWord(operation, answer, response['x-error-words'] ?? []);
  for (const name of OWN_HEADERS) {
    const field: Body = response.headers[name];
    const value = headers[name.toLowerCase()];
    if (value === undefined ? field?.required : !field)
      throw new Error(`/openapi.json does not fit the header ${name}, ${value}: ${seen}`);
    if (field?.schema.type === 'integer' && value !== undefined && !/^[1-9]\d*$/.test(String(value)))
      throw new Error(`the header ${name} is no integer, ${value}: ${seen}`);
  }
  const schema: Body = response.content?.['application/json']?.schema;
  if (!schema) return operation.path;
  if (!Value.Check(schema, body)) throw new Error(`/openapi.json has other fields or values: ${seen}`);
  // The description of the description ends at its first field.
  const other = operation.path === '/openapi.json' ? undefined : otherField(schema, body);
  if (other !== undefined) throw new Error(`/openapi.json does not have "${other}": ${seen}`);
  return operation.path;
}

/** Those that clients act on; the others are of HTTP itself, of CORS or of the page. */
const OWN_HEADERS = [
  'Device-Proof',
  'RateLimit',
  'RateLimit-Policy',
  'Retry-After',
  'WWW-Authenticate',
  'X-Request-Id',
];

function toDescribed(description: Body): Described[] {
  const { paths } = inline(description, description);
  return operations(paths).map(([path, method, { responses }]) => ({
    method,
    path,
    pattern: new RegExp(`^${path.replaceAll('.', '\\.').replace(/{.*?}/g, '[^/]+')}$`),
    responses,
  }));
}

function checkWord(
  { method, path }: Described,
  { status, body: { error } }: Answer,
  words: readonly string[],
): void {
  if (status < 400 || error === undefined || words.includes(error)) return;
  if (WORDS_OF_ANY_CALL[status]?.includes(error)) return;
  throw new Error(
    `${method} ${path} refused with ${status} "${error}", which /openapi.json does not have: add it to the route's schema, as in answers(.., [${status}, '${error}'])`,
  );
}

/** @returns a field at any depth that is not in the schema; our schemas do not forbid other fields */
function otherField(schema: Body, value: unknown): string | undefined {
  if (Array.isArray(value)) return firstOf(value, (one) => otherField(schema.items, one));
  if (typeof value !== 'object' || value === null) return undefined;
  if (schema.additionalProperties) return undefined; // a record, whose fields Value.Check has checked
  const variants: Body[] = schema.anyOf ?? [schema];
  const fitting = variants.find((one) => Object.keys(value).every((name) => name in (one.properties ?? {})));
  if (!fitting) return Object.keys(value).join(', ');
  return firstOf(Object.entries(value), ([name, inner]) => otherField(fitting.properties[name], inner));
}

function firstOf<One>(list: readonly One[], find: (one: One) => string | undefined): string | undefined {
  for (const one of list) {
    const found = find(one);
    if (found !== undefined) return found;
  }
  return undefined;
}
