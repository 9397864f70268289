import { createHmac, randomBytes } from 'node:crypto';
import type { Logger } from 'pino';
import type { Link, Scripts } from '../link.ts';

/** Longer than Redis takes under load, and short enough for a caller. */
const ANSWER_MS = 100;
/** After Redis was silent, the node counts alone for this long before one call asks again. */
const PAUSE_MS = 1_000;

type Redis = Pick<Link, 'isUp' | 'onUp'> & Scripts;

/**
 * The counts that all nodes share, in Redis. While it is silent no call waits for it: after one late or failed answer the node counts
 * alone, and one call in each second finds out whether it answers again. A new connection is asked at
 * once.
 */
export class SharedCounts {
  readonly #redis: Redis;
  readonly #secret: Buffer;
  readonly #log: Pick<Logger, 'warn' | 'info'>;
  readonly #monotonicMs: () => number;
  readonly #answerMs: number;
  readonly #node = randomBytes(6).toString('base64url');
  #ids = 0;
  #isSilent = false;
  #asksAgainAt = Number.NEGATIVE_INFINITY;

  /** @param secret of the nodes, without which the names of counts say nothing of what is counted */
  constructor(
    redis: Redis,
    secret: Buffer,
    log: Pick<Logger, 'warn' | 'info'>,
    monotonicMs: () => number,
    answerMs = ANSWER_MS,
  ) {
    this.#redis = redis;
    this.#secret = secret;
    this.#log = log;
    this.#monotonicMs = monotonicMs;
    this.#answerMs = answerMs;
    redis.onUp(() => this.#setSilent(undefined));
  }

  now(): number {
    return this.#monotonicMs();
  }

  /** An id that no other node and no earlier call has. */
  newId(): string {
    return `${this.#node}${(this.#ids++).toString(36)}`;
  }

  /**
   * The name of a count in Redis, which is short and from which the key, such as a client's address, cannot be guessed.
   *
   * @param limit the name of the limit
   */
  nameOf(limit: string, key: string): string {
    const digest = createHmac('sha256', this.#secret).update(key).digest('base64url');
    return `limit:${limit}:${digest.slice(0, 22)}`;
  }

  /** Whether Redis is to be asked now: not while it is silent, but for one call in each second. */
  mayAsk(): boolean {
    if (!this.#redis.isUp) return false;
    if (!this.#isSilent) return true;
    const now = this.#monotonicMs();
    if (now < this.#asksAgainAt) return false;
    this.#asksAgainAt = now + PAUSE_MS;
    return true;
  }

  /** The numbers that a script returns; `undefined` if they are not there within 100 ms. Never rejects. */
  async run(script: string, names: string[], args: (string | number)[]): Promise<number[] | undefined> {
    try {
      const reply = await this.#redis.evaluate(script, names, args.map(String), this.#answerMs);
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
    if (isSilent && !this.#isSilent)
      this.#log.warn({ err: error }, 'Redis is silent: limits count on this node alone');
    if (!isSilent && this.#isSilent) this.#log.info('limits count over all nodes again');
    this.#isSilent = isSilent;
    if (isSilent) this.#asksAgainAt = this.#monotonicMs() + PAUSE_MS;
  }
}

/** A server that is not the own one may answer anything. */
function isNumbers(reply: unknown): reply is number[] {
  return Array.isArray(reply) && reply.every(Number.isFinite);
}
