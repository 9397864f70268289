import { createHash, createHmac } from 'node:crypto';
import { HAS_ARGON2, type KeyDerivation, readKeyDerivation } from './key-derivation.ts';

const BASE64_ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const BCRYPT_ALPHABET = './ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

const UNKNOWN = 'has an unknown format';
const MIN_COST = 4;
/** A hash of cost 31 would take a core for a day at each login: above this a stored text counts as unknown. */
const MAX_STORED_COST = 16;

// The last characters carry padding bits, which verifiers disagree about unless they are 0.
const salt22 = '(?<salt>[./A-Za-z0-9]{21}[.Oeu])';
const checksum31 = '(?<checksum>[./A-Za-z0-9]{30}[.CGKOSWaeimquy26])';
const cost = '(?<cost>[1-9]\\d?)';

const digest = '(?<algorithm>md5|sha1|sha256|sha512)';

const BCRYPT_TEXTS = {
  bcrypt: RegExp(`^\\$(?<version>2[aby])\\$(?<cost>\\d\\d)\\$${salt22}${checksum31}$`),
  'bcrypt-sha256': RegExp(`^\\$bcrypt-sha256\\$v=2,t=(?<version>2b),r=${cost}\\$${salt22}\\$${checksum31}$`),
  'bcrypt-sha256-v1': RegExp(`^\\$bcrypt-sha256\\$(?<version>2[ab]),${cost}\\$${salt22}\\$${checksum31}$`),
  'wrapped-digest': RegExp(
    `^\\$bcrypt-(?:sha256-legacy\\$v=1|digest\\$v=1,d=${digest},s=(?<side>before|after)),t=(?<version>2b),r=${cost}\\$(?<oldSalt>[A-Za-z0-9_-]{0,683})\\$${salt22}\\$${checksum31}$`,
  ),
};
const DIGEST_TEXT = RegExp(
  `^(?:(?:sha256|digest\\$${digest}\\$(?<side>before|after))\\$(?<oldSalt>[^\\p{Cc}\\p{Cs}]{0,128})\\$)?(?<hex>[0-9a-fA-F]+)$`,
  'u',
);
const HEX_DIGITS = { md5: 32, sha1: 40, sha256: 64, sha512: 128 };

/** The `password_hash` of a user who has no password: they sign in by other ways, until they get one by a link. */
export const NO_PASSWORD = '!';

/** A hash without a cost, over the password as UTF-8 with the salt (may be empty) before or after it. */
interface Digest {
  readonly algorithm: keyof typeof HEX_DIGITS;
  readonly side: 'before' | 'after';
  readonly oldSalt: Buffer;
}

/** `encoded` is the plain 60-character bcrypt text, `salt` bcrypt's own; `digest` is what was wrapped. */
interface BcryptHash {
  readonly format: keyof typeof BCRYPT_TEXTS;
  readonly cost: number;
  readonly encoded: string;
  readonly salt: string;
  readonly digest: Digest;
}

export type StoredHash =
  | BcryptHash
  | KeyDerivation
  | { readonly format: 'digest'; readonly digest: Digest; readonly expected: Buffer };

/**
 * Parses a stored password hash in any form of `docs/decisions/003-password-hashes.md` (interface 2.1, 5.7).
 *
 * @returns `undefined` for any other text, and for what {@link findHashFault} refuses
 */
export function parseHash(text: string): StoredHash | undefined {
  const read = readHash(text);
  return typeof read === 'string' ? undefined : read;
}

/** Whether a user with this `password_hash` can sign in by a password. */
export function hasPassword(text: string): boolean {
  return parseHash(text) !== undefined;
}

/**
 * Why a line with this `password_hash` is refused: its form is unknown, it is cut, or checking it would take too long.
 *
 * @param canArgon2 whether this Node verifies argon2
 */
export function findHashFault(text: string, canArgon2 = HAS_ARGON2): string | undefined {
  if (text === NO_PASSWORD) return undefined;
  const read = readHash(text);
  if (typeof read === 'string') return `password_hash ${read}`;
  const isArgon2 = read.format === 'argon2id' || read.format === 'argon2i';
  return isArgon2 && !canArgon2 ? 'password_hash needs a Node.js with argon2 (24.7 or later)' : undefined;
}

