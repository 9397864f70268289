import { ServiceError } from '../errors.ts';
import { openRateLimit } from '../http/rate-limits.ts';
import type { Refusals } from '../http/refusals.ts';
import { FailureLog } from './failure-log.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** How many wrong passwords from one address count for an account. */
const OF_ADDRESS = { limit: 5, windowMs: HOUR_MS, maxKeys: 200_000 };
/** Beyond this, logins are slowed down. By {@link OF_ADDRESS} it takes at least 6 addresses. */
const OF_ACCOUNT = { limit: 30, windowMs: HOUR_MS, maxKeys: 200_000 };
/** The limit that all logins share while the account is slowed down. */
const SHARED = { limit: 1, windowMs: MINUTE_MS, maxKeys: 100_000 };
/** The limit of a device with a valid proof. */
const OF_DEVICE = { limit: 20, windowMs: 15 * MINUTE_MS, maxKeys: 50_000 };

interface Origin {
  /** The key of the client's address (`clientKey`). */
  readonly address: string;
  /** The valid proof of this account that the device sent, if any. */
  readonly proof: string | undefined;
}

/**
 * Bounds the guesses of one account's password from many addresses, without locking its owner out
 * (docs/decisions/006-rate-limits.md, "Guessing one account").
 */
export class LoginAttempts {
  readonly #ofAddress = new FailureLog(openRateLimit(OF_ADDRESS));
  readonly #ofAccount = new FailureLog(openRateLimit(OF_ACCOUNT));
  readonly #shared = openRateLimit(SHARED);
  readonly #ofDevice = openRateLimit(OF_DEVICE);
  readonly #refusals: Refusals;
  readonly #monotonicMs: () => number;

  constructor(refusals: Refusals, monotonicMs: () => number) {
    this.#refusals = refusals;
    this.#monotonicMs = monotonicMs;
  }

  /**
   * Runs `verify`, and counts it if the password is wrong.
   *
   * @throws {ServiceError} `rate-limited`, word `too_many_logins`, instead of running `verify`; rethrows the errors of `verify`
   */
  async limit<Verified extends { ok: boolean }>(
    userId: string,
    { address, proof }: Origin,
    verify: () => Promise<Verified>,
  ): Promise<Verified> {
    const now = this.#monotonicMs();
    if (proof !== undefined && this.#ofDevice.take(proof, now).allowed) return verify();
    if (this.#ofAccount.isFull(userId, now)) {
      const { allowed, retryAfterSeconds } = this.#shared.take(userId, now);
      if (!allowed) {
        this.#refusals.count('account', address);
        throw tooManyLogins(retryAfterSeconds);
      }
      return verify();
    }
    const endOfAddress = this.#ofAddress.begin(`${userId} ${address}`, now);
    const endOfAccount = endOfAddress && this.#ofAccount.begin(userId, now);
    let isWrong = false;
    try {
      const verified = await verify();
      isWrong = !verified.ok;
      return verified;
    } finally {
      const endedAt = this.#monotonicMs();
      endOfAddress?.(isWrong, endedAt);
      endOfAccount?.(isWrong, endedAt);
    }
  }
}

function tooManyLogins(retryAfterSeconds: number): ServiceError {
  return new ServiceError('rate-limited', 'too_many_logins', '该账号登录尝试过多，请稍后再试', {
    retryAfterSeconds,
  });
}
