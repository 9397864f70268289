import { KeyCounts } from '../collections/key-counts.ts';
import { BEGIN_ATTEMPT, END_ATTEMPT } from './scripts.ts';
import type { SharedCounts } from './shared-counts.ts';
import { type KeyedLimit, SlidingLog } from './sliding-log.ts';

type End = (isFailure: boolean) => void;

/**
 * `end` is called exactly once when the attempt has ended: only a failed one goes on counting. It is null for an attempt that is refused,
 * of which `retryAfterSeconds` is 0 while running attempts fill the key.
 */
export type Attempt = { readonly end: End } | { readonly end: null; readonly retryAfterSeconds: number };

/**
 * Counts failed attempts by key. A running attempt counts as failed until it ends, so that parallel attempts are limited as
 * sequential ones are.
 *
 * Where nodes count together, each attempt is also counted in Redis; one whose node was lost counts as failed for a window. While
 * Redis is silent this node's own log counts alone.
 */
export class FailureLimit {
  readonly #own: SlidingLog;
  readonly #running = new KeyCounts();
  readonly #name: string;
  readonly #counts: SharedCounts | null;

  constructor(name: string, limit: KeyedLimit, monotonicMs: () => number, counts: SharedCounts | null) {
    this.#own = new SlidingLog(limit, monotonicMs);
    this.#name = name;
    this.#counts = counts;
  }

  /** Never rejects. */
  async begin(key: string): Promise<Attempt> {
    const { remaining, resetSeconds } = this.#own.peek(key);
    if (remaining <= this.#running.get(key))
      return { end: null, retryAfterSeconds: remaining > 0 ? 0 : resetSeconds };
    this.#running.add(key, 1);
    const end: End = (isFailure) => {
      this.#running.add(key, -1);
      if (isFailure) this.#own.take(key);
    };
    return this.#counts ? this.#beginShared(this.#counts, key, end) : { end };
  }

  async #beginShared(counts: SharedCounts, key: string, endOwn: End): Promise<Attempt> {
    const { limit, windowMs } = this.#own;
    const names = [counts.nameOf(this.#name, key)];
    const args = [limit, windowMs, crypto.randomUUID()];
    const reply = counts.mayAsk() ? await counts.run(BEGIN_ATTEMPT, names, args) : undefined;
    if (reply?.[0] === 0) {
      endOwn(false);
      return { end: null, retryAfterSeconds: Math.ceil((reply[1] ?? 0) / 1000) };
    }
    return {
      end: (isFailure) => {
        endOwn(isFailure);
        // Not awaited: until it has arrived the attempt counts as running.
        if (counts.mayAsk()) void counts.run(END_ATTEMPT, names, [...args, isFailure ? 1 : 0]);
      },
    };
  }
}
