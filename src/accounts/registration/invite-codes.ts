import { randomBytes } from 'node:crypto';
import * as bcrypt from '@node-rs/bcrypt';
import type { BoundedQueue } from '../../collections/bounded-queue.ts';
import type { Db } from '../../db/db.ts';
import { getOrCreateValue } from '../../db/installation-values.ts';
import { createReadableCode } from '../secrets.ts';

/** Crockford's Base32: digits and letters without I, L, O and U. */
const SYMBOLS = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const CODE = RegExp(`^[${SYMBOLS}]{10}$`);
/** Far above a code with all that may stand between its symbols. */
const MAX_TYPED = 100;

const SALT = 'invite-salt';
/** Not that of `BCRYPT_COST`: with another cost, codes that were given out would match no longer. */
const COST = 10;

/** A random code of 50 bits: `7KMPQ-2DXHE`. */
export function createInviteCode(): string {
  return createReadableCode(SYMBOLS, 2);
}

/**
 * The text by which the invite with this code, in any spelling, is stored and found. One salt for all codes, made with the first, lets
 * an invite be found by its hash; bcrypt makes 50 bits cost centuries to guess for a reader of the table
 * (docs/decisions/029-invites.md).
 *
 * @returns `undefined` if it cannot be a code
 * @throws what {@link BoundedQueue.run} throws
 */
export async function hashInviteCode(
  db: Db,
  queue: BoundedQueue,
  code: string,
  signal?: AbortSignal,
): Promise<string | undefined> {
  const symbols = readInviteCode(code);
  if (symbols === undefined) return undefined;
  const salt = await getOrCreateValue(db, SALT, () => randomBytes(16).toString('base64url'));
  return queue.run(() => bcrypt.hash(symbols, COST, Buffer.from(salt, 'base64url')), signal);
}

/**
 * The ten symbols of a code as a user typed or pasted it: in either case, full-width too, with any spaces and dashes, O for 0, I
 * and L for 1.
 *
 * @returns `undefined` if it cannot be a code
 */
function readInviteCode(typed: string): string | undefined {
  if (typed.length > MAX_TYPED) return undefined;
  const symbols = typed
    .normalize('NFKC')
    .toUpperCase()
    .replace(/[\s\p{Pd}]/gu, '')
    .replaceAll('O', '0')
    .replace(/[IL]/g, '1');
  return CODE.test(symbols) ? symbols : undefined;
}
