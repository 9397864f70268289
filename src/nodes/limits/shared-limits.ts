import type { LimitSource } from '../../http/limit-source.ts';
import type { SharedCounts } from './shared-counts.ts';
import { SharedFailures } from './shared-failures.ts';
import { SharedLimit } from './shared-limit.ts';

/** How much of a limit all nodes together may admit before they exchange it. */
const UNSHARED_PART = 1 / 10;

/**
 * Opens limits that are counted over all nodes.
 *
 * @param nodes how many there are, with this one
 */
export function shareLimits(counts: SharedCounts, nodes: () => number): LimitSource {
  return {
    openRateLimit: (name, limit) =>
      new SharedLimit(name, limit, counts, () => Math.floor((limit.limit * UNSHARED_PART) / nodes())),
    openStrictLimit: (name, limit) => new SharedLimit(name, limit, counts, () => 0),
    openFailureLimit: (name, limit) => new SharedFailures(name, limit, counts),
  };
}
