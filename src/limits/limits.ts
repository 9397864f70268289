import { FailureLimit } from './failure-limit.ts';
import type { SharedCounts } from './shared-counts.ts';
import { SharedLimit } from './shared-limit.ts';
import { type KeyedLimit, type RateLimit, SlidingLog } from './sliding-log.ts';

/** Opens limits, each with a name of its own: those of one process in memory, those of several nodes counted together. */
export class Limits {
  readonly #monotonicMs: () => number;
  readonly #counts: SharedCounts | null;

  /** @param counts where nodes count together; null: one process counts alone */
  constructor(monotonicMs: () => number, counts: SharedCounts | null = null) {
    this.#monotonicMs = monotonicMs;
    this.#counts = counts;
  }

  /**
   * Over several nodes a bounded limit may admit up to a quarter more, and few calls wait for the other nodes' counts. With an exact one
   * each call waits until those of all nodes are counted, so there are never more than the limit.
   */
  open(name: string, limit: KeyedLimit, how: 'bounded' | 'exact'): RateLimit {
    return this.#counts
      ? new SharedLimit(name, limit, this.#counts, how)
      : new SlidingLog(limit, this.#monotonicMs);
  }

  /** Over several nodes each attempt waits until those of all nodes are counted. */
  openFailures(name: string, limit: KeyedLimit): FailureLimit {
    return new FailureLimit(name, limit, this.#monotonicMs, this.#counts);
  }
}
