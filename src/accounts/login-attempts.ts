import type { Db } from '../db/db.ts';
import type { Limits } from '../limits/limits.ts';
import { refuseAbove } from '../limits/local-limits.ts';
import { spellingKey } from './address/addresses.ts';
import { findProof, type Proof } from './device-proofs.ts';
import type { Mac } from './secrets.ts';

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

/**
 * Whose password a login gives: that of the user with the typed name, or of the one who has verified the typed address, if there is one.
 * Addresses are private, so logins by one are counted by the text alone: no 429 shows whether a user has it.
 */
export type LoginAccount = { readonly userId: string } | { readonly typedAddress: string };

/**
 * Bounds the guesses of one account's password from many addresses, without locking its owner out
 * (docs/decisions/006-rate-limits.md, "Guessing one account").
 */
export function openLoginLimit(db: Db, limits: Limits, now: () => number, mac: Mac) {
  const ofAddress = limits.openFailures('login-address', OF_ADDRESS);
  const ofAccount = limits.openFailures('login-account', OF_ACCOUNT);
  const shared = limits.open('login-shared', SHARED, 'exact');
  const ofDevice = limits.open('login-device', OF_DEVICE, 'exact');

  /**
   * Runs `verify`, and counts it if the password is wrong.
   *
   * @param origin the key of the client's address (`addressKeyOf`), and the proofs that the device sent
   * @throws {ServiceError} `rate-limited`, word `too_many_logins`, instead of running `verify`; rethrows the errors of `verify`
   */
  return async <Verified extends { ok: boolean }>(
    account: LoginAccount,
    origin: { readonly addressKey: string; readonly proofs: readonly Proof[] },
    verify: () => Promise<Verified>,
  ): Promise<Verified> => {
    const userId = 'userId' in account ? account.userId : undefined;
    const proof = userId && (await findProof(db, userId, origin.proofs, now()));
    if (proof && (await ofDevice.take(proof)).allowed) return verify();
    const key = 'userId' in account ? account.userId : mac('login', spellingKey(account.typedAddress));
    const ofOrigin = await ofAddress.begin(`${key} ${origin.addressKey}`);
    const ofAll = await ofAccount.begin(key);
    // An address that has wrong passwords enough counts no further ones, and nothing counts for an account that is slowed down.
    if (!ofOrigin.end || !ofAll.end) {
      ofOrigin.end?.(false);
      ofAll.end?.(false);
      if (!ofAll.end) {
        const verdict = await shared.take(key);
        refuseAbove(verdict, ['too_many_logins', '该账号登录尝试过多，请稍后再试'], userId);
      }
      return verify();
    }
    let isWrong = false;
    try {
      const verified = await verify();
      isWrong = !verified.ok;
      return verified;
    } finally {
      ofOrigin.end(isWrong);
      ofAll.end(isWrong);
    }
  };
}
