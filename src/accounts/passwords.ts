import { randomBytes, timingSafeEqual } from 'node:crypto';
import { availableParallelism } from 'node:os';
import * as bcrypt from '@node-rs/bcrypt';
import { BoundedQueue, LONGEST_WAIT_SECONDS } from '../collections/bounded-queue.ts';
import {
  digestOf,
  keyedDigest,
  parseHash,
  type StoredHash,
  toBcryptInput,
  toSaltText,
  toStoredText,
} from './hashes/hash-formats.ts';

/** A careful estimate of one bcrypt of cost 10 (measured: 40 ms). Each step of the cost doubles it. */
const COST_10_MS = 60;
/** bcrypt reads this much of a password and ignores the rest. */
const BCRYPT_MAX_BYTES = 72;

/** A queue in which as many hashes wait as start within about three seconds, and at least one for each that runs. */
export function openHashQueue(cost: number, concurrency = availableParallelism()): BoundedQueue {
  const limit = concurrency * Math.max(1, Math.floor((LONGEST_WAIT_SECONDS * 1000) / bcryptMs(cost)));
  return new BoundedQueue({ concurrency, limit });
}

function bcryptMs(cost: number): number {
  return COST_10_MS * 2 ** (cost - 10);
}

function estimateMs(stored: StoredHash): number {
  if (stored.format === 'digest') return 0;
  return 'encoded' in stored ? bcryptMs(stored.cost) : stored.ms;
}

export type Passwords = ReturnType<typeof openPasswords>;

/**
 * Hashes and verifies passwords off the event loop. Every bcrypt goes through `queue`, so each of the functions throws what
 * {@link BoundedQueue.run} throws.
 *
 * @param options.cost bcrypt's cost for new hashes (`BCRYPT_COST`), 4 to 16; each step doubles the time
 */
export function openPasswords({ cost, queue = openHashQueue(cost) }: { cost: number; queue?: BoundedQueue }) {
  /** How many hashes of today's cost take as long as a check of this one. */
  const weightOf = (stored: StoredHash) => estimateMs(stored) / bcryptMs(cost);

  const passwords = {
    queue,

    /** The text to store for `password`: `$bcrypt-sha256$v=2,..`, with a new salt at each call. */
    hash(password: string, signal?: AbortSignal): Promise<string> {
      return queue.run(async () => {
        // The salt is made first, since its text is the key of the HMAC.
        const salt = randomBytes(16);
        return toStoredText(await bcrypt.hash(keyedDigest(toSaltText(salt), password), cost, salt));
      }, signal);
    },

    /**
     * Whether `password` matches the text `stored`; a text of an unknown format matches nothing (interface 5.7).
     * `replacement` asks the caller to store a new hash of this password, because the stored one has another
     * format or a lower cost than new hashes. It is false for a plain bcrypt hash and a password over 72 bytes: bcrypt
     * did not check the rest of that password, so it must not become part of the hash.
     */
    async verify(password: string, stored: string, signal?: AbortSignal) {
      const parsed = parseHash(stored);
      if (parsed === undefined) {
        // Else the time would show who has no password.
        await passwords.hash(password, signal);
        return { ok: false, replacement: false };
      }
      const matches = async () =>
        'encoded' in parsed
          ? bcrypt.verify(toBcryptInput(parsed, password), parsed.encoded)
          : timingSafeEqual(
              parsed.expected,
              parsed.format === 'digest' ? digestOf(parsed.digest, password) : await parsed.derive(password),
            );
      // The signal is not passed to bcrypt: it would settle the promise while the thread goes on.
      const ok = await (parsed.format === 'digest'
        ? matches()
        : queue.run(matches, signal, weightOf(parsed)));
      const isWeaker = parsed.format !== 'bcrypt-sha256' || parsed.cost < cost;
      const isCut = parsed.format === 'bcrypt' && Buffer.byteLength(password, 'utf8') > BCRYPT_MAX_BYTES;
      return { ok, replacement: ok && isWeaker && !isCut };
    },

    /**
     * As `verify`, for a caller who must not learn whether there is an account: it takes one bcrypt at least, also without a stored text
     * and with one that needs less.
     */
    async verifyAlike(password: string, stored = '', signal?: AbortSignal) {
      const parsed = parseHash(stored);
      if (parsed && weightOf(parsed) < 1) await passwords.hash(password, signal);
      return passwords.verify(password, stored, signal);
    },

    /** For imports: wraps a digest into bcrypt, which the same password matches; returns any other text unchanged. */
    async wrapLegacy(stored: string, signal?: AbortSignal): Promise<string> {
      const parsed = parseHash(stored);
      if (parsed?.format !== 'digest') return stored;
      const digits = parsed.expected.toString('hex');
      return toStoredText(await queue.run(() => bcrypt.hash(digits, cost), signal), parsed.digest);
    },
  };
  return passwords;
}
