// Hashes of other programs that `node:crypto` computes: argon2, scrypt and PBKDF2 (docs/decisions/003-password-hashes.md).
import * as crypto from 'node:crypto';
import { promisify } from 'node:util';

const KIB_OF_64_MIB = 64 * 1024;
const MAX_PASSES = 10;
/** Lanes run one after the other, and each costs. At 64 it is a third more, at 8,192 twenty times as much. */
const MAX_LANES = 64;
const MAX_SCRYPT_KIB = 256 * 1024;
const MAX_ROUNDS = 2_000_000;

const MAX_SALT_BYTES = 128;
const PBKDF2_BYTES = { sha1: 20, sha256: 32, sha512: 64 };

// Processor time, half as much again as was measured.
const ARGON2_MS_OF_MIB = 1.2;
const SCRYPT_MS_OF_MIB = 3;
const PBKDF2_MS_OF_ROUND = { sha1: 0.00016, sha256: 0.00016, sha512: 0.0004 };

const number = '([1-9]\\d{0,9})';
const ARGON2_TEXT = RegExp(
  `^\\$(argon2id?)\\$v=19\\$m=${number},t=${number},p=${number}\\$([^$]*)\\$([^$]*)$`,
);
const SCRYPT_TEXT = RegExp(`^\\$scrypt\\$ln=${number},r=${number},p=${number}\\$([^$]*)\\$([^$]*)$`);
const PASSLIB_TEXT = RegExp(`^\\$pbkdf2(?:-(sha256|sha512))?\\$${number}\\$([^$]*)\\$([^$]*)$`);
const DJANGO_TEXT = RegExp(`^pbkdf2_(sha1|sha256)\\$${number}\\$([^$\\p{Cc}\\p{Cs}]*)\\$([^$]*)$`, 'u');

/** Whether this Node can compute argon2: from 24.7 on, unless its OpenSSL cannot. */
export const HAS_ARGON2 = isArgon2There();

/** A hash that other programs compute at a cost of their choice. */
export interface KeyDerivation {
  readonly format: 'argon2id' | 'argon2i' | 'scrypt' | 'pbkdf2';
  readonly expected: Buffer;
  /** A careful estimate of the processor time of `derive`. */
  readonly ms: number;
  /** Computes, off the event loop, what `expected` is for the right password. */
  readonly derive: (password: string) => Promise<Buffer>;
}

/**
 * Parses argon2 and scrypt as PHC text, and PBKDF2 as Django and passlib write it.
 *
 * @returns `undefined` for any other text; a text with the reason for one of these forms that costs too much or is cut
 */
export function readKeyDerivation(text: string): KeyDerivation | string | undefined {
  return readArgon2(text) ?? readScrypt(text) ?? readPbkdf2(text);
}

function readArgon2(text: string): KeyDerivation | string | undefined {
  const [, name, m, t, p, salt, hash] = ARGON2_TEXT.exec(text) ?? [];
  if (name === undefined) return undefined;
  const [memory, passes, parallelism] = [Number(m), Number(t), Number(p)];
  if (memory > KIB_OF_64_MIB || passes > MAX_PASSES || parallelism > MAX_LANES)
    return `argon2 may have m=${KIB_OF_64_MIB} (64 MiB), t=${MAX_PASSES} and p=${MAX_LANES} at most`;
  if (memory < 8 * parallelism) return 'argon2 must have an m of 8 times p at least';
  const bytes = readBytes(fromBase64(salt), fromBase64(hash), 8);
  if (typeof bytes === 'string') return bytes;
  const format = name === 'argon2id' ? 'argon2id' : 'argon2i';
  const { expected } = bytes;
  const costs = { nonce: bytes.salt, memory, passes, parallelism, tagLength: expected.length };
  const derive = (message: string) => promisify(crypto.argon2)(format, { message, ...costs });
  return { format, expected, ms: ARGON2_MS_OF_MIB * ((memory * passes) / 1024), derive };
}

