import assert from 'node:assert/strict';
import { createHash, pbkdf2Sync } from 'node:crypto';
import { test } from 'node:test';
import * as bcrypt from '@node-rs/bcrypt';
import fc from 'fast-check';
import { BoundedQueue } from '../collections/bounded-queue.ts';
import { openHashQueue, openPasswords } from './passwords.ts';

// The lowest cost, so that the tests are quick.
const passwords = openPasswords({ cost: 4 });

const hex = '5e884898da28047151d0e56f8dc6292773603d0d6aabbdd62a11ef721d1542d8';

/**
 * Published values, each as password and stored text. Those of bcrypt-sha256 and of plain `$2a$`, `$2b$` are from
 * known_correct_hashes in passlib 1.7.4 (passlib/tests/test_handlers_bcrypt.py), where the first `$2a$` ones come
 * from Openwall's crypt_blowfish; that of `$2y$` is the example of PHP's manual for password_verify().
 */
const published: [password: string, stored: string][] = [
  ['', '$bcrypt-sha256$v=2,t=2b,r=5$E/e/2AOhqM5W/KJTFQzLce$WFPIZKtDDTriqWwlmRFfHiOTeheAZWe'],
  ['password', '$bcrypt-sha256$v=2,t=2b,r=5$5Hg1DKFqPE8C2aflZ5vVoe$wOK1VFFtS8IGTrGa7.h5fs0u84qyPbS'],
  ['táБℓə', '$bcrypt-sha256$v=2,t=2b,r=5$.US1fQ4TQS.ZTz/uJ5Kyn.$pzzgp40k8reM1CuQb03PvE0IDPQSdV6'],
  ['abc123'.repeat(12), '$bcrypt-sha256$v=2,t=2b,r=5$X1g1nh3g0v4h6970O68cxe$zu1cloESVFIOsUIo7fCEgkdHaI9SSue'],
  [
    `${'abc123'.repeat(12)}qwr`,
    '$bcrypt-sha256$v=2,t=2b,r=5$X1g1nh3g0v4h6970O68cxe$CBF9csfEdW68xv3DwE6xSULXMtqEFP.',
  ],
  [
    `${'abc123'.repeat(12)}xyz`,
    '$bcrypt-sha256$v=2,t=2b,r=5$X1g1nh3g0v4h6970O68cxe$zC/1UDUG2ofEXB6Onr2vvyFzfhEOS3S',
  ],
  ['', '$bcrypt-sha256$2a,5$E/e/2AOhqM5W/KJTFQzLce$F6dYSxOdAEoJZO2eoHUZWZljW/e0TXO'],
  ['táБℓə', '$bcrypt-sha256$2a,5$.US1fQ4TQS.ZTz/uJ5Kyn.$QNdPDOTKKT5/sovNz1iWg26quOU4Pje'],
  ['password', '$bcrypt-sha256$2b,5$5Hg1DKFqPE8C2aflZ5vVoe$12BjNE0p7axMg55.Y/mHsYiVuFBDQyu'],
  [`${'abc123'.repeat(12)}qwr`, '$bcrypt-sha256$2b,5$X1g1nh3g0v4h6970O68cxe$021KLEif6epjot5yoxk0m8I0929ohEa'],
  ['U*U', '$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW'],
  ['', '$2a$05$CCCCCCCCCCCCCCCCCCCCC.7uG0VCzI2bS7j6ymqJi9CdcdxiRTWNy'],
  ['táБℓə', '$2a$05$Z17AXnnlpzddNUvnC6cZNOSwMA/8oNiKnHTHTwLlBijfucQQlHjaG'],
  ['táБℓə', '$2b$05$Z17AXnnlpzddNUvnC6cZNOSwMA/8oNiKnHTHTwLlBijfucQQlHjaG'],
  ['rasmuslerdorf', '$2y$10$.vGA1O9wmRjrwAVXD98HNOgsNpDczlqm3Jq7KnEd1rVAGv3Fykk1a'],
];

/** Of 'password', with small costs: from the same programs as in hashes/key-derivation.test.ts. */
const foreign = {
  argon2id: '$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4',
  argon2i: '$argon2i$v=19$m=380,t=2,p=2$c29tZXNhbHQ$SrssP8n7m/12VWPM8dvNrw',
  scrypt: '$scrypt$ln=8,r=2,p=1$dO6d0xoDoLT2PofQGoNQag$g/Wf2A0vhHhaJM+addK61QPBthSmYB6uVTtQzh8CM3o',
  pbkdf2: '$pbkdf2-sha256$1212$4vjV83LKPjQzk31VI4E0Vw$hsYF68OiOUPdDZ1Fg.fJPeq1h/gXXY7acBp9/6c.tmQ',
};

