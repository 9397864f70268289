import type { Limit } from '../../http/rate-limits.ts';
import { SHARE_CALLS } from './scripts.ts';
import type { SharedCounts } from './shared-counts.ts';

/** Exchanges of one script, which Redis runs as one step. */
const MAX_KEYS = 100;

interface Exchange {
  readonly name: string;
  readonly isWanted: boolean;
  /** When the calls were made that the node admitted by itself, by the monotonic clock. */
  readonly times: readonly number[];
}

/** What Redis knows after an exchange. */
interface Answer {
  readonly isAdmitted: boolean;
  /** How many more calls would be. */
  readonly remaining: number;
  /** Until that number grows. */
  readonly growsMs: number;
}

interface Waiting {
  readonly exchange: Exchange;
  resolve(answer: Answer | undefined): void;
}

/** Exchanges the calls of a limit with Redis: those of one turn of the event loop in one script. */
export class Exchanges {
  readonly #limit: Limit;
  readonly #counts: SharedCounts;
  #waiting: Waiting[] = [];

  constructor(limit: Limit, counts: SharedCounts) {
    this.#limit = limit;
    this.#counts = counts;
  }

  /** @returns `undefined`, at once or as the answer, while Redis is silent */
  ask(exchange: Exchange): Promise<Answer | undefined> | undefined {
    if (!this.#counts.mayAsk()) return undefined;
    const { promise, resolve } = Promise.withResolvers<Answer | undefined>();
    if (this.#waiting.push({ exchange, resolve }) === 1) setImmediate(() => this.#send());
    return promise;
  }

  #send(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (let i = 0; i < waiting.length; i += MAX_KEYS)
      void this.#sendTogether(waiting.slice(i, i + MAX_KEYS));
  }

  async #sendTogether(waiting: readonly Waiting[]): Promise<void> {
    const { limit, windowMs } = this.#limit;
    const now = this.#counts.now();
    const names = waiting.map(({ exchange }) => exchange.name);
    const args = waiting.flatMap(({ exchange: { isWanted, times } }) => [
      this.#counts.newId(),
      isWanted ? 1 : 0,
      times.length,
      ...times.map((at) => Math.max(0, Math.floor(now - at))),
    ]);
    const reply = await this.#counts.run(SHARE_CALLS, names, [limit, windowMs, ...args]);
    for (const [i, { resolve }] of waiting.entries()) {
      const [isAdmitted, remaining = 0, growsMs = 0] = reply?.slice(3 * i) ?? [];
      resolve(reply && { isAdmitted: isAdmitted === 1, remaining, growsMs });
    }
  }
}
