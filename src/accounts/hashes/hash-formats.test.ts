import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { anyText } from '../../../test/any-text.ts';
import {
  digestOf,
  findHashFault,
  hasPassword,
  keyedDigest,
  parseHash,
  toStoredText,
} from './hash-formats.ts';

const salt = '5Hg1DKFqPE8C2aflZ5vVoe';
const checksum = 'wOK1VFFtS8IGTrGa7.h5fs0u84qyPbS';
const hex = '5e884898da28047151d0e56f8dc6292773603d0d6aabbdd62a11ef721d1542d8';

test('every known format is recognized', () => {
  const read = (text: string) => {
    const stored = parseHash(text);
    return stored && 'encoded' in stored
      ? `${stored.format} ${stored.cost} ${stored.encoded}`
      : stored?.format;
  };
  assert.equal(read(`$2a$05$${salt}${checksum}`), `bcrypt 5 $2a$05$${salt}${checksum}`);
  assert.equal(read(`$2b$10$${salt}${checksum}`), `bcrypt 10 $2b$10$${salt}${checksum}`);
  assert.equal(read(`$2y$16$${salt}${checksum}`), `bcrypt 16 $2y$16$${salt}${checksum}`);
  assert.equal(
    read(`$bcrypt-sha256$v=2,t=2b,r=5$${salt}$${checksum}`),
    `bcrypt-sha256 5 $2b$05$${salt}${checksum}`,
  );
  assert.equal(
    read(`$bcrypt-sha256$2a,12$${salt}$${checksum}`),
    `bcrypt-sha256-v1 12 $2a$12$${salt}${checksum}`,
  );
  assert.equal(
    read(`$bcrypt-sha256-legacy$v=1,t=2b,r=12$TmErQ2w$${salt}$${checksum}`),
    `wrapped-digest 12 $2b$12$${salt}${checksum}`,
  );
  assert.equal(
    read(`$bcrypt-sha256-legacy$v=1,t=2b,r=4$$${salt}$${checksum}`),
    `wrapped-digest 4 $2b$04$${salt}${checksum}`,
  );
  assert.equal(
    read(`$bcrypt-digest$v=1,d=md5,s=after,t=2b,r=4$$${salt}$${checksum}`),
    `wrapped-digest 4 $2b$04$${salt}${checksum}`,
  );
  assert.equal(read(hex), 'digest');
  assert.equal(read(hex.toUpperCase()), 'digest');
  assert.equal(read(`sha256$Na+Cl$${hex}`), 'digest');
  assert.equal(read(`digest$sha1$before$Na+Cl$${hex.slice(24)}`), 'digest');
});

test('a legacy salt is the text between the first and the last dollar sign', () => {
  const saltIn = (text: string) => {
    const stored = parseHash(text);
    return stored?.format === 'digest' ? stored.digest.oldSalt.toString('utf8') : undefined;
  };
  assert.equal(saltIn(`sha256$Na+Cl$${hex}`), 'Na+Cl');
  assert.equal(saltIn(`sha256$p$q密$${hex}`), 'p$q密');
  assert.equal(saltIn(`sha256$$${hex}`), '');
  assert.equal(saltIn(`sha256$${'🧂'.repeat(128)}$${hex}`), '🧂'.repeat(128));
  assert.equal(saltIn(`sha256$${'s'.repeat(129)}$${hex}`), undefined);
  assert.equal(saltIn(`sha256$a\u0000b$${hex}`), undefined);
  assert.equal(saltIn(`sha256$\ud800$${hex}`), undefined);
});

test('a hash of a cost below 4 or above 16 is unknown, so that no row can block a core for hours', () => {
  for (const cost of ['03', '17', '31', '99']) {
    assert.equal(parseHash(`$2b$${cost}$${salt}${checksum}`), undefined);
    assert.equal(parseHash(`$bcrypt-sha256$v=2,t=2b,r=${Number(cost)}$${salt}$${checksum}`), undefined);
    assert.equal(parseHash(`$bcrypt-sha256$2b,${Number(cost)}$${salt}$${checksum}`), undefined);
    assert.equal(
      parseHash(`$bcrypt-sha256-legacy$v=1,t=2b,r=${Number(cost)}$$${salt}$${checksum}`),
      undefined,
    );
  }
});

