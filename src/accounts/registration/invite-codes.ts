import { randomBytes, randomInt } from 'node:crypto';
import * as bcrypt from '@node-rs/bcrypt';
import type { BoundedQueue } from '../../collections/bounded-queue.ts';
import type { Db } from '../../db/db.ts';
import { getOrCreateValue } from '../../db/installation-values.ts';

/** Crockford's Base32: digits and letters without I, L, O and U. */
const SYMBOLS = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const GROUPS = 2;
const GROUP_SYMBOLS = 5;
/** Far above a code with all that may stand between its symbols. */
const MAX_TYPED = 100;

const SALT = 'invite-salt';
/** Not that of `BCRYPT_COST`: with another cost, codes that were given out would match no longer. */
const COST = 10;

/** A random code of 50 bits, in groups that can be read out: `7KMPQ-2DXHE`. */
export function createInviteCode(): string {
  const symbol = () => SYMBOLS[randomInt(SYMBOLS.length)];
  const group = () => Array.from({ length: GROUP_SYMBOLS }, symbol).join('');
  return Array.from({ length: GROUPS }, group).join('-');
}

/**
 * The ten symbols of a code as a user typed or pasted it: in either case, full-width too, with any spaces and dashes, O for 0, I
 * and L for 1.
 *
 * @returns `undefined` if it cannot be a code
 */
export function readInviteCode(typed: string): string | undefined {
  if (typed.length > MAX_TYPED) return undefined;
  const symbols = typed
    .normalize('NFKC')
    .toUpperCase()
    .replace(/[\s\p{Pd}]/gu, '')
    .replaceAll('O', '0')
    .replace(/[IL]/g, '1');
  return symbols.length === GROUPS * GROUP_SYMBOLS && [...symbols].every((one) => SYMBOLS.includes(one))
    ? symbols
    : undefined;
}

/** The text by which an invite is stored and found, of the ten symbols of its code. Throws what {@link BoundedQueue.run} throws. */
export type HashInviteCode = (symbols: string, signal?: AbortSignal) => Promise<string>;

/**
 * Makes the salt if the database has none. One salt for all codes lets an invite be found by its hash; bcrypt makes 50 bits cost
 * centuries to guess for a reader of the table (docs/decisions/029-invites.md).
 */
export async function openInviteHash(db: Db, queue: BoundedQueue): Promise<HashInviteCode> {
  const salt = Buffer.from(
    await getOrCreateValue(db, SALT, () => randomBytes(16).toString('base64url')),
    'base64url',
  );
  return (symbols, signal) => queue.run(() => bcrypt.hash(symbols, COST, salt), signal);
}
