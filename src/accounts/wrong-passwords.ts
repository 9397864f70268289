import { ServiceError } from '../errors.ts';
import type { SlidingLog } from '../http/rate-limits.ts';

/**
 * Holds back who guesses a signed-in user's old password: 10 wrong ones in a quarter of an hour, then 429
 * (DESIGN 3, Accounts). Tries that are still being checked count as wrong, so many at once get no further.
 */
export class WrongPasswords {
  readonly #log: SlidingLog;
  readonly #monotonicMs: () => number;
  readonly #underWay = new Map<string, number>();

  constructor(log: SlidingLog, monotonicMs: () => number) {
    this.#log = log;
    this.#monotonicMs = monotonicMs;
  }

  /** @throws {ServiceError} `rate-limited` instead of running `attempt`, and whatever `attempt` throws */
  async guard<T>(userId: string, attempt: () => Promise<T>): Promise<T> {
    const underWay = this.#underWay.get(userId) ?? 0;
    const verdict = this.#log.peek(userId, this.#monotonicMs());
    if (!verdict.allowed || verdict.remaining <= underWay)
      throw new ServiceError('rate-limited', 'rate_limited', '请求过于频繁，请稍后再试', {
        retryAfterSeconds: verdict.retryAfterSeconds,
      });
    this.#underWay.set(userId, underWay + 1);
    try {
      return await attempt();
    } catch (error) {
      if (error instanceof ServiceError && error.word === 'wrong_old_password')
        this.#log.take(userId, this.#monotonicMs());
      throw error;
    } finally {
      const left = (this.#underWay.get(userId) ?? 1) - 1;
      if (left > 0) this.#underWay.set(userId, left);
      else this.#underWay.delete(userId);
    }
  }
}
