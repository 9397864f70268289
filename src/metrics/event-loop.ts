import { monitorEventLoopDelay, performance } from 'node:perf_hooks';
import type { ScrapedMetrics } from './scraped-metrics.ts';

/** How often Node looks how late a timer is. What it measures contains this time. */
const RESOLUTION_MS = 10;

/** How late the event loop runs timers, since the scrape before, and how long it has worked since the start. */
export function measureEventLoop(metrics: ScrapedMetrics): Disposable {
  const histogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  histogram.enable();
  const toSeconds = (nanoseconds: number) => Math.max(0, nanoseconds / 1e9 - RESOLUTION_MS / 1e3);
  let latest = { min: 0, mean: 0, stddev: 0, p50: 0, p90: 0, p99: 0, max: 0 };
  const take = () => {
    if (histogram.count === 0) return;
    latest = {
      min: toSeconds(histogram.min),
      mean: toSeconds(histogram.mean),
      stddev: histogram.stddev / 1e9,
      p50: toSeconds(histogram.percentile(50)),
      p90: toSeconds(histogram.percentile(90)),
      p99: toSeconds(histogram.percentile(99)),
      max: toSeconds(histogram.max),
    };
    histogram.reset();
  };
  for (const name of ['min', 'mean', 'stddev', 'p50', 'p90', 'p99', 'max'] as const)
    metrics.gauge(
      `nodejs_eventloop_delay_${name}_seconds`,
      'How late the event loop ran a timer, since the scrape before.',
      () => {
        // A scrape reads the metrics in the order of their definition.
        if (name === 'min') take();
        return latest[name];
      },
    );
  metrics.counter(
    'nodejs_eventloop_time_seconds_total',
    'How long the event loop worked (active), and how long it waited (idle).',
    () => {
      const { active, idle } = performance.eventLoopUtilization();
      return { active: active / 1e3, idle: idle / 1e3 };
    },
    'nodejs_eventloop_state',
  );
  return { [Symbol.dispose]: () => void histogram.disable() };
}
