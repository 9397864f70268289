import type { World } from '../src/services.ts';

/** The machine's time, or with `isStill` a fixed time, plus what the test adds. */
export class Clock {
  #addedMs = 0;
  readonly world: World;

  constructor({ isStill = false } = {}) {
    const [epochMs, monotonicMs] = [Date.now(), performance.now()];
    this.world = {
      now: () => (isStill ? epochMs : Date.now()) + this.#addedMs,
      monotonicMs: () => (isStill ? monotonicMs : performance.now()) + this.#addedMs,
    };
  }

  add(ms: number): void {
    this.#addedMs += ms;
  }
}

/**
 * Time that only the test moves. Intervals of the service run when the test moves the time, so that a slow or busy machine
 * does not affect a test.
 */
export class ManualClock {
  #epochMs = 1_790_000_000_000;
  #elapsedMs = 0;
  readonly #intervals = new Set<{ ms: number; dueAt: number; run: () => void }>();
  readonly world = {
    now: () => this.#epochMs + this.#elapsedMs,
    monotonicMs: () => this.#elapsedMs,
    every: (ms: number, run: () => void): Disposable => {
      const interval = { ms, dueAt: this.#elapsedMs + ms, run };
      this.#intervals.add(interval);
      return { [Symbol.dispose]: () => void this.#intervals.delete(interval) };
    },
  } satisfies World;

  /** Moves the time without running intervals, as in a process that stalled. */
  add(ms: number): void {
    this.#elapsedMs += ms;
  }

  /**
   * Moves the time from one interval to the next and runs each when it is due; a late interval runs once. Intervals that are
   * due now run before this returns its promise.
   */
  async advance(ms: number): Promise<void> {
    const endMs = this.#elapsedMs + ms;
    do {
      const next = Math.min(endMs, ...[...this.#intervals].map(({ dueAt }) => dueAt));
      this.#elapsedMs = Math.max(this.#elapsedMs, next);
      for (const interval of [...this.#intervals])
        if (interval.dueAt <= this.#elapsedMs) {
          interval.dueAt = this.#elapsedMs + interval.ms;
          interval.run();
        }
      await new Promise((resolve) => setImmediate(resolve));
    } while (this.#elapsedMs < endMs);
  }
}
