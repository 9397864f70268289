import { ServiceError } from '../../errors.ts';
import { refusal } from '../../http/errors.ts';
import type { FailureLimit } from '../../limits/failure-limit.ts';

/** The guesses of a signed-in user's password: 10 wrong ones in 15 minutes, then 429 (docs/decisions/006-rate-limits.md). */
export const OLD_PASSWORDS = { limit: 10, windowMs: 15 * 60_000, maxKeys: 100_000 };
const COUNTED_WORDS = ['wrong_old_password', 'wrong_password'];

/**
 * Runs an attempt to change the password or to confirm the session by it, and counts it if the password was wrong.
 *
 * @param failures the limit of {@link OLD_PASSWORDS}
 * @throws {ServiceError} `rate-limited` instead of running `attempt`; rethrows the errors of `attempt`
 */
export async function limitOldPasswords<T>(
  failures: FailureLimit,
  userId: string,
  attempt: () => Promise<T>,
): Promise<T> {
  const begun = await failures.begin(userId);
  if (!begun.end)
    throw refusal('rate-limited', 'rate_limited', { retryAfterSeconds: begun.retryAfterSeconds });
  let isWrong = false;
  try {
    return await attempt();
  } catch (error) {
    isWrong = error instanceof ServiceError && COUNTED_WORDS.includes(error.word);
    throw error;
  } finally {
    begun.end(isWrong);
  }
}
