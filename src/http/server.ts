import type { IncomingMessage } from 'node:http';
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import Fastify, { type FastifyInstance, LogController, type RawReplyDefaultExpression, type RawRequestDefaultExpression, type RawServerDefault } from 'fastify';
import type { Logger } from 'pino';
import type { TObject } from 'typebox';
import { BODY_LIMIT_BYTES, parseBody } from './body.ts';
import { answerError, errorBody, isEnglishPath, refusal } from './errors.ts';
import { readFields } from './validation.ts';

export type App = FastifyInstance<RawServerDefault, RawRequestDefaultExpression, RawReplyDefaultExpression, Logger, TypeBoxTypeProvider>;

const JSON_TYPE = 'application/json; charset=utf-8';

/**
 * The HTTP server without any route: JSON in and out, one envelope for everything, also for what the framework
 * and Node refuse by themselves (DESIGN 3, Envelope). The answer's status is always its `code`.
 */
export function openServer(log: Logger): App {
  const processTag = crypto.randomUUID().slice(0, 8);
  let requests = 0;
  const app: App = Fastify({
    loggerInstance: log,
    logController: new LogController({ disableRequestLogging: true }),
    childLoggerFactory: (logger) => logger,
    genReqId: () => `${processTag}-${(++requests).toString(36)}`,
    bodyLimit: BODY_LIMIT_BYTES,
    exposeHeadRoutes: false,
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    requestTimeout: 30_000,
    frameworkErrors: (error, request, reply) => {
      reply.header('x-request-id', request.id).header('x-content-type-options', 'nosniff');
      answerError(error, request, reply);
    },
    clientErrorHandler(error, socket) {
      if (socket.writable && !socket.destroyed && !('code' in error && error.code === 'ECONNRESET')) {
        const body = errorBody(400, 'malformed_request', '请求格式不正确');
        socket.write(`HTTP/1.1 400 Bad Request\r\nContent-Type: ${JSON_TYPE}\r\nX-Content-Type-Options: nosniff\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`);
      }
      socket.destroy();
    },
  }).withTypeProvider<TypeBoxTypeProvider>();

  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, bytes, done) => {
    try {
      refuseEncoded(request.raw);
      done(null, parseBody(Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes)));
    } catch (error) {
      done(error as Error); // parseBody throws nothing but errors
    }
  });
  app.setValidatorCompiler(({ schema, httpPart, url }) => (input: unknown) => {
    try {
      if (typeof input !== 'object' || input === null) throw refusal('invalid', httpPart === 'body' ? 'body_empty' : 'malformed_request');
      return { value: readFields(schema as TObject, input, isEnglishPath(url)) }; // every body and query of ours is one object
    } catch (error) {
      return { error: error as Error }; // readFields throws nothing but errors
    }
  });
  app.setErrorHandler(answerError);
  app.setNotFoundHandler((request, reply) => answerError(refusal('not-found', 'route_not_found'), request, reply));
  return app;
}

function refuseEncoded({ headers }: IncomingMessage): void {
  const encoding = headers['content-encoding'];
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity') throw refusal('invalid', 'content_encoding');
  const charset = /;\s*charset\s*=\s*"?([^";\s]*)/i.exec(headers['content-type'] ?? '')?.[1];
  if (charset !== undefined && !/^utf-?8$/i.test(charset)) throw refusal('invalid', 'media_type');
}
