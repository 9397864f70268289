import { createHash, createHmac } from 'node:crypto';

const BASE64_ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const BCRYPT_ALPHABET = './ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

export const MIN_COST = 4;
/** A hash of cost 31 would take a core for a day at each login: above this a stored text counts as unknown. */
export const MAX_STORED_COST = 16;

/** bcrypt reads this much of a password and ignores the rest. */
const BCRYPT_MAX_BYTES = 72;

/** A stored text that ends in bcrypt. `encoded` is the plain 60-character bcrypt text inside it. */
type BcryptHash =
  | { readonly format: 'bcrypt'; readonly cost: number; readonly encoded: string }
  | {
      readonly format: 'bcrypt-sha256';
      readonly cost: number;
      readonly encoded: string;
      readonly salt: string;
    }
  | { readonly format: 'bcrypt-sha256-v1'; readonly cost: number; readonly encoded: string }
  | {
      readonly format: 'wrapped-sha256';
      readonly cost: number;
      readonly encoded: string;
      readonly oldSalt: Buffer;
    };

/** A bare legacy SHA-256: `digest` (32 bytes) is over `oldSalt` (may be empty), then the password. */
interface Sha256Hash {
  readonly format: 'sha256';
  readonly oldSalt: Buffer;
  readonly digest: Buffer;
}

export type StoredHash = BcryptHash | Sha256Hash;

// The last characters carry padding bits, which verifiers disagree about unless they are 0.
const salt22 = '([./A-Za-z0-9]{21}[.Oeu])';
const checksum31 = '([./A-Za-z0-9]{30}[.CGKOSWaeimquy26])';

const bcryptText = new RegExp(`^\\$2[aby]\\$(\\d\\d)\\$${salt22}${checksum31}$`);
const bcryptSha256Text = new RegExp(
  `^\\$bcrypt-sha256\\$v=2,t=2b,r=([1-9]\\d?)\\$${salt22}\\$${checksum31}$`,
);
const bcryptSha256V1Text = new RegExp(`^\\$bcrypt-sha256\\$(2[ab]),([1-9]\\d?)\\$${salt22}\\$${checksum31}$`);
const wrappedText = new RegExp(
  `^\\$bcrypt-sha256-legacy\\$v=1,t=2b,r=([1-9]\\d?)\\$([A-Za-z0-9_-]{0,683})\\$${salt22}\\$${checksum31}$`,
);
const rawText = /^[0-9a-fA-F]{64}$/;
const saltedRawText = /^sha256\$([^\p{Cc}\p{Cs}]{0,128})\$([0-9a-fA-F]{64})$/u;

/**
 * Parses a stored password hash in any format of `docs/decisions/003-password-hashes.md` (interface 2.1, 5.7).
 *
 * @returns `undefined` for any other text, for costs outside 4 to {@link MAX_STORED_COST}, and for a salt of
 *   `sha256$salt$hex` longer than 128 code points or with control characters
 */
export function parseHash(text: string): StoredHash | undefined {
  return parseBcrypt(text) ?? parseBcryptSha256(text) ?? parseWrapped(text) ?? parseRaw(text);
}

function parseBcrypt(text: string): BcryptHash | undefined {
  const [, costText] = bcryptText.exec(text) ?? [];
  const cost = toCost(costText);
  return cost === undefined ? undefined : { format: 'bcrypt', cost, encoded: text };
}

function parseBcryptSha256(text: string): BcryptHash | undefined {
  const [, costText, salt = '', checksum = ''] = bcryptSha256Text.exec(text) ?? [];
  const cost = toCost(costText);
  if (cost !== undefined) {
    return { format: 'bcrypt-sha256', cost, encoded: toEncoded('2b', cost, salt, checksum), salt };
  }
  const [, version = '', v1CostText, v1Salt = '', v1Checksum = ''] = bcryptSha256V1Text.exec(text) ?? [];
  const v1Cost = toCost(v1CostText);
  return v1Cost === undefined
    ? undefined
    : { format: 'bcrypt-sha256-v1', cost: v1Cost, encoded: toEncoded(version, v1Cost, v1Salt, v1Checksum) };
}

