import type { FastifyReply, FastifyRequest } from 'fastify';
import { pathOf } from './request-path.ts';

const EXPOSED = 'Device-Proof, RateLimit, RateLimit-Policy, Retry-After, X-Request-Id';
const ORIGIN_LINE = /^origin:[ \t]*(\S+)[ \t]*\r?$/im;

/** Lets pages of these origins call the API and read its headers, also those of answers that no route gives. */
export function allowOrigins(origins: readonly string[]) {
  const isAllowed = (origin: string | undefined) => origin !== undefined && origins.includes(origin);

  /** The headers that let a page read an answer, if its origin is allowed. */
  function headersOf(origin: string | undefined): Record<string, string> {
    if (origins.length === 0) return {};
    if (origin === undefined || !isAllowed(origin)) return { vary: 'Origin' };
    return {
      vary: 'Origin',
      'access-control-allow-origin': origin,
      'access-control-expose-headers': EXPOSED,
    };
  }

  return {
    headersOf,
    /**
     * The same for a head that could not be read, from the last bytes that arrived. Without the line, the origin may have arrived
     * before: the answer names one, and browsers show it to no page of another.
     */
    headersOfUnreadable: (bytes: Buffer) =>
      headersOf(ORIGIN_LINE.exec(bytes.toString('latin1'))?.[1] ?? origins[0]),
    /**
     * Answers the question of a browser what a page may send. @returns false for any other request, and for one to a route for API
     * keys, which no page may call
     */
    answerPreflight(request: FastifyRequest, reply: FastifyReply): boolean {
      if (request.method !== 'OPTIONS' || !isAllowed(request.headers.origin)) return false;
      if (pathOf(request).startsWith('/api/admin/')) return false;
      reply.headers({
        'access-control-allow-methods': 'GET, HEAD, POST',
        'access-control-allow-headers': 'Authorization, Content-Type, Device-Proof',
        'access-control-max-age': '600',
        'content-type': 'application/json; charset=utf-8',
      });
      reply.send('{"code":200}');
      return true;
    },
  };
}
