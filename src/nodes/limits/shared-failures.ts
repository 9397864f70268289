import { type Attempt, type FailureLimit, FailureLog } from '../../http/failure-log.ts';
import { type KeyedLimit, openRateLimit } from '../../http/rate-limits.ts';
import { BEGIN_ATTEMPT, END_ATTEMPT } from './scripts.ts';
import type { SharedCounts } from './shared-counts.ts';

/**
 * Counts failed attempts over all nodes; an attempt whose node was lost counts as failed for a window. The node's own log counts
 * beside Redis, and alone while Redis is silent.
 */
export class SharedFailures implements FailureLimit {
  readonly #own: FailureLog;
  readonly #limit: KeyedLimit;
  readonly #name: string;
  readonly #counts: SharedCounts;

  constructor(name: string, limit: KeyedLimit, counts: SharedCounts) {
    this.#own = new FailureLog(openRateLimit(limit));
    this.#limit = limit;
    this.#name = name;
    this.#counts = counts;
  }

  async isFull(key: string, now: number): Promise<boolean> {
    const { end } = await this.begin(key, now);
    end?.(false, now);
    return !end;
  }

  async begin(key: string, now: number): Promise<Attempt> {
    const own = this.#own.begin(key, now);
    if (!own.end) return own;
    const { limit, windowMs } = this.#limit;
    const name = this.#counts.nameOf(this.#name, key);
    const names = [name, `${name}:running`];
    const args = [limit, windowMs, this.#counts.newId()];
    const reply = this.#counts.mayAsk() ? await this.#counts.run(BEGIN_ATTEMPT, names, args) : undefined;
    if (reply?.[0] === 0) {
      own.end(false, now);
      return { end: null, retryAfterSeconds: Math.ceil((reply[1] ?? 0) / 1000) };
    }
    return {
      end: (isFailure, endedAt) => {
        own.end(isFailure, endedAt);
        // Not awaited: until it has arrived the attempt counts as running.
        if (this.#counts.mayAsk()) void this.#counts.run(END_ATTEMPT, names, [...args, isFailure ? 1 : 0]);
      },
    };
  }
}
