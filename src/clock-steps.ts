import type { Clock } from './clock.ts';

/** Less is clocks that are adjusted slowly, which counts once it adds up. */
const LEAST_STEP_MS = 2_000;

/** Notices that the wall clock was set, by what moved between it and the monotonic clock. */
export class ClockSteps {
  readonly #offsetMs: () => number;
  #knownOffsetMs: number;

  constructor({ now, monotonicMs }: Pick<Clock, 'monotonicMs' | 'now'>) {
    this.#offsetMs = () => now() - monotonicMs();
    this.#knownOffsetMs = this.#offsetMs();
  }

  /** By how many milliseconds the wall clock was set since the last call, negative if back; 0 for less than 2 s. */
  takeMs(): number {
    const stepMs = Math.round(this.#offsetMs() - this.#knownOffsetMs);
    if (Math.abs(stepMs) < LEAST_STEP_MS) return 0;
    this.#knownOffsetMs += stepMs;
    return stepMs;
  }
}