function readScrypt(text: string): KeyDerivation | string | undefined {
  const [, ln, r, p, salt, hash] = SCRYPT_TEXT.exec(text) ?? [];
  if (ln === undefined) return undefined;
  const [cost, blockSize, parallelization] = [2 ** Number(ln), Number(r), Number(p)];
  const kib = (cost * blockSize) / 8;
  if (kib > KIB_OF_64_MIB || kib * parallelization > MAX_SCRYPT_KIB)
    return 'scrypt may take 64 MiB (128 bytes · 2^ln · r) at most, and 256 MiB with p times that';
  if (Number(ln) >= 16 * blockSize) return 'scrypt must have an ln below 16 times r';
  const bytes = readBytes(fromBase64(salt), fromBase64(hash));
  if (typeof bytes === 'string') return bytes;
  const { expected } = bytes;
  const maxmem = 128 * blockSize * (cost + parallelization + 2) + 1024;
  const derive = (password: string) =>
    promisify<string, Buffer, number, crypto.ScryptOptions, Buffer>(crypto.scrypt)(
      password,
      bytes.salt,
      expected.length,
      { cost, blockSize, parallelization, maxmem },
    );
  return { format: 'scrypt', expected, ms: SCRYPT_MS_OF_MIB * ((kib * parallelization) / 1024), derive };
}

function readPbkdf2(text: string): KeyDerivation | string | undefined {
  const ofPasslib = PASSLIB_TEXT.exec(text);
  const [, name = 'sha1', number, salt = '', hash = ''] = ofPasslib ?? DJANGO_TEXT.exec(text) ?? [];
  if (number === undefined) return undefined;
  const rounds = Number(number);
  if (rounds > MAX_ROUNDS) return `PBKDF2 may have ${MAX_ROUNDS} rounds at most`;
  const algorithm = name as keyof typeof PBKDF2_BYTES; // as the expressions have them
  // passlib writes "." for "+"; Django's salt is text, and its hash has padding.
  const plain = (base64: string) => fromBase64(base64.replaceAll('.', '+'));
  const unpadded = hash.length % 4 === 0 ? hash.replace(/={1,2}$/, '') : undefined;
  const bytes = ofPasslib
    ? readBytes(plain(salt), plain(hash), 4, PBKDF2_BYTES[algorithm])
    : readBytes(Buffer.from(salt), fromBase64(unpadded), 4, PBKDF2_BYTES[algorithm]);
  if (typeof bytes === 'string') return bytes;
  const { expected } = bytes;
  const derive = (password: string) =>
    promisify(crypto.pbkdf2)(password, bytes.salt, rounds, expected.length, algorithm);
  return { format: 'pbkdf2', expected, ms: PBKDF2_MS_OF_ROUND[algorithm] * rounds, derive };
}

/** Base64 without padding; `undefined` if there is any other character, or a set bit behind the last byte. */
function fromBase64(text: string | undefined): Buffer | undefined {
  const bytes = Buffer.from(text ?? '', 'base64');
  return bytes.toString('base64').replace(/=+$/, '') === text ? bytes : undefined;
}

/** @param size of the hash in bytes; without one, a usual size: a cut hash mostly has another */
function readBytes(salt: Buffer | undefined, expected: Buffer | undefined, leastSalt = 4, size?: number) {
  if (!salt || salt.length < leastSalt || salt.length > MAX_SALT_BYTES)
    return `the salt is cut, or not the Base64 of ${leastSalt} to ${MAX_SALT_BYTES} bytes`;
  const length = expected?.length ?? 0;
  const isWhole = size === undefined ? length >= 16 && length <= 64 && length % 8 === 0 : length === size;
  return expected && isWhole
    ? { salt, expected }
    : `the hash is cut, or not the Base64 of ${size ?? '16 to 64'} bytes`;
}

function isArgon2There(): boolean {
  const least = { message: '', nonce: Buffer.alloc(8), memory: 8, passes: 1, parallelism: 1, tagLength: 4 };
  try {
    return crypto.argon2Sync('argon2id', least).length > 0;
  } catch {
    // A TypeError if there is no such function, or an error of OpenSSL's.
    return false;
  }
}
