import { Durations } from '../db/durations.ts';
import type { App, ServerHooks } from '../http/server.ts';
import type { Services } from '../services.ts';
import { readRelease } from '../version.ts';
import { EventCounts } from './event-counts.ts';
import { EventLoopDelay } from './event-loop.ts';
import { measureRequests } from './http-durations.ts';
import type { Metric } from './metric.ts';
import { serveMetrics } from './metrics-server.ts';
import { RefusalCounts } from './refusal-counts.ts';
import { openRegistry } from './registry.ts';
import { serviceDurations, serviceMetrics } from './service-metrics.ts';
import { StoredFigures } from './stored-figures.ts';
import { HTTP_BOUNDS, systemDurations, systemMetrics } from './system-metrics.ts';

interface OpenMetrics extends AsyncDisposable {
  /** Call it with the server before its routes are defined. */
  readonly measure: (app: App) => void;
}

/**
 * Measures this process, and serves `/metrics` at an address of its own (docs/metrics.md).
 *
 * @param services opened with `metrics` in their configuration, so that the database and pushes are measured
 * @throws {MetricsAddressError}
 */
export async function openMetrics(
  services: Services,
  address: { host: string; port: number },
): Promise<OpenMetrics> {
  const { config, clock, db, limits, log } = services;
  await using opening = new AsyncDisposableStack();
  const requests = new Durations(HTTP_BOUNDS);
  const refusals = new RefusalCounts(limits.refusals);
  const events = new EventCounts(services);
  const delay = opening.use(new EventLoopDelay());
  let hooks: ServerHooks | undefined;
  const countSockets = () => hooks?.countSockets() ?? { open: 0, opened: 0 };
  const stored = opening.use(new StoredFigures(db, clock, config.bcryptCost));
  const { contentType, render } = openRegistry(
    [
      await buildInfo(services),
      ...serviceMetrics(services, countSockets, events, refusals, stored),
      ...systemMetrics(services, delay, stored),
    ],
    [...systemDurations(services, requests), ...serviceDurations(services, events)],
  );
  const read = () => {
    delay.take();
    return render();
  };
  const server = await serveMetrics(address, { contentType, render: read }, (err) =>
    log.error({ err }, 'the metrics could not be read'),
  );
  opening.use(server);
  log.info({ metricsUrl: server.url }, 'serving metrics');
  const opened = opening.move();
  return {
    measure(app) {
      measureRequests(app, requests);
      hooks = app.hooks;
      hooks.countRefusal = refusals.count;
    },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

async function buildInfo({ db }: Services): Promise<Metric> {
  const { version } = await readRelease();
  return {
    name: 'doorman_build_info',
    kind: 'gauge',
    help: 'Always 1, with the version of the service and its database.',
    labels: ['version', 'database'],
    read: () => [{ labels: { version, database: db.kind }, value: 1 }],
  };
}
