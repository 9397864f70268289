import { randomBytes, timingSafeEqual } from 'node:crypto';
import { availableParallelism } from 'node:os';
import * as bcrypt from '@node-rs/bcrypt';
import { LONGEST_WAIT_SECONDS, WaitingLine } from '../bounded-queue.ts';
import {
  isCutByBcrypt,
  keyedDigest,
  legacyDigest,
  maxStoredCost,
  minCost,
  parseStored,
  type StoredPassword,
  toBcryptInput,
  toBcryptSha256Text,
  toSaltText,
  toWrappedText,
} from './password-forms.ts';

/** One bcrypt of cost 10, reckoned slow: 40 ms were measured. Each step of the cost doubles it. */
const cost10Ms = 60;

/** How many may wait so that the last one's turn comes within about three seconds. At least one per place. */
export function queueLimitFor(cost: number, concurrency: number): number {
  const hashMs = cost10Ms * 2 ** (cost - 10);
  return concurrency * Math.max(1, Math.floor((LONGEST_WAIT_SECONDS * 1000) / hashMs));
}

/** Hashes and checks passwords without holding up anything else. Every bcrypt goes through `queue`. */
export interface Passwords {
  /**
   * The text to store for `password`: `$bcrypt-sha256$v=2,..`, with a new salt at each call.
   *
   * @throws what {@link WaitingLine.run} throws
   */
  hash(password: string, signal?: AbortSignal): Promise<string>;
  /**
   * Whether `password` belongs to the text `stored`; a text of no known form belongs to none (interface 5.7).
   * `replacement` asks the caller to store a new hash of this password, because the stored one is of another
   * form or of a lower cost than today's. It does not when plain bcrypt met more than 72 bytes: the rest of that
   * password was never checked, and must not become binding.
   *
   * @throws what {@link WaitingLine.run} throws
   */
  verify(
    password: string,
    stored: string,
    signal?: AbortSignal,
  ): Promise<{ ok: boolean; replacement: boolean }>;
  /**
   * For imports: a raw SHA-256 becomes the wrapped form, which lets the same password in; anything else comes
   * back unchanged.
   *
   * @throws what {@link WaitingLine.run} throws
   */
  wrapLegacy(stored: string, signal?: AbortSignal): Promise<string>;
  readonly queue: WaitingLine;
}

/**
 * @param options.cost bcrypt's cost for new hashes (`BCRYPT_COST`), 4 to 16; each step doubles the time
 * @param options.concurrency hashes at once; the number of cores unless told
 * @param options.queueLimit how many may wait; about three seconds' worth unless told
 * @throws {RangeError} if the cost is out of bounds, since such hashes could not be read back
 */
export function openPasswords(options: {
  cost: number;
  concurrency?: number;
  queueLimit?: number;
}): Passwords {
  const { cost, concurrency = availableParallelism() } = options;
  if (!Number.isInteger(cost) || cost < minCost || cost > maxStoredCost) {
    throw new RangeError(`bcrypt cost must be a whole number from ${minCost} to ${maxStoredCost}`);
  }
  const queue = new WaitingLine({
    concurrency,
    limit: options.queueLimit ?? queueLimitFor(cost, concurrency),
  });

  // The signal never reaches bcrypt itself: it would settle the promise while the thread goes on.
  async function matches(stored: StoredPassword, password: string, signal?: AbortSignal): Promise<boolean> {
    if (stored.form === 'sha256') {
      return timingSafeEqual(stored.digest, legacyDigest(stored.oldSalt, password));
    }
    return queue.run(() => bcrypt.verify(toBcryptInput(stored, password), stored.encoded), signal);
  }

  return {
    queue,

    hash(password, signal) {
      return queue.run(async () => {
        // The salt comes first, since its text keys the HMAC.
        const salt = randomBytes(16);
        return toBcryptSha256Text(await bcrypt.hash(keyedDigest(toSaltText(salt), password), cost, salt));
      }, signal);
    },

    async verify(password, stored, signal) {
      const parsed = parseStored(stored);
      if (parsed === undefined) return { ok: false, replacement: false };
      const ok = await matches(parsed, password, signal);
      const weaker = parsed.form !== 'bcrypt-sha256' || parsed.cost < cost;
      return { ok, replacement: ok && weaker && !isCutByBcrypt(parsed, password) };
    },

    async wrapLegacy(stored, signal) {
      const parsed = parseStored(stored);
      if (parsed?.form !== 'sha256') return stored;
      const digits = parsed.digest.toString('hex');
      const encoded = await queue.run(() => bcrypt.hash(digits, cost), signal);
      return toWrappedText(encoded, parsed.oldSalt);
    },
  };
}
