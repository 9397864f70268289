import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { anyText } from '../../test/any-text.ts';
import { keyedDigest, legacyDigest, parseHash, toStoredText } from './hash-formats.ts';

const salt = '5Hg1DKFqPE8C2aflZ5vVoe';
const checksum = 'wOK1VFFtS8IGTrGa7.h5fs0u84qyPbS';
const hex = '5e884898da28047151d0e56f8dc6292773603d0d6aabbdd62a11ef721d1542d8';

test('every known format is recognized', () => {
  const read = (text: string) => {
    const stored = parseHash(text);
    return stored && stored.format !== 'sha256'
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
    `wrapped-sha256 12 $2b$12$${salt}${checksum}`,
  );
  assert.equal(
    read(`$bcrypt-sha256-legacy$v=1,t=2b,r=4$$${salt}$${checksum}`),
    `wrapped-sha256 4 $2b$04$${salt}${checksum}`,
  );
  assert.equal(read(hex), 'sha256');
  assert.equal(read(hex.toUpperCase()), 'sha256');
  assert.equal(read(`sha256$Na+Cl$${hex}`), 'sha256');
});

test('a legacy salt is the text between the first and the last dollar sign', () => {
  const saltIn = (text: string) => {
    const stored = parseHash(text);
    return stored?.format === 'sha256' ? stored.oldSalt.toString('utf8') : undefined;
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

test('the legacy digest is over the salt, then the password', () => {
  // Expected digits from GNU sha256sum.
  assert.equal(legacyDigest(Buffer.alloc(0), 'password').toString('hex'), hex);
  assert.equal(
    legacyDigest(Buffer.from('Na+Cl'), 'password').toString('hex'),
    '86fe447ceb8a67abc50ebd82223d6a029705ad7757e16d43d0d5302bda39e434',
  );
});

test('every written hash is parsed back', () => {
  const bcrypt64 = './ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
  const letters = (length: number) =>
    fc.string({ unit: fc.constantFrom(...bcrypt64), minLength: length, maxLength: length });
  const encodedText = fc
    .tuple(fc.integer({ min: 4, max: 16 }), letters(21), fc.constantFrom(...'.Oeu'), letters(30))
    .map(([cost, start, end, sum]) => `$2b$${String(cost).padStart(2, '0')}$${start}${end}${sum}u`);

  fc.assert(
    fc.property(encodedText, fc.uint8Array({ maxLength: 512 }), (encoded, bytes) => {
      const oldSalt = Buffer.from(bytes);
      const cost = Number(encoded.slice(4, 6));
      assert.deepEqual(parseHash(toStoredText(encoded)), {
        format: 'bcrypt-sha256',
        cost,
        encoded,
        salt: encoded.slice(7, 29),
        oldSalt: Buffer.alloc(0),
      });
      assert.deepEqual(parseHash(toStoredText(encoded, oldSalt)), {
        format: 'wrapped-sha256',
        cost,
        encoded,
        salt: encoded.slice(7, 29),
        oldSalt,
      });
    }),
  );
});

test('the longest legacy salt still fits when wrapped', () => {
  const raw = parseHash(`sha256$${'🧂'.repeat(128)}$${hex}`);
  assert(raw?.format === 'sha256');
  const wrapped = parseHash(toStoredText(`$2b$10$${salt}${checksum}`, raw.oldSalt));
  assert(wrapped?.format === 'wrapped-sha256');
  assert.equal(wrapped.oldSalt.toString('utf8'), '🧂'.repeat(128));
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
  );
  fc.assert(
    fc.property(
      fc.array(fc.oneof(fragment, anyText())).map((parts) => parts.join('')),
      (text) => {
        parseHash(text);
      },
    ),
  );
});