/** @returns a text, that follows `password_hash`, with the reason for which there is no such hash */
function readHash(text: string): StoredHash | string {
  for (const format of Object.keys(BCRYPT_TEXTS) as (keyof typeof BCRYPT_TEXTS)[]) {
    const groups = BCRYPT_TEXTS[format].exec(text)?.groups;
    if (!groups) continue;
    const { version, salt = '', checksum, oldSalt: oldSaltText = '' } = groups;
    const cost = Number(groups.cost);
    const oldSalt = Buffer.from(oldSaltText, 'base64url');
    if (oldSalt.toString('base64url') !== oldSaltText) return UNKNOWN;
    if (cost < MIN_COST || cost > MAX_STORED_COST)
      return `is a bcrypt of a cost outside ${MIN_COST} to ${MAX_STORED_COST}`;
    const encoded = `$${version}$${String(cost).padStart(2, '0')}$${salt}${checksum}`;
    return { format, cost, encoded, salt, digest: toDigest(groups, oldSalt) };
  }
  const derivation = readKeyDerivation(text);
  if (derivation !== undefined)
    return typeof derivation === 'string' ? `is refused: ${derivation}` : derivation;
  const groups = DIGEST_TEXT.exec(text)?.groups;
  if (groups?.hex === undefined) return UNKNOWN;
  const digest = toDigest(groups, Buffer.from(groups.oldSalt ?? '', 'utf8'));
  if (groups.hex.length === HEX_DIGITS[digest.algorithm])
    return { format: 'digest', digest, expected: Buffer.from(groups.hex, 'hex') };
  return groups.oldSalt === undefined
    ? UNKNOWN
    : `must end in the ${HEX_DIGITS[digest.algorithm]} hex digits of ${digest.algorithm}`;
}

/** A digest of which the text does not say more is SHA-256 over the salt, then the password. */
function toDigest(
  { algorithm = 'sha256', side }: Record<string, string | undefined>,
  oldSalt: Buffer,
): Digest {
  // As the expressions above have them.
  return {
    algorithm: algorithm as Digest['algorithm'],
    side: side === 'after' ? 'after' : 'before',
    oldSalt,
  };
}

/** The bcrypt input by which `password` is compared with `stored`: at most 72 bytes, except for plain bcrypt. */
export function toBcryptInput(stored: BcryptHash, password: string): string {
  switch (stored.format) {
    case 'bcrypt':
      return password;
    case 'bcrypt-sha256':
      return keyedDigest(stored.salt, password);
    case 'bcrypt-sha256-v1':
      return createHash('sha256').update(password, 'utf8').digest('base64');
    case 'wrapped-digest':
      return digestOf(stored.digest, password).toString('hex');
  }
}

/**
 * The bcrypt input of passlib's bcrypt_sha256 v2: 44 characters without U+0000, for a password of any length.
 *
 * @param salt bcrypt's salt as its 22 characters; the key is this text, not the decoded bytes
 */
export function keyedDigest(salt: string, password: string): string {
  return createHmac('sha256', salt).update(password, 'utf8').digest('base64');
}

/** The digest that `password` has in an old program. */
export function digestOf({ algorithm, side, oldSalt }: Digest, password: string): Buffer {
  const parts = side === 'before' ? [oldSalt, password] : [password, oldSalt];
  return parts.reduce((hash, part) => hash.update(part), createHash(algorithm)).digest();
}

/**
 * The text to store for a bcrypt (2b) over {@link keyedDigest}; with `old`, for one over the lower-case hex digits of that digest, of which
 * bcrypt reads 72. `encoded` has the 60 characters of bcrypt.
 */
export function toStoredText(encoded: string, old?: Digest): string {
  const [cost, salt, checksum] = [Number(encoded.slice(4, 6)), encoded.slice(7, 29), encoded.slice(29)];
  if (old === undefined) return `$bcrypt-sha256$v=2,t=2b,r=${cost}$${salt}$${checksum}`;
  const { algorithm, side, oldSalt } = old;
  const isFirstForm = algorithm === 'sha256' && side === 'before';
  const form = isFirstForm ? 'sha256-legacy$v=1' : `digest$v=1,d=${algorithm},s=${side}`;
  return `$bcrypt-${form},t=2b,r=${cost}$${oldSalt.toString('base64url')}$${salt}$${checksum}`;
}

/** 16 bytes in bcrypt's own Base64, which has another alphabet than RFC 4648 and no padding. */
export function toSaltText(salt: Uint8Array): string {
  return Buffer.from(salt)
    .toString('base64')
    .slice(0, 22)
    .replace(/./g, (character) => BCRYPT_ALPHABET[BASE64_ALPHABET.indexOf(character)] ?? '');
}
