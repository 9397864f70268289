import { setImmediate } from 'node:timers/promises';
import type { FastifySchema, RouteOptions } from 'fastify';
import type { TObject } from 'typebox';
import release from '../../package.json' with { type: 'json' };
import { ErrorAnswer, MessageOnly } from '../http/envelope.ts';
import { WORDS_OF_ANY_CALL, WORDS_OF_KEY_CALLS } from '../http/errors.ts';
import type { DefinedRoute } from '../http/server.ts';
import type { Annotations } from '../http/validation.ts';
import { SHAPES } from './shapes.ts';
import { shareSchemas } from './shared-schemas.ts';

/** The rooms, in the order of `app.ts`, each by the start of its function's name. */
const ROOMS: Record<string, string> = {
  account: 'Registration, login, passwords, tokens and sessions',
  address: 'The verified e-mail address of the user, and confirming a session by the password',
  recovery: 'A forgotten password, and ending a session by the link of a mail',
  leaving: 'Deletion of the own account, and keeping it after all',
  export: 'The download of what is stored of the user',
  profile: 'The own profile, and the public ones',
  avatar: 'Pictures of users',
  settings: 'Notifications, do-not-disturb and privacy',
  directory: 'All users, and who is online',
  block: 'Blocks of users',
  chat: '1:1 messages, their history, marks and conversations. Each call has a twin on the socket',
  picture: 'Pictures of messages: uploaded first, then named by a message',
  friend: 'Friends and requests',
  report: 'Reports of users to the operator',
  sync: 'The snapshot from which a device starts',
  admin: "For a product's backend, which calls with an API key",
  push: 'Web Push: key, subscriptions, devices, tests, receipts and the log',
  quiet: 'Quiet hours, in which no notification is sent',
  socket: 'The socket. docs/protocol.md and /asyncapi.yaml describe its frames',
  health: 'For operators and programmers, without limits',
};

/** Interface 7, and what is ours, with the names of the shared responses. */
const CODES: Record<string, readonly [meaning: string, component?: string]> = {
  101: ['Switching protocols'],
  200: ['Success'],
  400: ['Bad request parameters', 'BadRequest'],
  401: ['Not authenticated or token expired', 'Unauthenticated'],
  403: ['No permission'],
  404: ['Resource not found'],
  429: ['Too many requests', 'TooManyRequests'],
  500: ['Internal server error', 'InternalError'],
  503: ['Not ready'], // `/readyz` only
};

/** Fields of the heads of answers, by their names in the components. Only the first is in every answer. */
const HEADERS = {
  'X-Request-Id': {
    description: 'Names this answer in the log of the service',
    required: true,
    schema: { type: 'string' },
  },
  'RateLimit-Policy': {
    description:
      'The limit that counts the call: `q` calls in `w` seconds (draft-ietf-httpapi-ratelimit-headers). Absent where the operator set none',
    schema: { type: 'string', examples: ['"api";q=60;w=60'] },
  },
  RateLimit: {
    description:
      'What is left of the limit: `r` calls, for the next `t` seconds. Absent where the operator set none',
    schema: { type: 'string', examples: ['"api";r=59;t=60'] },
  },
  'WWW-Authenticate': {
    description: 'How to authenticate (RFC 9110, 15.5.2)',
    schema: { type: 'string', const: 'Bearer' },
  },
  'Retry-After': {
    description: 'After how many seconds the call may be tried again (RFC 9110, 10.2.3)',
    schema: { type: 'integer', minimum: 1 },
  },
};

/** Every schema of ours in these places is an object. */
interface Definition extends FastifySchema {
  body?: TObject;
  params?: TObject;
  querystring?: TObject;
  response?: Record<string, TObject | { type: 'null'; description?: string }>;
  answerHeaders?: Record<string, object>;
}

type Refer = (schema: object) => object;

/**
 * The OpenAPI 3.1 description of the routes, as text. Pages, which have `hide`, are left out. Any request may be malformed, so each
 * operation has a 400.
 */
export async function describeRoutes(routes: readonly DefinedRoute[]): Promise<string> {
  const { refer, schemas } = shareSchemas({ ...SHAPES, ErrorAnswer, MessageOnly });
  const paths: Record<string, Record<string, object>> = {};
  for (const { definedBy, route } of routes) {
    await setImmediate(); // others are answered meanwhile
    if (isHidden(route.schema ?? {})) continue;
    const path = route.url.replace(/:(\w+)/g, '{$1}');
    paths[path] ??= {};
    paths[path][String(route.method).toLowerCase()] = describeRoute(route, roomOf(definedBy), refer);
  }
  return JSON.stringify({
    openapi: '3.1.0',
    info: describeInfo(),
    servers: [{ url: '/', description: 'The server that sends this description' }],
    tags: Object.entries(ROOMS).map(([name, description]) => ({ name, description })),
    paths,
    components: {
      schemas: schemas(),
      responses: sharedResponses(refer),
      headers: HEADERS,
      securitySchemes: {
        token: {
          type: 'http',
          scheme: 'bearer',
          bearerFormat: 'JWT',
          description: 'The `token` of register or login',
        },
        key: {
          type: 'http',
          scheme: 'bearer',
          description: 'An API key, which the command `api-key add` makes. Never in a browser',
        },
      },
    },
  });
}

export function isHidden(schema: object): boolean {
  return 'hide' in schema;
}

