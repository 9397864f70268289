import { ServiceError } from '../errors.ts';
import type { FailureLimit } from '../http/failure-log.ts';

/**
 * Limits guesses of a signed-in user's old password: 10 wrong ones in 15 minutes, then 429
 * (docs/decisions/006-rate-limits.md).
 */
export class PasswordAttempts {
  readonly #failures: FailureLimit;
  readonly #monotonicMs: () => number;

  constructor(failures: FailureLimit, monotonicMs: () => number) {
    this.#failures = failures;
    this.#monotonicMs = monotonicMs;
  }

  /** @throws {ServiceError} `rate-limited` instead of running `attempt`; rethrows the errors of `attempt` */
  async guard<T>(userId: string, attempt: () => Promise<T>): Promise<T> {
    const begun = await this.#failures.begin(userId, this.#monotonicMs());
    if (!begun.end)
      throw new ServiceError('rate-limited', 'rate_limited', '请求过于频繁，请稍后再试', {
        retryAfterSeconds: begun.retryAfterSeconds,
      });
    let isWrong = false;
    try {
      return await attempt();
    } catch (error) {
      isWrong = error instanceof ServiceError && error.word === 'wrong_old_password';
      throw error;
    } finally {
      begun.end(isWrong, this.#monotonicMs());
    }
  }
}
