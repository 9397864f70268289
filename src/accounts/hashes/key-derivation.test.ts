import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findHashFault, parseHash } from './hash-formats.ts';
import type { KeyDerivation } from './key-derivation.ts';

/** Published values of other programs, each as password and stored text. */
const published: [password: string, stored: string][] = [
  // The reference implementation of argon2, src/test.c, version 0x13 (P-H-C/phc-winner-argon2).
  ['password', '$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc'],
  ['password', '$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4'],
  ['password', '$argon2id$v=19$m=256,t=2,p=2$c29tZXNhbHQ$bQk8UB/VmZZF4Oo79iDXuL5/0ttZwg2f/5U52iv1cDc'],
  ['password', '$argon2i$v=19$m=256,t=2,p=1$c29tZXNhbHQ$iekCn0Y3spW+sCcFanM2xBT63UP2sghkUoHLIUpWRS8'],
  // passlib 1.7.4, passlib/tests/test_handlers_argon2.py; the first is from argon2-cffi, made with the command of argon2.
  ['password', '$argon2id$v=19$m=65536,t=2,p=4$c29tZXNhbHQ$GpZ3sK/oH9p7VIiV56G/64Zo/8GaUw434IimaPqxwCo'],
  ['password', '$argon2i$v=19$m=380,t=2,p=2$c29tZXNhbHQ$SrssP8n7m/12VWPM8dvNrw'],
  ['táБℓə', '$argon2i$v=19$m=512,t=2,p=2$1sV0O4PWLtc12Ypv1f7oGw$z+yqzlKtrq3SaNfXDfIDnQ'],
  // Django 4.1, tests/auth_tests/test_hashers.py, test_argon2, without its prefix.
  ['secret', '$argon2i$v=19$m=8,t=1,p=1$c2FsdHNhbHQ$YC9+jJCrQhs5R6db7LlN8Q'],
  // RFC 7914, 12: the second and the third, as passlib's test_handlers_scrypt.py writes them, and the second whole.
  ['password', '$scrypt$ln=10,r=8,p=16$TmFDbA$/bq+HJ00cgB4VucZDQHp/nxq18vII3gw53N2Y0s3MWI'],
  [
    'password',
    '$scrypt$ln=10,r=8,p=16$TmFDbA$/bq+HJ00cgB4VucZDQHp/nxq18vII3gw53N2Y0s3MWIurzDZLiKjiG/xCSedmDDaxyevuUqD7m2DYMvfoswGQA',
  ],
  ['pleaseletmein', '$scrypt$ln=14,r=8,p=1$U29kaXVtQ2hsb3JpZGU$cCO9yzr9c0hGHAbNgf046/2o+7qQT44+qbVD9lRdofI'],
  ['password', '$scrypt$ln=8,r=2,p=1$dO6d0xoDoLT2PofQGoNQag$g/Wf2A0vhHhaJM+addK61QPBthSmYB6uVTtQzh8CM3o'],
  ['nacl', '$scrypt$ln=1,r=4,p=2$yhnD+J+Tci4lZCwFgHCuVQ$fAsEWmxSHuC0cHKMwKVFPzrQukgvK09Sj+NueTSxKds'],
  // passlib 1.7.4, passlib/tests/test_handlers_pbkdf2.py.
  ['password', '$pbkdf2$1212$OB.dtnSEXZK8U5cgxU/GYQ$y5LKPOplRmok7CZp/aqVDVg8zGI'],
  ['Ιωαννης', '$pbkdf2$1212$THDqatpidANpadlLeTeOEg$HV3oi1k5C5LQCgG1BMOL.BX4YZc'],
  ['password', '$pbkdf2-sha256$1212$4vjV83LKPjQzk31VI4E0Vw$hsYF68OiOUPdDZ1Fg.fJPeq1h/gXXY7acBp9/6c.tmQ'],
  [
    'password',
    '$pbkdf2-sha512$1212$RHY0Fr3IDMSVO/RSZyb5ow$eNLfBK.eVozomMr.1gYa17k9B7KIK25NOEshvhrSX.esqY3s.FvWZViXz4KoLlQI.BzY/YTNJOiKc5gBYFYGww',
  ],
  // Django 1.4, as passlib's test_handlers_django.py has them, and Django 4.1, test_low_level_pbkdf2 and the next.
  ['not a password', 'pbkdf2_sha256$10000$kjVJaVz6qsnJ$5yPHw3rwJGECpUf70daLGhOrQ5+AMxIJdz1c3bqK1Rs='],
  ['táБℓə', 'pbkdf2_sha1$10000$KZKWwvqb8BfL$rw5pWsxJEU4JrZAQhHTCO+u0f5Y='],
  ['lètmein', 'pbkdf2_sha256$390000$seasalt2$geC/uZ92nRXDSjSxeoiBqYyRcrLzMm8xK3ro1QS1uo8='],
  ['lètmein', 'pbkdf2_sha1$390000$seasalt2$aDapRanzW8aHTz97v2TcfHzWD+I='],
];

