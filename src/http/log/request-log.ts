import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { type Duplex, finished } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import {
  addressKeyOf,
  addressOf,
  isTrustedAddress,
  networkOf,
  type TrustedNetworks,
} from '../client-address.ts';

const MAX_PATH_LENGTH = 256;
/** No id that this service makes and no name of a file of the page is longer; tokens are, and some ids that products brought along. */
const MAX_SEGMENT_LENGTH = 40;
/** The ids that proxies make: hexadecimal, UUIDs, base64. */
const PROXY_ID = /^[\w.:=+/@-]{1,128}$/;

export type RequestLog = ReturnType<typeof openRequestLog>;

/**
 * Logs a line for each HTTP answer (`LOG_REQUESTS`, docs/commands.md). A line has no query, header, body or whole address, and of the
 * path no segment that is long enough for a token.
 */
export function openRequestLog(log: Pick<Logger, 'info'>, trustProxy: TrustedNetworks) {
  const write = (answer: object) => log.info(answer, 'request');

  /** The logged fields of a request and its client. */
  function describe(request: IncomingMessage, requestId: string, url = request.url ?? '') {
    const proxyRequestId = request.headers['x-request-id'];
    // Anyone else could write into the log what they like.
    const isProxyId = typeof proxyRequestId === 'string' && PROXY_ID.test(proxyRequestId);
    return {
      requestId,
      ...(isProxyId && isTrustedAddress(addressOf(request, []), trustProxy) && { proxyRequestId }),
      ...(request.method !== undefined && { method: request.method }),
      path: loggedPath(url),
      network: networkOf(addressKeyOf(request, trustProxy)),
    };
  }

  return {
    describe,
    /** Logs the answer as soon as it is sent, or the connection is lost before. */
    follow(request: FastifyRequest, reply: FastifyReply): void {
      const { raw } = reply;
      // Read now: a lost connection has no address.
      const client = describe(request.raw, request.id, request.originalUrl);
      finished(raw, (error) => {
        const route = request.routeOptions.url;
        const userId = request.caller?.userId;
        const bytes = error ? undefined : bodyBytes(request, reply);
        write({
          ...client,
          ...(route !== undefined && { route }),
          ...(raw.headersSent && { status: raw.statusCode }),
          // The client left before the answer was sent whole.
          ...(error && { aborted: true }),
          // Tenths of a millisecond are what tells answers apart.
          durationMs: Math.round(reply.elapsedTime * 10) / 10,
          ...(bytes !== undefined && { bytes }),
          ...(userId !== undefined && { userId }),
          ...(request.key && { key: request.key.name }),
        });
      });
    },
    /** Logs the answer to what was no valid HTTP request, of which nothing else is known. */
    malformed(requestId: string, status: number, bytes: number, connection: Duplex): void {
      const socket = connection as Socket; // the server listens on TCP
      write({ requestId, status, bytes, network: networkOf(addressKeyOf({ headers: {}, socket }, [])) });
    },
    /** Logs that a request became a socket. */
    upgraded: (client: object, route: string) => write({ ...client, route, status: 101 }),
  };
}

/** A path without query and origin; a long segment is `*`. */
export function loggedPath(url: string): string {
  const path = url
    .slice(0, MAX_PATH_LENGTH)
    .replace(/[?#].*$/s, '')
    .replace(/^[a-z][a-z0-9+.-]*:\/\/[^/]*/i, '');
  return path
    .split('/')
    .map((segment) => (segment.length > MAX_SEGMENT_LENGTH ? '*' : segment))
    .join('/');
}

/** Bytes of the body as sent; `undefined` where its length is not known. */
function bodyBytes({ method }: FastifyRequest, reply: FastifyReply): number | undefined {
  if (method === 'HEAD' || reply.raw.statusCode === 204 || reply.raw.statusCode === 304) return 0;
  const length = reply.getHeader('content-length');
  return length === undefined ? undefined : Number(length);
}