function describeRoute(route: RouteOptions, room: string, refer: Refer): object {
  const { url, config, schema = {} } = route;
  const {
    operationId,
    summary,
    description,
    body,
    consumes,
    produces,
    response = {},
    answerHeaders,
    ...request
  } = schema as Definition;
  const parameters = [
    ...describeParameters('path', request.params, refer),
    ...describeParameters('query', request.querystring, refer),
    ...(request.parameters ?? []),
  ];
  const fields = [body, request.querystring].flatMap((part) => Object.values(part?.properties ?? {}));
  const isForKeys = config?.access === 'key';
  const ofKeys = isForKeys ? WORDS_OF_KEY_CALLS : {};
  const refusals = ['400', ...Object.keys(ofKeys)].map((code) => [code, ErrorAnswer] as const);
  const answers = Object.entries<object>({ ...Object.fromEntries(refusals), ...response });
  const isLimited = url.startsWith('/api/');
  return {
    operationId,
    summary,
    ...(description !== undefined && { description }),
    tags: [room],
    security: config?.access === 'public' ? [] : [isForKeys ? { key: [] } : { token: [] }],
    ...(parameters.length > 0 && { parameters }),
    ...(body && { requestBody: describeBody(body, refer) }),
    ...(consumes && { requestBody: { required: true, content: contentOf(consumes) } }),
    responses: Object.fromEntries(
      answers.map(([code, schema]) => {
        const headers = { ...headersOf(code, isLimited), ...(Number(code) < 400 && answerHeaders) };
        const words = [...(ofKeys[code] ?? []), ...wordsOf(code, schema, fields)];
        if (produces && code === '200')
          return [code, { description: 'Bytes', headers, content: contentOf(produces) }];
        return [code, describeResponse(code, schema, words, headers, refer)];
      }),
    ),
  };
}

/**
 * The words of its own that a route answers a code with, besides `WORDS_OF_ANY_CALL`: those that its response names, and with 400 those
 * of the fields of its body and query.
 */
function wordsOf(code: string, answer: object, fields: Annotations[]): string[] {
  const { words = [] } = answer as { words?: readonly string[] }; // an annotation of `refusedWith`, where present
  return [...new Set([...(code === '400' ? fields.flatMap(wordsOfField) : []), ...words])];
}

function wordsOfField({ refusal, tooLong }: Annotations): string[] {
  return [refusal?.[0] ?? 'invalid_field', ...(tooLong ? [tooLong[0]] : [])];
}

function describeParameters(place: 'path' | 'query', fields: TObject | undefined, refer: Refer): object[] {
  const required: readonly string[] = fields?.required ?? [];
  return Object.entries<object>(fields?.properties ?? {}).map(([name, field]) => {
    const { description, ...schema } = refer(field) as { description?: string };
    return {
      name,
      in: place,
      required: required.includes(name),
      ...(description !== undefined && { description }),
      schema,
    };
  });
}

/** A body without fields may be left out (`http/server.ts`). */
function describeBody(body: TObject, refer: Refer): object {
  const hasFields = Object.keys(body.properties).length > 0;
  return { required: hasFields, content: { 'application/json': { schema: refer(body) } } };
}

/** Bytes of these media types. */
function contentOf(types: readonly string[]): Record<string, object> {
  return Object.fromEntries(types.map((type) => [type, {}]));
}

function headersOf(code: string, isLimited: boolean): Record<string, object> {
  const names = [
    'X-Request-Id',
    ...(isLimited ? ['RateLimit-Policy', 'RateLimit'] : []),
    ...(code === '401' ? ['WWW-Authenticate'] : []),
    ...(code === '429' ? ['Retry-After'] : []),
  ];
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

function describeResponse(
  code: string,
  schema: object,
  words: readonly string[],
  headers: Record<string, object>,
  refer: Refer,
): object {
  const [meaning = '', component] = CODES[code] ?? [];
  if ('type' in schema && schema.type === 'null')
    return { description: 'description' in schema ? schema.description : meaning, headers };
  if (component !== undefined && schema === ErrorAnswer && words.length === 0)
    return { $ref: `#/components/responses/${component}` };
  // Also that of `refusedWith`; one that has further fields is described by itself.
  const isRefusal = 'properties' in schema && schema.properties === ErrorAnswer.properties;
  return {
    description: words.length > 0 ? `${meaning}: ${words.map((word) => `\`${word}\``).join(', ')}` : meaning,
    ...(words.length > 0 && { 'x-error-words': words }),
    headers,
    content: { 'application/json': { schema: refer(isRefusal ? ErrorAnswer : schema) } },
  };
}

/** The refusals without words of their own, which many routes have: also those without a limit, whose answers have no field of it. */
function sharedResponses(refer: Refer): Record<string, object> {
  return Object.fromEntries(
    Object.entries(CODES).flatMap(([code, [, component]]) => {
      const words = WORDS_OF_ANY_CALL[code] ?? [];
      if (component === undefined) return [];
      return [
        [component, describeResponse(code, { ...ErrorAnswer, words }, words, headersOf(code, true), refer)],
      ];
    }),
  );
}

function roomOf(definedBy: string): string {
  return definedBy.replace(/Routes$/, '');
}

function describeInfo(): object {
  const { version, description, license } = release;
  return {
    title: 'Doorman',
    version,
    description: `${description}. A refusal has a word for programs: those of the call, which its answers list, or those of the shared responses, which any call may get. A later version may add words: treat an unknown one by its code.`,
    license: { name: license, identifier: license },
  };
}
