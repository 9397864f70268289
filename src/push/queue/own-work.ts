import { type Pair, pairKey } from './pending.ts';

/** How long work that is due is left to the node that stored or deferred it. */
export const LEFT_TO_OTHERS_MS = 2_000;
/** Times are rounded up to a multiple of this, so that a node decides many pairs together. */
const PRECISION_MS = 100;
/** Jobs that wait longer are not remembered: to them the 2 s do not matter. */
const REMEMBERED_MS = 15_000;

/**
 * What this node stored or deferred, with the time at which it is due. It does that work at its time, and work of other nodes only
 * when it is overdue by {@link LEFT_TO_OTHERS_MS}, so that not all nodes wake for all work (architecture 8.5). It is a memory alone: what
 * is lost with the process is overdue for the others.
 */
export class OwnWork {
  /** By the time at which they are due. */
  readonly #pairs = new Map<number, Pair[]>();
  readonly #known = new Set<string>();
  readonly #jobTimes = new Set<number>();

  /** Keeps the earlier time of a pair that is known. @param dueAt epoch milliseconds */
  addPair(pair: Pair, dueAt: number): void {
    const key = pairKey(pair);
    if (this.#known.has(key)) return;
    this.#known.add(key);
    const at = roundUp(dueAt);
    const pairs = this.#pairs.get(at);
    if (pairs) pairs.push(pair);
    else this.#pairs.set(at, [pair]);
  }

  /** Up to `limit` pairs whose time has come, which are then forgotten. */
  takePairs(now: number, limit: number): Pair[] {
    const taken: Pair[] = [];
    for (const [at, pairs] of this.#pairs) {
      if (at > now) continue;
      taken.push(...pairs.splice(0, limit - taken.length));
      if (pairs.length === 0) this.#pairs.delete(at);
      if (taken.length === limit) break;
    }
    for (const pair of taken) this.#known.delete(pairKey(pair));
    return taken;
  }

  /** Remembers that a job of this node is due at `dueAt`. */
  addJob(dueAt: number, now: number): void {
    if (dueAt > now && dueAt <= now + REMEMBERED_MS) this.#jobTimes.add(roundUp(dueAt));
  }

  /** When the next pair or job is due, epoch milliseconds. Times of jobs that are past are forgotten. */
  nextAt(now: number): number {
    for (const at of this.#jobTimes) if (at <= now) this.#jobTimes.delete(at);
    return Math.min(...this.#pairs.keys(), ...this.#jobTimes);
  }

  /** Forgets everything, as when the clock was set. */
  clear(): void {
    this.#pairs.clear();
    this.#known.clear();
    this.#jobTimes.clear();
  }
}

function roundUp(at: number): number {
  return Math.ceil(at / PRECISION_MS) * PRECISION_MS;
}
