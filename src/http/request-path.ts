import type { FastifyRequest } from 'fastify';

/** Enough to recognize the prefix of an unknown path. */
const MAX_LENGTH = 256;

/**
 * The pattern of the route that answers, such as `/api/user/profile/:userId`. Without a route, the start of the requested path:
 * without the origin of an absolute-form target (RFC 9112, 3.2.2), and with escaped letters decoded as the router does, so
 * that `/api/` is recognized in every spelling.
 */
export function pathOf(request: FastifyRequest): string {
  const { url } = request.routeOptions;
  if (url !== undefined) return url;
  return request.originalUrl
    .slice(0, MAX_LENGTH)
    .replace(/^[a-z][a-z0-9+.-]*:\/\/[^/]*/i, '')
    .replace(/%[2-7][0-9a-f]/gi, (letter) => String.fromCharCode(Number.parseInt(letter.slice(1), 16)));
}
