import { collectDefaultMetrics, type Gauge, Registry } from 'prom-client';
import type { DurationMetric, Metric } from './metric.ts';
import type { Metrics } from './metrics-server.ts';

/**
 * Of the library's default metrics: we measure the event loop and count descriptors ourselves, as the library reads the list of these
 * synchronously, 30 ms for 8,000; and counting handles walks over all sockets.
 */
const LEFT_OUT = /^(?:nodejs_(?:eventloop_lag|active_)|process_open_fds$)/;
/** The library's own measure of the event loop cannot be turned off; a timer every second costs nothing. */
const UNUSED_RESOLUTION_MS = 1_000;

interface Value {
  readonly metricName?: string;
  readonly labels: Readonly<Record<string, string | number>>;
  readonly value: number;
}

/** Everything that a scrape is answered, with what the library says of the process and of Node. */
export function openRegistry(metrics: readonly Metric[], durations: readonly DurationMetric[]): Metrics {
  const registry = new Registry();
  for (const { name, kind, help, read } of metrics)
    register(registry, { name, help, type: kind }, async () =>
      (await read()).map(({ labels = {}, value }) => ({ labels, value })),
    );
  for (const metric of durations)
    register(registry, { name: metric.name, help: metric.help, type: 'histogram' }, () => valuesOf(metric));
  const ofLibrary = new Registry();
  collectDefaultMetrics({ register: ofLibrary, eventLoopMonitoringPrecision: UNUSED_RESOLUTION_MS });
  for (const { name } of ofLibrary.getMetricsAsArray())
    if (!LEFT_OUT.test(name)) registry.registerMetric(ofLibrary.getSingleMetric(name) as Gauge);
  return { contentType: registry.contentType, render: () => registry.metrics() };
}

/**
 * The library's own classes hash their labels at each `inc` and `observe`, which costs more than the rest of a measurement. So
 * what we count are plain numbers, and a scrape reads them.
 */
function register(
  registry: Registry,
  described: { name: string; help: string; type: string },
  read: () => Value[] | Promise<Value[]>,
): void {
  const metric = { ...described, get: async () => ({ ...described, values: await read() }) };
  registry.registerMetric(metric as unknown as Gauge); // the registry uses nothing else of a metric
}

function valuesOf({ name, labels: labelNames, durations }: DurationMetric): Value[] {
  return [...durations.entries()].flatMap(([kind, { counts, sum }]) => {
    const words = kind.split(' ');
    const labels = Object.fromEntries(labelNames.map((label, i) => [label, words[i] ?? '']));
    let total = 0;
    const buckets = counts.map((count, i) => {
      total += count;
      const le = durations.bounds[i] ?? '+Inf';
      return { metricName: `${name}_bucket`, labels: { ...labels, le }, value: total };
    });
    return [
      ...buckets,
      { metricName: `${name}_sum`, labels, value: sum },
      { metricName: `${name}_count`, labels, value: total },
    ];
  });
}
