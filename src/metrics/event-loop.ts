import { monitorEventLoopDelay, performance } from 'node:perf_hooks';

/** How often Node looks how late a timer is. What it measures contains this time. */
const RESOLUTION_MS = 10;

const NOTHING = { min: 0, mean: 0, stddev: 0, p50: 0, p90: 0, p99: 0, max: 0 };

/** How late the event loop runs timers, in seconds. */
export class EventLoopDelay implements Disposable {
  readonly #histogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  /** The figures of the time between the last two calls of {@link take}. */
  latest: Readonly<typeof NOTHING> = NOTHING;

  constructor() {
    this.#histogram.enable();
  }

  /** Reads the values since the call before. */
  take(): void {
    const histogram = this.#histogram;
    if (histogram.count === 0) return;
    const late = (nanoseconds: number) => Math.max(0, nanoseconds / 1e9 - RESOLUTION_MS / 1e3);
    this.latest = {
      min: late(histogram.min),
      mean: late(histogram.mean),
      stddev: histogram.stddev / 1e9,
      p50: late(histogram.percentile(50)),
      p90: late(histogram.percentile(90)),
      p99: late(histogram.percentile(99)),
      max: late(histogram.max),
    };
    histogram.reset();
  }

  [Symbol.dispose](): void {
    this.#histogram.disable();
  }
}

/** How long the event loop has worked, and how long it has waited, in seconds since the start. */
export function readEventLoopTime(): { active: number; idle: number } {
  const { active, idle } = performance.eventLoopUtilization();
  return { active: active / 1e3, idle: idle / 1e3 };
}
