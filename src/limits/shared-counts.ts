import { createHmac } from 'node:crypto';
import type { Logger } from 'pino';

/** Longer than Redis takes under load, and short enough for a caller. */
const ANSWER_MS = 100;
/** After Redis was silent, the node counts alone for this long before one call asks again. */
const PAUSE_MS = 1_000;

/** A server that runs Lua scripts; `nodes/redis-link.ts` has one. */
interface Redis {
  readonly isUp: boolean;
  on(event: 'up', listener: () => void): unknown;
  /** @throws while the connection is down, and when the answer takes longer than `atMostMs`: the script may have run or not */
  evaluate(
    script: string,
    keys: readonly string[],
    args: readonly string[],
    atMostMs: number,
  ): Promise<unknown>;
}

interface Options {
  readonly redis: Redis;
  /** Of the nodes; without it the names of counts say nothing of what is counted. */
  readonly secret: Buffer;
  readonly log: Pick<Logger, 'warn' | 'info'>;
  readonly monotonicMs: () => number;
  readonly answerMs?: number | undefined;
  /** How many nodes count together, with this one. */
  readonly nodes: () => number;
}

/**
 * The counts that all nodes share, in Redis. While it is silent no call waits for it: after one late or failed answer the node counts
 * alone, and one call in each second finds out whether it answers again. A new connection is asked at once.
 */
export class SharedCounts {
  /** The clock of this node's own logs. */
  readonly now: () => number;
  readonly nodes: () => number;
  readonly #options: Options;
  /** When to ask again; null while Redis answers. */
  #asksAgainAt: number | null = null;

  constructor(options: Options) {
    this.#options = options;
    this.now = options.monotonicMs;
    this.nodes = options.nodes;
    options.redis.on('up', () => this.#setSilent(undefined));
  }

  /**
   * The name of a count in Redis, which is short and from which the key, such as a client's address, cannot be guessed.
   *
   * @param limit the name of the limit
   */
  nameOf(limit: string, key: string): string {
    const digest = createHmac('sha256', this.#options.secret).update(key).digest('base64url');
    return `limit:${limit}:${digest.slice(0, 22)}`;
  }

  /** Whether Redis is to be asked now: not while it is silent, but for one call in each second. */
  mayAsk(): boolean {
    if (!this.#options.redis.isUp) return false;
    if (this.#asksAgainAt === null) return true;
    if (this.now() < this.#asksAgainAt) return false;
    this.#asksAgainAt = this.now() + PAUSE_MS;
    return true;
  }

  /** The numbers that a script returns; `undefined` if they are not there within 100 ms. Never rejects. */
  async run(script: string, names: string[], args: (string | number)[]): Promise<number[] | undefined> {
    const { redis, answerMs = ANSWER_MS } = this.#options;
    try {
      const reply = await redis.evaluate(script, names, args.map(String), answerMs);
      if (!isNumbers(reply)) throw new Error('Redis gave no answer of the script');
      this.#setSilent(undefined);
      return reply;
    } catch (error) {
      this.#setSilent(error);
      return undefined;
    }
  }

  /** @param error what made it silent; `undefined` if it answers */
  #setSilent(error: unknown): void {
    const isSilent = error !== undefined;
    if (isSilent && this.#asksAgainAt === null)
      this.#options.log.warn({ err: error }, 'Redis is silent: limits count on this node alone');
    if (!isSilent && this.#asksAgainAt !== null) this.#options.log.info('limits count over all nodes again');
    this.#asksAgainAt = isSilent ? this.now() + PAUSE_MS : null;
  }
}

/** A server that is not the own one may answer anything. */
function isNumbers(reply: unknown): reply is number[] {
  return Array.isArray(reply) && reply.every(Number.isFinite);
}
