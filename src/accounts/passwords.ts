import { randomBytes, timingSafeEqual } from 'node:crypto';
import { availableParallelism } from 'node:os';
import * as bcrypt from '@node-rs/bcrypt';
import { BoundedQueue, LONGEST_WAIT_SECONDS } from '../collections/bounded-queue.ts';
import {
  isCutByBcrypt,
  keyedDigest,
  legacyDigest,
  MAX_STORED_COST,
  MIN_COST,
  parseHash,
  type StoredHash,
  toBcryptInput,
  toBcryptSha256Text,
  toSaltText,
  toWrappedText,
} from './hash-formats.ts';

/** A careful estimate of one bcrypt of cost 10 (measured: 40 ms). Each step of the cost doubles it. */
const COST_10_MS = 60;

/** How many hashes may wait so that the last one starts within about three seconds. At least one per concurrent hash. */
export function queueLimitFor(cost: number, concurrency: number): number {
  const hashMs = COST_10_MS * 2 ** (cost - 10);
  return concurrency * Math.max(1, Math.floor((LONGEST_WAIT_SECONDS * 1000) / hashMs));
}

/** Hashes and verifies passwords off the event loop. Every bcrypt goes through `queue`. */
export interface Passwords {
  /**
   * The text to store for `password`: `$bcrypt-sha256$v=2,..`, with a new salt at each call.
   *
   * @throws what {@link BoundedQueue.run} throws
   */
  hash(password: string, signal?: AbortSignal): Promise<string>;
  /**
   * Whether `password` matches the text `stored`; a text of an unknown format matches nothing (interface 5.7).
   * `replacement` asks the caller to store a new hash of this password, because the stored one has another
   * format or a lower cost than new hashes. It is false for a plain bcrypt hash and a password over 72 bytes: bcrypt
   * did not check the rest of that password, so it must not become part of the hash.
   *
   * @throws what {@link BoundedQueue.run} throws
   */
  verify(
    password: string,
    stored: string,
    signal?: AbortSignal,
  ): Promise<{ ok: boolean; replacement: boolean }>;
  /**
   * For imports: turns a raw SHA-256 into the wrapped format, which the same password matches; returns any other
   * text unchanged.
   *
   * @throws what {@link BoundedQueue.run} throws
   */
  wrapLegacy(stored: string, signal?: AbortSignal): Promise<string>;
  readonly queue: BoundedQueue;
}

/**
 * @param options.cost bcrypt's cost for new hashes (`BCRYPT_COST`), 4 to 16; each step doubles the time
 * @param options.concurrency hashes at once; by default the number of cores
 * @param options.queueLimit how many may wait; by default about three seconds' worth
 * @throws {RangeError} if the cost is out of bounds, since such hashes could not be read back
 */
export function openPasswords(options: {
  cost: number;
  concurrency?: number;
  queueLimit?: number;
}): Passwords {
  const { cost, concurrency = availableParallelism() } = options;
  if (!Number.isInteger(cost) || cost < MIN_COST || cost > MAX_STORED_COST) {
    throw new RangeError(`bcrypt cost must be a whole number from ${MIN_COST} to ${MAX_STORED_COST}`);
  }
  const queue = new BoundedQueue({
    concurrency,
    limit: options.queueLimit ?? queueLimitFor(cost, concurrency),
  });

  // The signal is not passed to bcrypt: it would settle the promise while the thread goes on.
  async function matches(stored: StoredHash, password: string, signal?: AbortSignal): Promise<boolean> {
    if (stored.format === 'sha256') {
      return timingSafeEqual(stored.digest, legacyDigest(stored.oldSalt, password));
    }
    return queue.run(() => bcrypt.verify(toBcryptInput(stored, password), stored.encoded), signal);
  }

  return {
    queue,

    hash(password, signal) {
      return queue.run(async () => {
        // The salt is made first, since its text is the key of the HMAC.
        const salt = randomBytes(16);
        return toBcryptSha256Text(await bcrypt.hash(keyedDigest(toSaltText(salt), password), cost, salt));
      }, signal);
    },

    async verify(password, stored, signal) {
      const parsed = parseHash(stored);
      if (parsed === undefined) return { ok: false, replacement: false };
      const ok = await matches(parsed, password, signal);
      const isWeaker = parsed.format !== 'bcrypt-sha256' || parsed.cost < cost;
      return { ok, replacement: ok && isWeaker && !isCutByBcrypt(parsed, password) };
    },

    async wrapLegacy(stored, signal) {
      const parsed = parseHash(stored);
      if (parsed?.format !== 'sha256') return stored;
      const digits = parsed.digest.toString('hex');
      const encoded = await queue.run(() => bcrypt.hash(digits, cost), signal);
      return toWrappedText(encoded, parsed.oldSalt);
    },
  };
}