function read(stored: string): KeyDerivation {
  const parsed = parseHash(stored);
  assert(parsed && 'derive' in parsed, stored);
  return parsed;
}

test('a published hash has the key that is derived from its password', async () => {
  for (const [password, stored] of published) {
    assert.equal(findHashFault(stored), undefined, stored);
    const parsed = read(stored);
    assert.deepEqual(await parsed.derive(password), parsed.expected, stored);
    const isCheap = parsed.ms < 50;
    if (isCheap) assert.notDeepEqual(await parsed.derive(`${password}!`), parsed.expected, stored);
  }
});

const salt = 'c29tZXNhbHQ'; // somesalt
const hash = 'CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc'; // 32 bytes
const argon2 = (costs: string, form = 'argon2id') => `$${form}$v=19$${costs}$${salt}$${hash}`;
const scrypt = (costs: string) => `$scrypt$${costs}$${salt}$${hash}`;
const passlib = (rounds: string) => `$pbkdf2-sha256$${rounds}$${salt}$${hash.replaceAll('+', '.')}`;
const django = (rounds: string) => `pbkdf2_sha256$${rounds}$seasalt$${hash}=`;

const isTooCostly = {
  argon2: 'password_hash is refused: argon2 may have m=65536 (64 MiB), t=10 and p=64 at most',
  scrypt:
    'password_hash is refused: scrypt may take 64 MiB (128 bytes · 2^ln · r) at most, and 256 MiB with p times that',
  pbkdf2: 'password_hash is refused: PBKDF2 may have 2000000 rounds at most',
};

test('a hash that takes the most of anything is accepted, one that takes more is refused', () => {
  for (const [stored, fault] of [
    [argon2('m=65536,t=10,p=64'), undefined],
    [argon2('m=65536,t=10,p=64', 'argon2i'), undefined],
    [argon2('m=65537,t=1,p=1'), isTooCostly.argon2],
    [argon2('m=65537,t=1,p=1', 'argon2i'), isTooCostly.argon2],
    [argon2('m=65536,t=11,p=1'), isTooCostly.argon2],
    [argon2('m=65536,t=1,p=65'), isTooCostly.argon2],
    [argon2('m=4294967295,t=4294967295,p=16777215'), isTooCostly.argon2],
    [scrypt('ln=16,r=8,p=4'), undefined],
    [scrypt('ln=16,r=8,p=5'), isTooCostly.scrypt],
    [scrypt('ln=13,r=8,p=32'), undefined],
    [scrypt('ln=13,r=8,p=33'), isTooCostly.scrypt],
    [scrypt('ln=17,r=8,p=1'), isTooCostly.scrypt],
    [scrypt('ln=16,r=9,p=1'), isTooCostly.scrypt],
    // The last of RFC 7914, 12: 1 GiB.
    [scrypt('ln=20,r=8,p=1'), isTooCostly.scrypt],
    [scrypt('ln=9999999999,r=1,p=1'), isTooCostly.scrypt],
    [scrypt('ln=1,r=1,p=4294967295'), isTooCostly.scrypt],
    [passlib('2000000'), undefined],
    [passlib('2000001'), isTooCostly.pbkdf2],
    [passlib('9999999999'), isTooCostly.pbkdf2],
    [django('2000000'), undefined],
    [django('2000001'), isTooCostly.pbkdf2],
  ] as const) {
    assert.equal(findHashFault(stored), fault, stored);
    assert.equal(parseHash(stored) === undefined, fault !== undefined, stored);
  }
});

test('what is accepted with extreme costs can be computed', async () => {
  for (const stored of [
    argon2('m=8,t=1,p=1'),
    argon2('m=512,t=1,p=64'),
    scrypt('ln=15,r=1,p=1'),
    scrypt('ln=1,r=65536,p=1'),
    scrypt('ln=1,r=1,p=65536'),
    passlib('1'),
  ])
    assert.equal((await read(stored).derive('password')).length, 32, stored);
  assert.equal(
    findHashFault(argon2('m=511,t=1,p=64')),
    'password_hash is refused: argon2 must have an m of 8 times p at least',
  );
  assert.equal(
    findHashFault(scrypt('ln=16,r=1,p=1')),
    'password_hash is refused: scrypt must have an ln below 16 times r',
  );
});

