import type { IncomingMessage, Server } from 'node:http';
import { setImmediate } from 'node:timers/promises';
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import buildSerializer, { type AnySchema } from 'fast-json-stringify';
import Fastify, {
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
  type RawReplyDefaultExpression,
  type RawRequestDefaultExpression,
  type RawServerDefault,
  type RouteOptions,
} from 'fastify';
import type { Logger } from 'pino';
import type { TObject } from 'typebox';
import type { ServiceError } from '../errors.ts';
import { BODY_LIMIT_BYTES, hasBadText, parseBody } from './body.ts';
import { answerBrokenRequests } from './broken-requests.ts';
import type { TrustedNetworks } from './client-address.ts';
import { allowOrigins } from './cors.ts';
import { answerError, refusal } from './errors.ts';
import type { RequestLog } from './log/request-log.ts';
import { hasValidHost } from './parse/host.ts';
import { readFields, readNumbers } from './validation.ts';

export type App = FastifyInstance<
  RawServerDefault,
  RawRequestDefaultExpression,
  RawReplyDefaultExpression,
  Logger,
  TypeBoxTypeProvider
>;

/** Stands for a path that the router cannot read; no route has it, and no client can send it. */
const UNREADABLE_PATH = '/ ';
const END_IDLE_MS = 50;
/** Twice the system's queue of connections that wait to be accepted, which Node limits to 511. */
const MAX_ACCEPTING_TURNS = 1_024;
/** On a busy server so many turns take long, and all of them would delay its end. */
const MAX_ACCEPTING_MS = 1_000;

declare module 'fastify' {
  /** What `/openapi.json` says of a route besides the shapes of its requests and answers. */
  interface FastifySchema {
    /** A page or a file, which is not described. */
    hide?: true;
    /** A verb of the product, which never changes: the name of the kit's method, if it has one. */
    operationId?: string;
    /** What a call does, in one line. */
    summary?: string;
    description?: string;
    /** The media types of its body, where that is not JSON, and those of a success. */
    consumes?: readonly string[];
    produces?: readonly string[];
    /** Header fields that the route reads by itself, as OpenAPI describes parameters. */
    parameters?: readonly object[];
    /** Header fields of a success, as OpenAPI describes them, besides those of all answers. */
    answerHeaders?: Readonly<Record<string, object>>;
  }
  interface FastifyInstance {
    readonly hooks: ServerHooks;
    /** The next request id, for answers that Fastify does not create. */
    readonly nextRequestId: () => string;
    readonly lifecycle: Lifecycle;
    readonly trustProxy: TrustedNetworks;
    /** All routes in the order of their definition, without the HEAD that each GET has. */
    readonly definedRoutes: readonly DefinedRoute[];
  }
}

interface Lifecycle {
  /**
   * `leaving`: the server serves as before, but is not ready, so that a load balancer stops using it. `draining`: it answers the
   * requests in flight and accepts no new sockets.
   */
  phase: 'serving' | 'leaving' | 'draining';
}

/** Hooks that other rooms set, as the server imports none of them. A hook that is not set does nothing. */
export interface ServerHooks {
  /** Which requests become sockets; `socketRoutes` sets it. */
  mayUpgrade: (request: IncomingMessage) => boolean;
  /** The connections that are sockets now, and how many became one since the start; `socketRoutes` sets it. */
  countSockets: () => { open: number; opened: number };
  /**
   * Called for each refusal by a limit, of a request or of a frame, with the user if known, and the key of the client's address
   * (`addressKeyOf`); `buildApp` sets it.
   */
  countRefusal: (refused: ServiceError, userId: string | undefined, address: string) => void;
  /**
   * Answers a browser that opens an address without a route with a document; never rejects. `false`: the request gets the
   * envelope. `pageRoutes` sets it.
   */
  sendNotFoundPage: (request: FastifyRequest, reply: FastifyReply) => Promise<boolean>;
}

export interface DefinedRoute {
  /** The name of the function that defines the route, such as `blockRoutes`. */
  readonly definedBy: string;
  readonly route: RouteOptions;
}

interface ServerOptions {
  readonly requestTimeoutMs?: number;
  readonly requestLog?: RequestLog | null;
  readonly origins?: readonly string[];
  readonly trustProxy?: TrustedNetworks;
}

/**
 * The HTTP server without routes: JSON in and out, and one envelope for every answer, also for what the framework and Node
 * refuse by themselves (architecture 10.1). The status of an answer is always its `code`.
 * Which parts of the framework are replaced, and why: docs/decisions/033-fastify.md.
 *
 * @param options.requestTimeoutMs how long a request may take to arrive
 * @param options.origins whose pages may call the interface
 * @param options.trustProxy whose `X-Forwarded-For` counts where a refusal is logged
 * @param options.requestLog logs each answer; null: none
 */
