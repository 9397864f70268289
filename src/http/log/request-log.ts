import type { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import {
  addressKeyOf,
  clientKey,
  isTrustedAddress,
  networkOf,
  type TrustedNetworks,
} from '../client-address.ts';

const MAX_PATH_LENGTH = 256;
/** No id of ours and no name of a file of the page is longer; tokens are. */
const MAX_SEGMENT_LENGTH = 40;
/** The ids that proxies make: hexadecimal, UUIDs, base64. */
const PROXY_ID = /^[\w.:=+/@-]{1,128}$/;

/** An answer, or an upgraded request, as it is logged. */
interface LoggedAnswer {
  readonly requestId: string;
  readonly proxyRequestId?: string;
  readonly method?: string;
  readonly route?: string;
  readonly path?: string;
  readonly status?: number;
  /** The client left before the answer was sent whole. */
  readonly aborted?: true;
  readonly durationMs?: number;
  readonly bytes?: number;
  readonly userId?: string;
  readonly network: string;
}

/**
 * Logs a line for each HTTP answer (`LOG_REQUESTS`, docs/commands.md). A line has no query, header, body or whole address, and of the
 * path no segment that is long enough for a token.
 */
export class RequestLog {
  readonly #log: Pick<Logger, 'info'>;
  readonly #trustProxy: TrustedNetworks;
  readonly #monotonicMs: () => number;

  constructor(log: Pick<Logger, 'info'>, trustProxy: TrustedNetworks, monotonicMs: () => number) {
    this.#log = log;
    this.#trustProxy = trustProxy;
    this.#monotonicMs = monotonicMs;
  }

  /** Logs the answer as soon as it is sent, or the connection is lost before. */
  follow(request: FastifyRequest, reply: FastifyReply): void {
    const { raw } = reply;
    const startedMs = this.#monotonicMs();
    // Read now: a lost connection has no address.
    const client = this.describe(request.raw, request.id);
    let isLogged = false;
    const logOnce = (isSent: boolean) => {
      if (isLogged) return;
      isLogged = true;
      const route = request.routeOptions.url;
      const userId = request.caller?.userId;
      const bytes = isSent ? bodyBytes(request, reply) : undefined;
      this.#write({
        ...client,
        ...(route !== undefined && { route }),
        ...(raw.headersSent && { status: raw.statusCode }),
        ...(!isSent && { aborted: true }),
        durationMs: roundMs(this.#monotonicMs() - startedMs),
        ...(bytes !== undefined && { bytes }),
        ...(userId !== undefined && { userId }),
      });
    };
    raw.once('finish', () => logOnce(true));
    raw.once('close', () => logOnce(false));
  }

  /** Logs the answer to what was no valid HTTP request, of which nothing else is known. */
  malformed(requestId: string, status: number, bytes: number, connection: Duplex): void {
    const address = connection instanceof Socket ? connection.remoteAddress : undefined;
    this.#write({ requestId, status, bytes, network: networkOf(clientKey(address, undefined, [])) });
  }

  /** Logs that a request became a socket. */
  upgraded(client: LoggedAnswer, route: string): void {
    this.#write({ ...client, route, status: 101 });
  }

  /** The logged fields of a request and its client. */
  describe(request: IncomingMessage, requestId: string): LoggedAnswer {
    const proxyRequestId = request.headers['x-request-id'];
    // Anyone else could write into the log what they like.
    const isProxyId = typeof proxyRequestId === 'string' && PROXY_ID.test(proxyRequestId);
    return {
      requestId,
      ...(isProxyId &&
        isTrustedAddress(request.socket.remoteAddress, this.#trustProxy) && { proxyRequestId }),
      ...(request.method !== undefined && { method: request.method }),
      path: loggedPath(request.url ?? ''),
      network: networkOf(addressKeyOf(request, this.#trustProxy)),
    };
  }

  #write(answer: LoggedAnswer): void {
    this.#log.info(answer, 'request');
  }
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

/** Tenths of a millisecond are what tells answers apart. */
function roundMs(ms: number): number {
  return Math.round(ms * 10) / 10;
}