function parseWrapped(text: string): BcryptHash | undefined {
  const [, costText, oldSaltText = '', salt = '', checksum = ''] = wrappedText.exec(text) ?? [];
  const cost = toCost(costText);
  const oldSalt = Buffer.from(oldSaltText, 'base64url');
  if (cost === undefined || oldSalt.toString('base64url') !== oldSaltText) return undefined;
  return { format: 'wrapped-sha256', cost, encoded: toEncoded('2b', cost, salt, checksum), oldSalt };
}

function parseRaw(text: string): Sha256Hash | undefined {
  if (rawText.test(text)) {
    return { format: 'sha256', oldSalt: Buffer.alloc(0), digest: Buffer.from(text, 'hex') };
  }
  const [, oldSalt, digest] = saltedRawText.exec(text) ?? [];
  if (oldSalt === undefined || digest === undefined) return undefined;
  return { format: 'sha256', oldSalt: Buffer.from(oldSalt, 'utf8'), digest: Buffer.from(digest, 'hex') };
}

function toCost(text: string | undefined): number | undefined {
  const cost = Number(text);
  return cost >= MIN_COST && cost <= MAX_STORED_COST ? cost : undefined;
}

function toEncoded(version: string, cost: number, salt: string, checksum: string): string {
  return `$${version}$${String(cost).padStart(2, '0')}$${salt}${checksum}`;
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
    case 'wrapped-sha256':
      return legacyDigest(stored.oldSalt, password).toString('hex');
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

/** The legacy scheme: SHA-256 over `oldSalt`, then the password as UTF-8. 32 bytes. */
export function legacyDigest(oldSalt: Uint8Array, password: string): Buffer {
  return createHash('sha256').update(oldSalt).update(password, 'utf8').digest();
}

/** Whether `stored` is plain bcrypt, which does not check the end of `password`, as it is longer than 72 bytes. */
export function isCutByBcrypt(stored: StoredHash, password: string): boolean {
  return stored.format === 'bcrypt' && Buffer.byteLength(password, 'utf8') > BCRYPT_MAX_BYTES;
}

/** The text to store for a bcrypt (2b) over {@link keyedDigest}. `encoded` is bcrypt's 60 characters. */
export function toBcryptSha256Text(encoded: string): string {
  const { cost, salt, checksum } = splitEncoded(encoded);
  return `$bcrypt-sha256$v=2,t=2b,r=${cost}$${salt}$${checksum}`;
}

/** The text to store for a bcrypt (2b) over the lower-case hex digits of a legacy digest; keeps its salt. */
export function toWrappedText(encoded: string, oldSalt: Buffer): string {
  const { cost, salt, checksum } = splitEncoded(encoded);
  return `$bcrypt-sha256-legacy$v=1,t=2b,r=${cost}$${oldSalt.toString('base64url')}$${salt}$${checksum}`;
}

/** 16 bytes in bcrypt's own Base64, which has another alphabet than RFC 4648 and no padding. */
export function toSaltText(salt: Uint8Array): string {
  return Buffer.from(salt)
    .toString('base64')
    .slice(0, 22)
    .replace(/./g, (character) => BCRYPT_ALPHABET[BASE64_ALPHABET.indexOf(character)] ?? '');
}

/** The 22-character salt of bcrypt's `$2b$NN$salt`, with or without a checksum behind it. */
function saltOf(encoded: string): string {
  return encoded.slice(7, 29);
}

function splitEncoded(encoded: string): { cost: number; salt: string; checksum: string } {
  return { cost: Number(encoded.slice(4, 6)), salt: saltOf(encoded), checksum: encoded.slice(29) };
}
