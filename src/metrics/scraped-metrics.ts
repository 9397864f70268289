import { collectDefaultMetrics, type Gauge, Registry } from 'prom-client';
import type { Durations } from '../collections/durations.ts';

/**
 * Of the library's default metrics: we measure the event loop and count descriptors ourselves, as the library reads the list of these
 * synchronously, 30 ms for 8,000; and counting handles walks over all sockets.
 */
const LEFT_OUT = /^(?:nodejs_(?:eventloop_lag|active_)|process_open_fds$)/;
/** The library's own measure of the event loop cannot be turned off; a timer every second costs nothing. */
const UNUSED_RESOLUTION_MS = 1_000;

export interface Sample {
  /** Of a line of a histogram. */
  readonly metricName?: string;
  readonly labels: Readonly<Record<string, string | number>>;
  readonly value: number;
}

/** The value of a metric without labels; values by the only label; or samples. Null: it is not known. */
type Reading = number | Readonly<Record<string, number>> | readonly Sample[] | null;
type Read = () => Reading | Promise<Reading>;

/** The metrics of this process, with what the library says of the process and of Node. All are read when they are scraped. */
export class ScrapedMetrics {
  readonly #registry = new Registry();

  constructor() {
    const ofLibrary = new Registry();
    collectDefaultMetrics({ register: ofLibrary, eventLoopMonitoringPrecision: UNUSED_RESOLUTION_MS });
    for (const { name } of ofLibrary.getMetricsAsArray())
      if (!LEFT_OUT.test(name)) this.#registry.registerMetric(ofLibrary.getSingleMetric(name) as Gauge);
  }

  get contentType(): string {
    return this.#registry.contentType;
  }

  render(): Promise<string> {
    return this.#registry.metrics();
  }

  /** @param label of the values, where `read` returns them by one */
  gauge(name: string, help: string, read: Read, label?: string): void {
    this.#define('gauge', name, help, async () => toSamples(await read(), label));
  }

  /** @param label as of {@link gauge} */
  counter(name: string, help: string, read: Read, label?: string): void {
    this.#define('counter', name, help, async () => toSamples(await read(), label));
  }

  /**
   * The library's own histogram hashes its labels at each `observe`, which costs more than the rest of a measurement.
   *
   * @param labelNames of the words of which a kind of `durations` consists
   */
  histogram(name: string, help: string, durations: Durations, labelNames: readonly string[] = []): void {
    this.#define('histogram', name, help, async () => valuesOf(name, durations, labelNames));
  }

  #define(type: string, name: string, help: string, read: () => Promise<readonly Sample[]>): void {
    const get = async () => ({ name, help, type, values: await read() });
    // The registry uses nothing else of a metric.
    this.#registry.registerMetric({ name, help, type, get } as unknown as Gauge);
  }
}

function toSamples(reading: Reading, label = ''): readonly Sample[] {
  if (reading === null) return [];
  if (typeof reading === 'number') return [{ labels: {}, value: reading }];
  if (Array.isArray(reading)) return reading;
  return Object.entries(reading).map(([key, value]) => ({ labels: { [label]: key }, value }));
}

function valuesOf(name: string, durations: Durations, labelNames: readonly string[]): Sample[] {
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