export function openServer(
  log: Logger,
  { requestTimeoutMs = 30_000, requestLog = null, origins = [], trustProxy = [] }: ServerOptions = {},
): App {
  const cors = allowOrigins(origins);
  const processTag = crypto.randomUUID().slice(0, 8);
  let requests = 0;
  const nextId = () => `${processTag}-${(++requests).toString(36)}`;
  const app: App = Fastify({
    loggerInstance: log,
    logController: new LogController({ disableRequestLogging: true }),
    childLoggerFactory: (logger) => logger,
    genReqId: nextId,
    bodyLimit: BODY_LIMIT_BYTES,
    exposeHeadRoutes: true,
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    requestTimeout: requestTimeoutMs,
    http: {
      // Without it, once there is a listener for upgrades, no request with an `Upgrade` header would reach its route. Some
      // clients offer HTTP/2 so with their first request (`Upgrade: h2c`).
      shouldUpgradeCallback: (request: IncomingMessage) => app.hooks.mayUpgrade(request),
      // Node refuses a request without Host with an empty body; ours, below, has the envelope.
      requireHostHeader: false,
      // Node swaps the two timeouts if this one, 60 s by default, is longer.
      headersTimeout: requestTimeoutMs,
      connectionsCheckingInterval: requestTimeoutMs / 6,
    },
    // The router cannot read the path. Such a request takes the way of one without a route, so that it is logged, counted and
    // authorized as every other.
    frameworkErrors: (_error, { raw }, { raw: answer }) => {
      app.routing(Object.assign(raw, { originalUrl: raw.url, url: UNREADABLE_PATH }), answer);
    },
    clientErrorHandler: (error, socket) => refuseBroken(error, socket),
  }).withTypeProvider<TypeBoxTypeProvider>();
  const refuseBroken = answerBrokenRequests(app.server, nextId, requestLog, cors.headersOfUnreadable);
  app.decorate('nextRequestId', nextId);
  app.decorate('hooks', {
    mayUpgrade: () => false,
    countSockets: () => ({ open: 0, opened: 0 }),
    countRefusal: () => {},
    sendNotFoundPage: async () => false,
  });
  app.decorate('lifecycle', { phase: 'serving' });
  app.decorate('trustProxy', trustProxy);
  const definedRoutes: DefinedRoute[] = [];
  app.decorate('definedRoutes', definedRoutes);
  app.addHook('onRoute', function (route) {
    if (route.method !== 'HEAD')
      definedRoutes.push({ definedBy: this.pluginName.split(' -> ').at(-1) ?? '', route });
  });

  app.addHook('onRequest', (request, reply, done) => {
    requestLog?.follow(request, reply);
    reply.header('x-request-id', request.id);
    reply.header('x-content-type-options', 'nosniff');
    reply.headers(cors.headersOf(request.headers.origin));
    if (!hasValidHost(request.raw)) done(refusal('invalid', 'malformed_request'));
    else if (!cors.answerPreflight(request, reply)) done();
  });

  app.addHook('preClose', async () => {
    app.lifecycle.phase = 'draining';
    if (!app.server.listening) return;
    await readWhatArrived(app.server);
    endIdleConnections(app.server);
  });

  app.removeAllContentTypeParsers();
  app.addContentTypeParser(
    'application/json',
    { parseAs: 'buffer' },
    async ({ raw }: FastifyRequest, body: Buffer) => {
      refuseEncoded(raw);
      return body.length === 0 ? undefined : parseBody(body);
    },
  );
  app.setValidatorCompiler(({ schema, httpPart }) => {
    const fields = schema as TObject; // every body and query of ours is one object
    // A route without fields needs no body. Only an empty one is null here: `parseBody` refuses a JSON null.
    const withoutBody = Object.keys(fields.properties).length === 0 ? {} : null;
    return (sent: unknown) => {
      try {
        const input = sent ?? withoutBody;
        if (typeof input !== 'object' || input === null)
          throw refusal('invalid', httpPart === 'body' ? 'body_empty' : 'malformed_request');
        if (httpPart !== 'body' && hasBadText(input)) throw refusal('invalid', 'malformed_request');
        return { value: readFields(fields, httpPart === 'querystring' ? readNumbers(fields, input) : input) };
      } catch (error) {
        return { error: error as Error }; // readFields throws nothing but errors
      }
    };
  });
  app.setSerializerCompiler(({ schema }) => serializerOf(schema as AnySchema)); // every response schema of ours is JSON Schema
  app.setErrorHandler(answerError);
  app.setNotFoundHandler(async (request, reply) => {
    if (await app.hooks.sendNotFoundPage(request, reply)) return reply;
    const isUnreadable = request.url === UNREADABLE_PATH;
    return answerError(
      isUnreadable ? refusal('invalid', 'malformed_request') : refusal('not-found', 'route_not_found'),
      request,
      reply,
    );
  });
  return app;
}

/** Built at the first answer: building all of them took a fifth of the start, and most processes need only a few. */
function serializerOf(schema: AnySchema): (answer: unknown) => string {
  let serialize: ((answer: unknown) => string) | undefined;
  return (answer) => {
    serialize ??= buildSerializer(schema);
    return serialize(answer);
  };
}

/**
 * Accepts the connections that wait in the system's queue, one in each turn of the event loop, and reads what was sent on them.
 * Closing the server at once would reset the waiting ones, and those without a request yet would count as idle: a busy server would
 * not answer calls that had been sent before the signal.
 */
async function readWhatArrived(server: Server): Promise<void> {
  const deadline = performance.now() + MAX_ACCEPTING_MS;
  let accepted = 0;
  const count = () => void accepted++;
  server.on('connection', count);
  for (let turn = 0, quiet = 0; turn < MAX_ACCEPTING_TURNS && quiet < 2; turn++) {
    if (performance.now() >= deadline) break;
    const before = accepted;
    await setImmediate();
    quiet = accepted > before ? 0 : quiet + 1;
  }
  server.off('connection', count);
}

/** Node ends idle connections only when a server begins to close; those that become idle later would delay it. */
function endIdleConnections(server: Server): void {
  const ending = setInterval(() => server.closeIdleConnections(), END_IDLE_MS);
  server.once('close', () => clearInterval(ending));
}

function refuseEncoded({ headers }: IncomingMessage): void {
  const encoding = headers['content-encoding'];
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity')
    throw refusal('invalid', 'content_encoding');
  const charset = /;\s*charset\s*=\s*"?([^";\s]*)/i.exec(headers['content-type'] ?? '')?.[1];
  if (charset !== undefined && !/^utf-?8$/i.test(charset)) throw refusal('invalid', 'media_type');
}