test('malformed text is unknown', () => {
  const malformed = [
    '',
    'password',
    hex.slice(1),
    `${hex}0`,
    `${hex}\n`,
    `g${hex.slice(1)}`,
    `SHA256$a$${hex}`,
    `sha256$a$${hex}\n`,
    `sha256$${hex}`,
    `digest$sha256$before$${hex}`,
    `digest$sha256$$a$${hex}`,
    `digest$sha256$BEFORE$a$${hex}`,
    `digest$sha224$before$a$${hex}`,
    `digest$md5$before$a$${hex}`,
    `digest$sha512$before$a$${hex}`,
    `digest$sha256$before$a\u0000b$${hex}`,
    `digest$sha256$before$${'s'.repeat(129)}$${hex}`,
    `$2b$10$${salt}${checksum}\n`,
    ` $2b$10$${salt}${checksum}`,
    `$2b$+4$${salt}${checksum}`,
    `$2b$5$${salt}${checksum}`,
    `$2$05$${salt}${checksum}`,
    `$2x$05$${salt}${checksum}`,
    `$2b$05$${salt}${checksum.slice(1)}`,
    // Padding bits set in the salt, then in the checksum.
    `$2b$05$${salt.slice(0, 21)}f${checksum}`,
    `$2b$05$${salt}${checksum.slice(0, 30)}T`,
    `$bcrypt-sha256-legacy$v=2,t=2b,r=5$$${salt}$${checksum}`,
    `$bcrypt-sha256-legacy$v=1,t=2b,r=5$TmErQ2x$${salt}$${checksum}`,
    `$bcrypt-sha256-legacy$v=1,t=2b,r=5$Tm+r$${salt}$${checksum}`,
    // From known_malformed_hashes of bcrypt_sha256 in passlib 1.7.4, passlib/tests/test_handlers_bcrypt.py.
    '$bcrypt-sha256$2a,5$5Hg1DKF!PE8C2aflZ5vVoe$12BjNE0p7axMg55.Y/mHsYiVuFBDQyu',
    '$bcrypt-sha256$2c,5$5Hg1DKFqPE8C2aflZ5vVoe$12BjNE0p7axMg55.Y/mHsYiVuFBDQyu',
    '$bcrypt-sha256$2x,5$5Hg1DKFqPE8C2aflZ5vVoe$12BjNE0p7axMg55.Y/mHsYiVuFBDQyu',
    '$bcrypt-sha256$2a,05$5Hg1DKFqPE8C2aflZ5vVoe$12BjNE0p7axMg55.Y/mHsYiVuFBDQyu',
    '$bcrypt-sha256$2a,5$5Hg1DKFqPE8C2aflZ5vVoe$',
    '$bcrypt-sha256$v=2,t=2b,r=5$5Hg1DKF!PE8C2aflZ5vVoe$12BjNE0p7axMg55.Y/mHsYiVuFBDQyu',
    '$bcrypt-sha256$v=1,t=2b,r=5$5Hg1DKFqPE8C2aflZ5vVoe$12BjNE0p7axMg55.Y/mHsYiVuFBDQyu',
    '$bcrypt-sha256$v=3,t=2b,r=5$5Hg1DKFqPE8C2aflZ5vVoe$12BjNE0p7axMg55.Y/mHsYiVuFBDQyu',
    '$bcrypt-sha256$v=2,t=2c,r=5$5Hg1DKFqPE8C2aflZ5vVoe$12BjNE0p7axMg55.Y/mHsYiVuFBDQyu',
    '$bcrypt-sha256$v=2,t=2a,r=5$5Hg1DKFqPE8C2aflZ5vVoe$12BjNE0p7axMg55.Y/mHsYiVuFBDQyu',
    '$bcrypt-sha256$v=2,t=2x,r=5$5Hg1DKFqPE8C2aflZ5vVoe$12BjNE0p7axMg55.Y/mHsYiVuFBDQyu',
    '$bcrypt-sha256$v=2,t=2b,r=05$5Hg1DKFqPE8C2aflZ5vVoe$12BjNE0p7axMg55.Y/mHsYiVuFBDQyu',
    '$bcrypt-sha256$v=2,t=2b,r=5$5Hg1DKFqPE8C2aflZ5vVoe$',
  ];
  for (const text of malformed) assert.equal(parseHash(text), undefined, JSON.stringify(text));
});

test('the digest given to bcrypt is the one that passlib computes', () => {
  // From test_calc_digest_v2 of bcrypt_sha256 in passlib 1.7.4, passlib/tests/test_handlers_bcrypt.py.
  assert.equal(keyedDigest('nyKYxTAvjmy6lMDYMl11Uu', 'test'), 'J5TlyIDm+IcSWmKiDJm+MeICndBkFVPn4kKdJW8f+xY=');
});