async function lets(password: string, stored: string): Promise<boolean> {
  return (await passwords.verify(password, stored)).ok;
}

test('published hashes of other programs match their password and no other', async () => {
  for (const [password, stored] of published) {
    assert.equal(await lets(password, stored), true, stored);
    assert.equal(await lets(`${password}!`, stored), false, stored);
    assert.equal(await lets(password === '' ? '0' : password.slice(1), stored), false, stored);
  }
});

test('legacy SHA-256 matches its password and no other, with or without a salt, in either case (interface 5.7)', async () => {
  // Expected digits from GNU sha256sum.
  const salted = 'ecc93c164898aec63eca214f959bde7fc5b2978ccee4c30b8637da15aa0a98cd';
  for (const stored of [hex, hex.toUpperCase(), `sha256$$${hex}`]) {
    assert.deepEqual(await passwords.verify('password', stored), { ok: true, replacement: true });
    assert.deepEqual(await passwords.verify('Password', stored), { ok: false, replacement: false });
  }
  for (const stored of [`sha256$p$q密$${salted}`, `sha256$p$q密$${salted.toUpperCase()}`]) {
    assert.deepEqual(await passwords.verify('password', stored), { ok: true, replacement: true });
    assert.deepEqual(await passwords.verify('p$q密password', stored), { ok: false, replacement: false });
  }
  assert.equal(await lets('password', salted), false);
});

test('a new hash has the published format and a new salt, and matches its password', async () => {
  const [one, two] = await Promise.all([passwords.hash('correct horse'), passwords.hash('correct horse')]);
  assert.match(one, /^\$bcrypt-sha256\$v=2,t=2b,r=4\$[./A-Za-z0-9]{22}\$[./A-Za-z0-9]{31}$/);
  assert.notEqual(one, two);
  assert.deepEqual(await passwords.verify('correct horse', one), { ok: true, replacement: false });
  assert.deepEqual(await passwords.verify('correct hors', one), { ok: false, replacement: false });
});

test('any password matches its own hash and no other, and needs no replacement', async () => {
  const password = fc.string({ unit: 'grapheme', maxLength: 128 });
  await fc.assert(
    fc.asyncProperty(password, password, async (alice, bob) => {
      const stored = await passwords.hash(alice);
      assert.deepEqual(await passwords.verify(alice, stored), { ok: true, replacement: false });
      assert.equal(await lets(bob, stored), alice === bob);
    }),
    { numRuns: 40 },
  );
});

test('passwords with the same first 72 bytes differ, as do 128 emoji and 127', async () => {
  const long = 'x'.repeat(72);
  const stored = await passwords.hash(`${long}A`);
  assert.equal(await lets(`${long}A`, stored), true);
  assert.equal(await lets(`${long}B`, stored), false);
  assert.equal(await lets(long, stored), false);

  const emoji = await passwords.hash('🔑'.repeat(128));
  assert.equal(await lets('🔑'.repeat(128), emoji), true);
  assert.equal(await lets('🔑'.repeat(127), emoji), false);
  assert.equal(await lets(`${'🔑'.repeat(127)}🗝`, emoji), false);
});

test('a plain bcrypt hash matches passwords with the same first 72 bytes, and is then not replaced', async () => {
  const long = 'x'.repeat(72);
  for (const version of ['2a', '2b', '2y'] as const) {
    const stored = (await bcrypt.hash(`${long}A`, 4)).replace(/^\$2.\$/, `$${version}$`);
    assert.deepEqual(await passwords.verify(`${long}A`, stored), { ok: true, replacement: false });
    assert.deepEqual(await passwords.verify(`${long}B`, stored), { ok: true, replacement: false });
    assert.deepEqual(await passwords.verify(long, stored), { ok: true, replacement: true });
    assert.deepEqual(await passwords.verify(long.slice(1), stored), { ok: false, replacement: false });
  }
  // 19 characters, but 76 bytes.
  const emoji = await bcrypt.hash('🔑'.repeat(19), 4);
  assert.deepEqual(await passwords.verify('🔑'.repeat(19), emoji), { ok: true, replacement: false });
  assert.deepEqual(await passwords.verify('🔑'.repeat(18), emoji), { ok: true, replacement: true });
});

