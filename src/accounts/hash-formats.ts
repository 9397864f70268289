import { createHash, createHmac } from 'node:crypto';

const BASE64_ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const BCRYPT_ALPHABET = './ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

const MIN_COST = 4;
/** A hash of cost 31 would take a core for a day at each login: above this a stored text counts as unknown. */
const MAX_STORED_COST = 16;

// The last characters carry padding bits, which verifiers disagree about unless they are 0.
const salt22 = '(?<salt>[./A-Za-z0-9]{21}[.Oeu])';
const checksum31 = '(?<checksum>[./A-Za-z0-9]{30}[.CGKOSWaeimquy26])';
const cost = '(?<cost>[1-9]\\d?)';

const BCRYPT_TEXTS = {
  bcrypt: RegExp(`^\\$(?<version>2[aby])\\$(?<cost>\\d\\d)\\$${salt22}${checksum31}$`),
  'bcrypt-sha256': RegExp(`^\\$bcrypt-sha256\\$v=2,t=(?<version>2b),r=${cost}\\$${salt22}\\$${checksum31}$`),
  'bcrypt-sha256-v1': RegExp(`^\\$bcrypt-sha256\\$(?<version>2[ab]),${cost}\\$${salt22}\\$${checksum31}$`),
  'wrapped-sha256': RegExp(
    `^\\$bcrypt-sha256-legacy\\$v=1,t=(?<version>2b),r=${cost}\\$(?<oldSalt>[A-Za-z0-9_-]{0,683})\\$${salt22}\\$${checksum31}$`,
  ),
};
const SHA256_TEXT = /^(?:sha256\$(?<oldSalt>[^\p{Cc}\p{Cs}]{0,128})\$)?(?<digest>[0-9a-fA-F]{64})$/u;

/** A stored text that ends in bcrypt, or a bare legacy SHA-256. */
type StoredHash = NonNullable<ReturnType<typeof parseHash>>;

/**
 * Parses a stored password hash in any format of `docs/decisions/003-password-hashes.md` (interface 2.1, 5.7).
 *
 * @returns `undefined` for any other text, for costs outside 4 to {@link MAX_STORED_COST}, and for a salt of
 *   `sha256$salt$hex` longer than 128 code points or with control characters. `encoded` is the plain 60-character bcrypt text,
 *   `salt` bcrypt's own; the legacy SHA-256 is over `oldSalt` (may be empty), then the password
 */
export function parseHash(text: string) {
  for (const format of Object.keys(BCRYPT_TEXTS) as (keyof typeof BCRYPT_TEXTS)[]) {
    const groups = BCRYPT_TEXTS[format].exec(text)?.groups;
    if (!groups) continue;
    const { version, salt = '', checksum, oldSalt: oldSaltText = '' } = groups;
    const cost = Number(groups.cost);
    const oldSalt = Buffer.from(oldSaltText, 'base64url');
    const isKnown =
      cost >= MIN_COST && cost <= MAX_STORED_COST && oldSalt.toString('base64url') === oldSaltText;
    const encoded = `$${version}$${String(cost).padStart(2, '0')}$${salt}${checksum}`;
    return isKnown ? { format, cost, encoded, salt, oldSalt } : undefined;
  }
  const { oldSalt = '', digest } = SHA256_TEXT.exec(text)?.groups ?? {};
  if (digest === undefined) return undefined;
  return {
    format: 'sha256' as const,
    oldSalt: Buffer.from(oldSalt, 'utf8'),
    digest: Buffer.from(digest, 'hex'),
  };
}

/** The bcrypt input by which `password` is compared with `stored`: at most 72 bytes, except for plain bcrypt. */
export function toBcryptInput(stored: Exclude<StoredHash, { format: 'sha256' }>, password: string): string {
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

/**
 * The text to store for a bcrypt (2b) over {@link keyedDigest}; with a salt, for one over the lower-case hex digits of the legacy digest
 * with this salt. `encoded` has the 60 characters of bcrypt.
 */
export function toStoredText(encoded: string, oldSalt?: Buffer): string {
  const [cost, salt, checksum] = [Number(encoded.slice(4, 6)), encoded.slice(7, 29), encoded.slice(29)];
  return oldSalt === undefined
    ? `$bcrypt-sha256$v=2,t=2b,r=${cost}$${salt}$${checksum}`
    : `$bcrypt-sha256-legacy$v=1,t=2b,r=${cost}$${oldSalt.toString('base64url')}$${salt}$${checksum}`;
}

/** 16 bytes in bcrypt's own Base64, which has another alphabet than RFC 4648 and no padding. */
export function toSaltText(salt: Uint8Array): string {
  return Buffer.from(salt)
    .toString('base64')
    .slice(0, 22)
    .replace(/./g, (character) => BCRYPT_ALPHABET[BASE64_ALPHABET.indexOf(character)] ?? '');
}
