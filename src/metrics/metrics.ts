import type { FastifyRequest } from 'fastify';
import release from '../../package.json' with { type: 'json' };
import { Durations } from '../collections/durations.ts';
import type { App, ServerHooks } from '../http/server.ts';
import type { Services } from '../services.ts';
import { measureEventLoop } from './event-loop.ts';
import { serveMetrics } from './metrics-server.ts';
import { ScrapedMetrics } from './scraped-metrics.ts';
import { defineServiceMetrics } from './service-metrics.ts';
import { StoredFigures } from './stored-figures.ts';
import { defineSystemMetrics } from './system-metrics.ts';

/** Bounds that OpenTelemetry advises for HTTP, in seconds. */
const HTTP_BOUNDS = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10];

/** The methods that routes have; others count as `_OTHER`, as OpenTelemetry calls them. */
const METHODS = new Set(['GET', 'HEAD', 'POST', 'OPTIONS']);

/**
 * Measures this process, and serves `/metrics` at an address of its own (docs/metrics.md).
 *
 * @param services opened with `metrics` in their configuration, so that the database and pushes are measured
 * @returns what ends that; `measure` is to be called with the server before its routes are defined
 * @throws {MetricsAddressError}
 */
export async function openMetrics(services: Services, address: { host: string; port: number }) {
  const { config, clock, db, log } = services;
  await using opening = new AsyncDisposableStack();
  const metrics = new ScrapedMetrics();
  const requests = new Durations(HTTP_BOUNDS);
  const stored = opening.use(new StoredFigures(db, clock, config.bcryptCost));
  let hooks: ServerHooks | undefined;
  const countSockets = () => hooks?.countSockets() ?? { open: 0, opened: 0 };
  metrics.gauge('doorman_build_info', 'Always 1, with the version of the service and its database.', () => [
    { labels: { version: release.version, database: db.kind }, value: 1 },
  ]);
  metrics.histogram(
    'http_server_request_duration_seconds',
    'How long requests took to be answered, by method, route template (none: no route) and status.',
    requests,
    ['http_request_method', 'http_route', 'http_response_status_code'],
  );
  defineServiceMetrics(metrics, services, countSockets, stored);
  defineSystemMetrics(metrics, services, stored);
  opening.use(measureEventLoop(metrics));
  const server = await serveMetrics(address, metrics, (err) =>
    log.error({ err }, 'the metrics could not be read'),
  );
  opening.use(server);
  log.info({ metricsUrl: server.url }, 'serving metrics');
  return Object.assign(opening.move(), {
    measure(app: App) {
      // From their head to the end of the answer. What Node refuses because it cannot be read, and sockets, are not among them.
      app.addHook('onResponse', (request, reply, done) => {
        requests.add(`${kindOf(request)} ${reply.statusCode}`, reply.elapsedTime / 1000);
        done();
      });
      hooks = app.hooks;
    },
  });
}

/** The method and the route template of a request, with a space between them. */
function kindOf({ method, is404, routeOptions }: FastifyRequest): string {
  return `${METHODS.has(method) ? method : '_OTHER'} ${is404 ? 'none' : (routeOptions.url ?? 'none')}`;
}