test('a hash of a lower cost, an older or the wrapped format is to be replaced, a stronger one is not', async () => {
  const replacement = async (password: string, stored: string, cost: number) =>
    (await openPasswords({ cost }).verify(password, stored)).replacement;
  const [, password] = published;
  assert(password);
  assert.equal(await replacement(...password, 4), false);
  assert.equal(await replacement(...password, 5), false);
  assert.equal(await replacement(...password, 6), true);
  for (const [text, stored] of published.slice(6)) {
    assert.equal(await replacement(text, stored, 4), true, stored);
  }
  assert.equal(await replacement('password', await passwords.wrapLegacy(hex), 4), true);
  for (const stored of Object.values(foreign))
    assert.equal(await replacement('password', stored, 4), true, stored);
});

test('argon2, scrypt and PBKDF2 of other programs match their password and no other, and are to be replaced', async () => {
  for (const stored of Object.values(foreign)) {
    assert.deepEqual(await passwords.verify('password', stored), { ok: true, replacement: true }, stored);
    assert.deepEqual(await passwords.verify('Password', stored), { ok: false, replacement: false }, stored);
  }
  // The whole password counts, unlike with a plain bcrypt.
  const long = 'p'.repeat(80);
  const key = pbkdf2Sync(long, 'seasalt', 1, 32, 'sha256').toString('base64');
  const stored = `pbkdf2_sha256$1$seasalt$${key}`;
  assert.deepEqual(await passwords.verify(long, stored), { ok: true, replacement: true });
  assert.deepEqual(await passwords.verify(`${'p'.repeat(72)}other`, stored), {
    ok: false,
    replacement: false,
  });
});

test('a digest is wrapped into bcrypt, which hides it, with its algorithm, its salt and the side of that', async () => {
  for (const algorithm of ['md5', 'sha1', 'sha256', 'sha512'] as const)
    for (const [side, text] of [
      ['before', 'p$q密password'],
      ['after', 'passwordp$q密'],
    ] as const) {
      const digits = createHash(algorithm).update(text).digest('hex');
      const raw = `digest$${algorithm}$${side}$p$q密$${digits.toUpperCase()}`;
      const wrapped = await passwords.wrapLegacy(raw);
      const isFirstForm = algorithm === 'sha256' && side === 'before';
      const form = isFirstForm ? 'bcrypt-sha256-legacy$v=1' : `bcrypt-digest$v=1,d=${algorithm},s=${side}`;
      assert.equal(wrapped.slice(0, -54), `$${form},t=2b,r=4$cCRx5a-G$`);
      for (const stored of [raw, wrapped]) {
        assert.deepEqual(await passwords.verify('password', stored), { ok: true, replacement: true }, stored);
        for (const other of ['Password', text, digits])
          assert.deepEqual(await passwords.verify(other, stored), { ok: false, replacement: false }, stored);
      }
    }
});

test('a wrapped SHA-256 keeps its salt, matches the same password, and hides the old digits', async () => {
  const salted = 'sha256$p$q密$ECC93C164898aec63eca214f959bde7fc5b2978ccee4c30b8637da15aa0a98cd';
  // cCRx5a+G is the Base64 of 'p$q密'.
  const wrapped = await passwords.wrapLegacy(salted);
  assert.match(
    wrapped,
    /^\$bcrypt-sha256-legacy\$v=1,t=2b,r=4\$cCRx5a-G\$[./A-Za-z0-9]{22}\$[./A-Za-z0-9]{31}$/,
  );
  assert.equal(await lets('password', wrapped), true);
  assert.equal(await lets('p$q密password', wrapped), false);

  for (const bare of [hex, hex.toUpperCase()]) {
    const stored = await passwords.wrapLegacy(bare);
    assert.match(stored, /^\$bcrypt-sha256-legacy\$v=1,t=2b,r=4\$\$[./A-Za-z0-9]{22}\$[./A-Za-z0-9]{31}$/);
    assert.equal(await lets('password', stored), true);
    assert.equal(await lets('Password', stored), false);
    assert.equal(await lets(hex, stored), false);
  }
});

test('wrapping leaves every other text as it is', async () => {
  const wrapped = await passwords.wrapLegacy(hex);
  const others = [...published.map(([, text]) => text), ...Object.values(foreign)];
  for (const stored of [wrapped, 'nonsense', '', '!', ...others]) {
    assert.equal(await passwords.wrapLegacy(stored), stored);
  }
});

test('stored text of an unknown format matches nothing and does not throw', async () => {
  const strange = [
    '',
    '!',
    'password',
    hex.slice(1),
    `$2b$31$${'.'.repeat(53)}`,
    `$2b$10$${'.'.repeat(52)}`,
    `$bcrypt-sha256$v=2,t=2b,r=5$${'.'.repeat(22)}$`,
    '\ud800',
  ];
  for (const stored of strange) {
    assert.deepEqual(await passwords.verify('password', stored), { ok: false, replacement: false }, stored);
  }
});

