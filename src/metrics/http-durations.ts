import type { FastifyRequest } from 'fastify';
import type { Durations } from '../db/durations.ts';
import type { App } from '../http/server.ts';

/** The methods that routes have; others count as `_OTHER`, as OpenTelemetry calls them. */
const METHODS = new Set(['GET', 'HEAD', 'POST', 'OPTIONS']);
/** Requests for a path without a route. */
const NO_ROUTE = 'none';

/**
 * Counts how long requests take, from their head to the end of the answer, by method, route template and status, with spaces
 * between them. What Node or the router refuses because it cannot be read, and sockets, are not among them.
 */
export function measureRequests(app: App, durations: Durations): void {
  app.addHook('onResponse', (request, reply, done) => {
    durations.add(`${methodOf(request)} ${routeOf(request)} ${reply.statusCode}`, reply.elapsedTime / 1000);
    done();
  });
}

function methodOf({ method }: FastifyRequest): string {
  return METHODS.has(method) ? method : '_OTHER';
}

function routeOf(request: FastifyRequest): string {
  return request.is404 ? NO_ROUTE : (request.routeOptions.url ?? NO_ROUTE);
}
