import { type FailureLimit, FailureLog } from './failure-log.ts';
import { type KeyedLimit, openRateLimit, type RateLimit } from './rate-limits.ts';

/** Opens limits, each with a name of its own: those of one process in memory, those of several nodes counted together. */
export interface LimitSource {
  /** Over several nodes it may admit up to a tenth more than the limit, and few calls wait for the other nodes' counts. */
  openRateLimit(name: string, limit: KeyedLimit): RateLimit;
  /** Over several nodes each call waits until the calls of all nodes are counted, so there are never more than the limit. */
  openStrictLimit(name: string, limit: KeyedLimit): RateLimit;
  /** Over several nodes each attempt waits until those of all nodes are counted. */
  openFailureLimit(name: string, limit: KeyedLimit): FailureLimit;
}

export const memoryLimits: LimitSource = {
  openRateLimit: (_name, limit) => openRateLimit(limit),
  openStrictLimit: (_name, limit) => openRateLimit(limit),
  openFailureLimit: (_name, limit) => new FailureLog(openRateLimit(limit)),
};