test('hashes and checks share the concurrency and the queue; raw SHA-256 needs neither', async () => {
  const narrow = openPasswords({ cost: 4, queue: new BoundedQueue({ concurrency: 1, limit: 1 }) });
  const stored = await narrow.hash('password');
  const running = narrow.verify('password', stored);
  const gone = new AbortController();
  const waiting = narrow.hash('password', gone.signal);
  assert.deepEqual([narrow.queue.running, narrow.queue.waiting], [1, 1]);
  await assert.rejects(narrow.verify('password', stored), { word: 'overloaded' });
  await assert.rejects(narrow.wrapLegacy(hex), { word: 'overloaded' });
  for (const other of Object.values(foreign))
    await assert.rejects(narrow.verify('password', other), { word: 'overloaded' });
  // Nor does a user without a password get a quicker answer.
  await assert.rejects(narrow.verify('password', '!'), { word: 'overloaded' });
  assert.deepEqual(await narrow.verify('password', hex), { ok: true, replacement: true });

  gone.abort(new Error('client is gone'));
  await assert.rejects(waiting, { message: 'client is gone' });
  assert.equal((await running).ok, true);
});

test('a started hash counts as running until its thread ends, even if its client disconnects', async () => {
  const narrow = openPasswords({ cost: 8, queue: new BoundedQueue({ concurrency: 1, limit: 1 }) });
  const gone = new AbortController();
  const running = narrow.hash('password', gone.signal);
  gone.abort();
  await new Promise(setImmediate);
  assert.equal(narrow.queue.running, 1);
  assert.match(await running, /^\$bcrypt-sha256\$/);
  assert.equal(narrow.queue.running, 0);
});

test('the event loop is not blocked while twenty hashes of cost 10 run', async () => {
  const busy = openPasswords({ cost: 10 });
  const hashes = Promise.all(Array.from({ length: 20 }, () => busy.hash('password')));
  await new Promise(setImmediate);
  // Hashes on the main thread would follow each other in microtasks and be over before the next turn.
  assert(busy.queue.running > 0 && busy.queue.waiting > 0);
  await hashes;
});

test('argon2, scrypt and PBKDF2 do not block the event loop', async () => {
  const costly = [
    '$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc',
    '$scrypt$ln=14,r=8,p=1$U29kaXVtQ2hsb3JpZGU$cCO9yzr9c0hGHAbNgf046/2o+7qQT44+qbVD9lRdofI',
    'pbkdf2_sha256$390000$seasalt2$geC/uZ92nRXDSjSxeoiBqYyRcrLzMm8xK3ro1QS1uo8=',
  ];
  for (const stored of costly) {
    const check = passwords.verify('password', stored);
    await new Promise(setImmediate);
    assert.equal(passwords.queue.running, 1, stored);
    await check;
    assert.equal(passwords.queue.running, 0);
  }
});

test('a check that takes as long as several hashes counts as several while it waits', async () => {
  const waiting = async (stored: string, cost: number) => {
    const { promise: ended, resolve: end } = Promise.withResolvers<void>();
    const queue = new BoundedQueue({ concurrency: 1, limit: 20 });
    const busy = queue.run(() => ended);
    const gone = new AbortController();
    const narrow = openPasswords({ cost, queue });
    const checks = Array.from({ length: 25 }, () => narrow.verify('password', stored, gone.signal));
    const accepted = queue.waiting;
    gone.abort();
    end();
    await Promise.allSettled([busy, ...checks]);
    return accepted;
  };
  // 38 ms of argon2 are about ten bcrypts of cost 6.
  const argon2 = '$argon2id$v=19$m=8192,t=4,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc';
  assert.equal(await waiting(argon2, 6), 2);
  assert.equal(await waiting(argon2, 10), 20);
  const bcrypt = `$2b$07$${'a'.repeat(21)}u${'a'.repeat(30)}u`;
  assert.equal(await waiting(bcrypt, 4), 3);
  assert.equal(await waiting(bcrypt, 7), 20);
  assert.equal(await waiting(bcrypt, 10), 20);
});

test('the queue holds about three seconds of hashing', () => {
  assert.equal(openHashQueue(10, 2).limit, 100);
  assert.equal(openHashQueue(12, 2).limit, 24);
  assert.equal(openHashQueue(16, 2).limit, 2);
});
