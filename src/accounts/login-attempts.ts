import { ServiceError } from '../errors.ts';
import type { FailureLimit } from '../http/failure-log.ts';
import type { LimitSource } from '../http/limit-source.ts';
import type { RateLimit } from '../http/rate-limits.ts';
import type { Refusals } from '../http/refusals.ts';

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
  readonly #ofAddress: FailureLimit;
  readonly #ofAccount: FailureLimit;
  readonly #shared: RateLimit;
  readonly #ofDevice: RateLimit;
  readonly #refusals: Refusals;
  readonly #monotonicMs: () => number;

  constructor(limits: LimitSource, refusals: Refusals, monotonicMs: () => number) {
    this.#ofAddress = limits.openFailureLimit('login-address', OF_ADDRESS);
    this.#ofAccount = limits.openFailureLimit('login-account', OF_ACCOUNT);
    this.#shared = limits.openStrictLimit('login-shared', SHARED);
    this.#ofDevice = limits.openStrictLimit('login-device', OF_DEVICE);
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
    if (proof !== undefined && (await this.#ofDevice.take(proof, now)).allowed) return verify();
    const ofAddress = await this.#ofAddress.begin(`${userId} ${address}`, now);
    // An address that has wrong passwords enough counts no further ones.
    if (!ofAddress.end) {
      if (await this.#ofAccount.isFull(userId, now)) await this.#takeShared(userId, address, now);
      return verify();
    }
    const ofAccount = await this.#ofAccount.begin(userId, now);
    if (!ofAccount.end) {
      ofAddress.end(false, now);
      await this.#takeShared(userId, address, now);
      return verify();
    }
    let isWrong = false;
    try {
      const verified = await verify();
      isWrong = !verified.ok;
      return verified;
    } finally {
      const endedAt = this.#monotonicMs();
      ofAddress.end(isWrong, endedAt);
      ofAccount.end(isWrong, endedAt);
    }
  }

  /** @throws {ServiceError} when another login has taken the place of this minute */
  async #takeShared(userId: string, address: string, now: number): Promise<void> {
    const { allowed, retryAfterSeconds } = await this.#shared.take(userId, now);
    if (allowed) return;
    this.#refusals.count('account', address);
    throw tooManyLogins(userId, retryAfterSeconds);
  }
}

function tooManyLogins(userId: string, retryAfterSeconds: number): ServiceError {
  return new ServiceError('rate-limited', 'too_many_logins', '该账号登录尝试过多，请稍后再试', {
    retryAfterSeconds,
    userId,
  });
}