test('a digest is over the salt and the password, in the order that the line says', () => {
  const of = (
    algorithm: 'md5' | 'sha1' | 'sha256' | 'sha512',
    side: 'before' | 'after',
    salt: string,
    password: string,
  ) => digestOf({ algorithm, side, oldSalt: Buffer.from(salt) }, password).toString('hex');
  // Expected digits from GNU sha256sum.
  assert.equal(of('sha256', 'before', '', 'password'), hex);
  assert.equal(
    of('sha256', 'before', 'Na+Cl', 'password'),
    '86fe447ceb8a67abc50ebd82223d6a029705ad7757e16d43d0d5302bda39e434',
  );
  // From Django 4.1, tests/auth_tests/test_hashers.py: test_md5, test_sha1, test_unsalted_md5.
  assert.equal(of('md5', 'before', 'seasalt', 'lètmein'), '3f86d0d3d465b7b458c231bf3555c0e3');
  assert.equal(of('sha1', 'before', 'seasalt', 'lètmein'), 'cff36ea83f5706ce9aa7454e63e431fc726b2dc8');
  assert.equal(of('md5', 'after', '', 'lètmein'), '88a434c88cca4e900f7874cd98123f43');
  // RFC 1321, A.5, and the examples of FIPS 180 for "abc", with a part of the text as the salt.
  assert.equal(of('md5', 'after', ' digest', 'message'), 'f96b697d7cb7938d525a2f31aaf161d0');
  assert.equal(of('sha1', 'after', 'bc', 'a'), 'a9993e364706816aba3e25717850c26c9cd0d89d');
  assert.equal(
    of('sha512', 'after', 'c', 'ab'),
    'ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f',
  );
});

test('every written hash is parsed back', () => {
  const bcrypt64 = './ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
  const letters = (length: number) =>
    fc.string({ unit: fc.constantFrom(...bcrypt64), minLength: length, maxLength: length });
  const encodedText = fc
    .tuple(fc.integer({ min: 4, max: 16 }), letters(21), fc.constantFrom(...'.Oeu'), letters(30))
    .map(([cost, start, end, sum]) => `$2b$${String(cost).padStart(2, '0')}$${start}${end}${sum}u`);

  const digest = fc.record(
    {
      algorithm: fc.constantFrom('md5', 'sha1', 'sha256', 'sha512'),
      side: fc.constantFrom('before', 'after'),
      oldSalt: fc.uint8Array({ maxLength: 512 }).map((bytes) => Buffer.from(bytes)),
    },
    { noNullPrototype: true },
  );

  fc.assert(
    fc.property(encodedText, digest, (encoded, digest) => {
      const stored = { cost: Number(encoded.slice(4, 6)), encoded, salt: encoded.slice(7, 29) };
      const parsed = parseHash(toStoredText(encoded));
      assert.partialDeepStrictEqual(parsed, { format: 'bcrypt-sha256', ...stored });
      const wrapped = parseHash(toStoredText(encoded, digest));
      assert.deepEqual(wrapped, { format: 'wrapped-digest', ...stored, digest });
    }),
  );
});

test('the longest legacy salt still fits when wrapped', () => {
  const raw = parseHash(`sha256$${'🧂'.repeat(128)}$${hex}`);
  assert(raw?.format === 'digest');
  const wrapped = parseHash(toStoredText(`$2b$10$${salt}${checksum}`, raw.digest));
  assert(wrapped?.format === 'wrapped-digest');
  assert.equal(wrapped.digest.oldSalt.toString('utf8'), '🧂'.repeat(128));
});

test('no text makes the parser throw', () => {
  const fragment = fc.constantFrom(
    '$',
    '2b',
    'bcrypt-sha256',
    '-legacy',
    'v=2,t=2b,r=5',
    salt,
    checksum,
    hex,
    'digest$md5$after$',
    '$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$',
    '$scrypt$ln=14,r=8,p=1$',
    '$pbkdf2-sha256$1212$',
    'pbkdf2_sha256$1$',
  );
  fc.assert(
    fc.property(
      fc.array(fc.oneof(fragment, anyText())).map((parts) => parts.join('')),
      (text) => {
        parseHash(text);
        findHashFault(text);
      },
    ),
  );
});

test('the exclamation mark is no password: a line may have it, and nothing matches it', () => {
  assert.equal(findHashFault('!'), undefined);
  assert.equal(parseHash('!'), undefined);
  assert.deepEqual([hasPassword('!'), hasPassword(''), hasPassword(hex)], [false, false, true]);
  assert.equal(findHashFault('!!'), 'password_hash has an unknown format');
});

test('the refusal of a line says what is wrong with its hash', () => {
  const bcrypt = (cost: string) => `$2b$${cost}$${salt}${checksum}`;
  for (const [stored, fault] of [
    [bcrypt('10'), undefined],
    [bcrypt('17'), 'password_hash is a bcrypt of a cost outside 4 to 16'],
    [bcrypt('03'), 'password_hash is a bcrypt of a cost outside 4 to 16'],
    [bcrypt('10').slice(1), 'password_hash has an unknown format'],
    ['', 'password_hash has an unknown format'],
    [`digest$md5$before$salt$${hex.slice(32)}`, undefined],
    [`digest$md5$before$salt$${hex.slice(33)}`, 'password_hash must end in the 32 hex digits of md5'],
    [`digest$sha512$after$$${hex}`, 'password_hash must end in the 128 hex digits of sha512'],
    [`digest$crc32$after$$${hex}`, 'password_hash has an unknown format'],
  ] as const)
    assert.equal(findHashFault(stored), fault, stored);
});