test('a cut salt or hash is refused, and one that is not Base64', () => {
  const saltFault = 'password_hash is refused: the salt is cut, or not the Base64 of 8 to 128 bytes';
  const shortFault = saltFault.replace('8 to', '4 to');
  const hashFault = (bytes: string) =>
    `password_hash is refused: the hash is cut, or not the Base64 of ${bytes} bytes`;
  const cuts: [stored: string, part: string, fault: string, cuts: string[]][] = [
    [
      argon2('m=8,t=1,p=1'),
      salt,
      saltFault,
      ['', 'c29t', 'c29tZXNhb', 'c29tZXNhbHR', 'c29tZXNhbH=', `${salt}=`, '!29tZXNhbHQ'],
    ],
    [
      argon2('m=8,t=1,p=1'),
      hash,
      hashFault('16 to 64'),
      [
        '',
        'CTFh',
        hash.slice(0, -1),
        hash.slice(0, -2),
        hash.slice(0, -3),
        `${hash}=`,
        `${hash.slice(0, -1)}d`,
      ],
    ],
    [scrypt('ln=4,r=1,p=1'), salt, shortFault, ['', 'c29', 'c29tZ', `${salt}=`, 'A'.repeat(172)]],
    [scrypt('ln=4,r=1,p=1'), hash, hashFault('16 to 64'), ['', hash.slice(0, -1), 'A'.repeat(96)]],
    [passlib('1'), salt, shortFault, ['', 'c29', `${salt}=`]],
    [passlib('1'), hash, hashFault('32'), ['', hash.slice(0, -1), `${hash}=`, 'A'.repeat(27)]],
    [django('1'), 'seasalt', shortFault, ['', 'sea', 's'.repeat(129)]],
    [django('1'), `${hash}=`, hashFault('32'), ['', hash, hash.slice(0, -1), `${hash}==`, `${hash}=\n`]],
  ];
  for (const [stored, part, fault, others] of cuts) {
    assert.equal(findHashFault(stored), undefined, stored);
    for (const other of others) {
      const cut = stored.replace(part, () => other);
      assert.equal(findHashFault(cut), fault, cut);
      assert.equal(parseHash(cut), undefined, cut);
    }
  }
});

test('other forms and parameters are unknown', () => {
  for (const stored of [
    argon2('m=8,t=1,p=1', 'argon2d'),
    argon2('m=8,t=1,p=1').replace('v=19', 'v=16'),
    // argon2 1.0 says no version, and Node has no argon2 1.0.
    argon2('m=8,t=1,p=1').replace('$v=19', ''),
    argon2('m=8,t=1'),
    argon2('m=8,t=1,p=1,keyid=ABCD'),
    argon2('t=1,m=8,p=1'),
    argon2('m=08,t=1,p=1'),
    argon2('m=8,t=0,p=1'),
    argon2('m=-8,t=1,p=1'),
    argon2('m=8,t=1,p=1e3'),
    `${argon2('m=8,t=1,p=1')}$`,
    scrypt('ln=0,r=1,p=1'),
    scrypt('ln=04,r=1,p=1'),
    scrypt('ln=4,r=1'),
    '$7$C6..../....SodiumChloride$kBGj9fHznVYFQMEn/qDCfrDevf9YDtcDdKvEqHJLV8D',
    passlib('0'),
    passlib('01212'),
    passlib(''),
    passlib('1').replace('sha256', 'md5'),
    django('-1'),
    django('1').replace('sha256', 'sha512'),
    django('1').replace('seasalt', 'sea\u0000salt'),
  ])
    assert.equal(findHashFault(stored), 'password_hash has an unknown format', stored);
});

test('a Node without argon2 refuses its lines and no others', () => {
  const fault = 'password_hash needs a Node.js with argon2 (24.7 or later)';
  for (const [, stored] of published)
    assert.equal(findHashFault(stored, false), stored.startsWith('$argon2') ? fault : undefined, stored);
});

test('the estimates grow with the costs, in the measure of a bcrypt of cost 10 with 60 ms', () => {
  const ms = (stored: string) => Math.round(read(stored).ms);
  assert.equal(ms(argon2('m=65536,t=2,p=1')), 154);
  assert.equal(ms(argon2('m=65536,t=10,p=1')), 768);
  assert.equal(ms(scrypt('ln=14,r=8,p=1')), 48);
  assert.equal(ms(scrypt('ln=14,r=8,p=5')), 240);
  assert.equal(ms(passlib('1000000')), 160);
});
