import { ServiceError } from '../errors.ts';
import type { SlidingLog } from '../http/rate-limits.ts';
import { FailureLog } from './failure-log.ts';

/**
 * Limits guesses of a signed-in user's old password: 10 wrong ones in 15 minutes, then 429
 * (docs/decisions/006-rate-limits.md).
 */
export class PasswordAttempts {
  readonly #failures: FailureLog;
  readonly #monotonicMs: () => number;

  constructor(log: SlidingLog, monotonicMs: () => number) {
    this.#failures = new FailureLog(log);
    this.#monotonicMs = monotonicMs;
  }

  /** @throws {ServiceError} `rate-limited` instead of running `attempt`; rethrows the errors of `attempt` */
  async guard<T>(userId: string, attempt: () => Promise<T>): Promise<T> {
    const end = this.#failures.begin(userId, this.#monotonicMs());
    if (!end)
      throw new ServiceError('rate-limited', 'rate_limited', '请求过于频繁，请稍后再试', {
        retryAfterSeconds: this.#failures.retryAfterSeconds(userId, this.#monotonicMs()),
      });
    let isWrong = false;
    try {
      return await attempt();
    } catch (error) {
      isWrong = error instanceof ServiceError && error.word === 'wrong_old_password';
      throw error;
    } finally {
      end(isWrong, this.#monotonicMs());
    }
  }
}
