import type { Clock } from './clock.ts';

/** Smaller differences come from slow adjustments of the clock; they count once they add up to this. */
const LEAST_STEP_MS = 2_000;

/** Detects that the wall clock was set, by comparing it with the monotonic clock. */
export class ClockSteps {
  readonly #offsetMs: () => number;
  #knownOffsetMs: number;

  constructor({ now, monotonicMs }: Pick<Clock, 'monotonicMs' | 'now'>) {
    this.#offsetMs = () => now() - monotonicMs();
    this.#knownOffsetMs = this.#offsetMs();
  }

  /** By how many milliseconds the wall clock was set since the last call, negative if it was set back; 0 for less than 2 s. */
  takeMs(): number {
    const stepMs = Math.round(this.#offsetMs() - this.#knownOffsetMs);
    if (Math.abs(stepMs) < LEAST_STEP_MS) return 0;
    this.#knownOffsetMs += stepMs;
    return stepMs;
  }
}
