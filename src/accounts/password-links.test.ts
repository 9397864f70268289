import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { onEachDatabase } from '../../test/databases.ts';
import { type Answer, startService } from '../../test/harness.ts';
import { BoundedQueue } from '../collections/bounded-queue.ts';
import { ServiceError } from '../errors.ts';
import { deleteUser } from '../leaving/remove-user.ts';
import { restoreUser, suspendUser } from './account-status.ts';
import { createPasswordLink, removeExpiredLinks } from './password-links.ts';
import { openPasswords, type Passwords } from './passwords.ts';
import { createPassword, resetPasswordByLink, setPassword } from './set-password.ts';

const HOUR_MS = 3_600_000;
const UNKNOWN = 'A'.repeat(43);

onEachDatabase('Password links', (database) => {
  /** A service with the user alice, and a clock that the test moves. */
  async function start(t: TestContext, env: Record<string, string> = {}) {
    let now = 1_790_000_000_000;
    const service = await startService(t, database, { env, world: { now: () => now } });
    const alice = await service.join('alice');
    const { db, events, accounts } = service.services;
    const makeLink = () => db.transaction((tx) => createPasswordLink(tx, alice.id, now));
    return {
      service,
      alice,
      db,
      now: () => now,
      pass: (ms: number) => {
        now += ms;
      },
      makeLink,
      makeToken: async () => {
        const link = await makeLink();
        assert.ok(link);
        return link.token;
      },
      use: (token: string, newPassword = 'a new password') =>
        service.post('/api/password-link', { token, newPassword }),
      /** The same without HTTP, with hashing that the test controls. */
      useWith: (passwords: Passwords, token: string) =>
        resetPasswordByLink(
          {
            db,
            events,
            mac: accounts.mac,
            passwords,
            commonPasswords: new Set<string>(),
            registration: 'open',
            now: () => now,
            signal: new AbortController().signal,
            address: '',
            device: '',
            hasMail: false,
          },
          token,
          'a new password',
          false,
        ),
      passwords: accounts.passwords,
      logIn: async (password: string) =>
        (await service.post('/api/login', { username: 'alice', password })).status,
      stored: () => db.all<{ user_id: string; hash: string }>`select * from password_links`,
    };
  }

  function assertInvalid({ status, body }: Answer): void {
    const text = '链接已过期或已被使用，请重新获取';
    assert.deepEqual([status, body], [400, { code: 400, error: 'link_invalid', msg: text }]);
  }

  const refused = (error: unknown) => error instanceof ServiceError && error.word === 'link_invalid';

  test('a link sets a new password once, and ends sessions, subscriptions and device proofs', async (t) => {
    const { service, alice, db, makeToken, use, logIn, stored } = await start(t);
    const headers = { 'device-proof': 'none' };
    await service.post('/api/token', {}, { token: alice.token, headers });
    const subscription = { endpoint: 'https://push.example.net/1', keys: { p256dh: 'BAAA', auth: 'AAAA' } };
    await service.post('/api/push/subscribe', { userId: alice.id, subscription }, { token: alice.token });
    const token = await makeToken();
    assert.equal((await service.get('/api/sessions', { token: alice.token })).status, 200);

    const { status, body } = await use(token);
    assert.deepEqual([status, body], [200, { code: 200, message: '密码设置成功' }]);
    assert.equal((await service.get('/api/sessions', { token: alice.token })).status, 401);
    assert.deepEqual(await db.all`select id from push_subscriptions`, []);
    assert.deepEqual(await db.all`select hash from device_proofs`, []);
    assert.deepEqual(await stored(), []);
    assert.deepEqual([await logIn(alice.password), await logIn('a new password')], [400, 200]);

    assertInvalid(await use(token, 'another password'));
    assertInvalid(await use(UNKNOWN));
    assertInvalid(await use('\u{1f511}'));
    assert.equal(await logIn('a new password'), 200);
  });

  test('a device that asks gets a proof with its new password, and signs in with it during an attack', async (t) => {
    const { service, makeToken, stored, db } = await start(t, { RATE_LIMIT_AUTH: '' });
    const logIn = (password: string, from: string, proof = 'none') =>
      service.post(
        '/api/login',
        { username: 'alice', password },
        { from, headers: { 'device-proof': proof } },
      );
    let address = 0;
    /** Guesses from one address after the other until no login is let in. */
    async function attack(): Promise<void> {
      for (let n = 0; ; n++) {
        assert.ok(n < 100, 'the attack is never slowed down');
        const { status, body } = await logIn('a guess', `198.51.100.${++address}`);
        if (status !== 429) continue;
        assert.equal(body.error, 'too_many_logins');
        return;
      }
    }
    await attack();
    const [own, token] = ['203.0.113.7', await makeToken()];
    const headers = { 'device-proof': 'none' };
    const use = () =>
      service.post('/api/password-link', { token, newPassword: 'a new password' }, { from: own, headers });
    const answer = await use();
    assert.deepEqual([answer.status, answer.body], [200, { code: 200, message: '密码设置成功' }]);
    const proof = String(answer.headers['device-proof']);
    assert.match(proof, /^[\w-]{43}$/);
    assert.equal((await db.all`select hash from device_proofs`).length, 1);
    await attack();
    assert.equal((await logIn('a new password', own)).body.error, 'too_many_logins');
    const signedIn = await logIn('a new password', own, proof);
    assert.deepEqual([signedIn.status, signedIn.headers['device-proof']], [200, proof]);

    // The link is used up, so it gives no further proof.
    assertInvalid(await use());
    assert.deepEqual(await stored(), []);
    assert.equal((await db.all`select hash from device_proofs`).length, 1);
  });

  test('a device proof that is shown with a link ends, and is answered with a new one', async (t) => {
    const { service, alice, makeToken } = await start(t);
    const call = (path: string, body: object, proof: string, token?: string) =>
      service.post(path, body, { ...(token && { token }), headers: { 'device-proof': proof } });
    const before = String((await call('/api/token', {}, 'none', alice.token)).headers['device-proof']);
    const link = { token: await makeToken(), newPassword: 'a new password' };
    const after = String((await call('/api/password-link', link, before)).headers['device-proof']);
    assert.match(after, /^[\w-]{43}$/);
    assert.notEqual(after, before);
    const login = { username: 'alice', password: 'a new password' };
    assert.equal((await call('/api/login', login, `${before}, ${after}`)).headers['device-proof'], after);
  });

  test('of many calls with one token at once, one succeeds', async (t) => {
    const { makeToken, use, logIn } = await start(t);
    const token = await makeToken();
    const passwords = Array.from({ length: 8 }, (_, i) => `password ${i}`);
    const answers = await Promise.all(passwords.map((password) => use(token, password)));
    const good = passwords.filter((_, i) => answers[i]?.status === 200);
    assert.equal(good.length, 1);
    for (const answer of answers) if (answer.status !== 200) assertInvalid(answer);
    assert.equal(await logIn(good.join()), 200);
  });

  test('a link is valid for an hour, and removed afterwards', async (t) => {
    const { db, now, pass, makeLink, makeToken, use, stored } = await start(t);
    const link = await makeLink();
    assert.equal(link?.expiresAt, now() + HOUR_MS);
    // A millisecond less than an hour, after which the service itself removes it.
    pass(HOUR_MS - 1);
    await removeExpiredLinks(db, now());
    assert.equal((await stored()).length, 1);
    await removeExpiredLinks(db, now() + 1);
    assert.deepEqual(await stored(), []);
    const late = await makeToken();
    pass(HOUR_MS);
    assertInvalid(await use(late));
    const token = await makeToken();
    pass(HOUR_MS - 1);
    assert.equal((await use(token)).status, 200);
  });

  test('only a hash is stored, and a new link replaces the one before', async (t) => {
    const { alice, makeToken, use, stored } = await start(t);
    const [first, second] = [await makeToken(), await makeToken()];
    for (const token of [first, second]) assert.match(token, /^[\w-]{43}$/);
    const [row, ...others] = await stored();
    assert.deepEqual([row?.user_id, others], [alice.id, []]);
    assert.ok(row && ![first, second].includes(row.hash));
    assertInvalid(await use(first));
    assert.equal((await use(second)).status, 200);
  });

  test('a password that is set in another way, a suspension and a deletion end the link', async (t) => {
    const { service, alice, db, makeLink, makeToken, use, stored } = await start(t);
    const { id, token } = alice;
    const passwords = { oldPassword: alice.password, newPassword: 'another one' };
    const acts = [
      () => service.post('/api/user/change-password', passwords, { token }),
      () => db.transaction((tx) => setPassword(tx, id, createPassword())),
      async () => {
        await db.transaction((tx) => suspendUser(tx, id));
        assert.equal(await makeLink(), undefined, 'a suspended user gets no link');
        await db.transaction((tx) => restoreUser(tx, id));
      },
      () => db.transaction((tx) => deleteUser(tx, id)),
    ];
    for (const act of acts) {
      const link = await makeToken();
      await act();
      assert.deepEqual(await stored(), []);
      assertInvalid(await use(link));
    }
    assert.equal(await makeLink(), undefined, 'a deleted user gets no link');
  });

  test('a password that is refused leaves the link valid, and is refused with any token', async (t) => {
    const { makeToken, use } = await start(t);
    const token = await makeToken();
    for (const one of [token, UNKNOWN])
      for (const [password, word, text] of [
        ['short', 'password_too_short', '密码长度不能少于6位'],
        ['x'.repeat(129), 'password_too_long', '密码长度不能超过128位'],
      ] as const) {
        const { status, body } = await use(one, password);
        assert.deepEqual([status, body.error, body.msg], [400, word, text]);
      }
    assert.equal((await use(token)).status, 200);
  });

  test('a password is hashed only for a valid token, and a full queue leaves the link valid', async (t) => {
    const { makeToken, useWith, use } = await start(t);
    const token = await makeToken();
    const full = openPasswords({ cost: 4, queue: new BoundedQueue({ concurrency: 1, limit: 0 }) });
    const { promise: mayEnd, resolve } = Promise.withResolvers<void>();
    const holder = full.queue.run(() => mayEnd);
    await assert.rejects(useWith(full, UNKNOWN), refused);
    await assert.rejects(useWith(full, token), { word: 'overloaded' });
    resolve();
    await holder;
    assert.equal((await use(token)).status, 200);
  });

  test('a user who is suspended while the password is hashed keeps the old one', async (t) => {
    const { alice, db, passwords, makeToken, useWith, use, logIn } = await start(t);
    const token = await makeToken();
    const racing = {
      ...passwords,
      async hash(password: string) {
        // A node of an earlier version suspends without ending the link.
        await db.run`update users set status = 'suspended' where id = ${alice.id}`;
        return passwords.hash(password);
      },
    };
    await assert.rejects(useWith(racing, token), refused);
    assertInvalid(await use(token));
    await db.run`update users set status = 'active' where id = ${alice.id}`;
    assert.equal(await logIn(alice.password), 200);
  });

  test('a link that expires while the password is hashed sets none', async (t) => {
    const { alice, pass, passwords, makeToken, useWith, logIn } = await start(t);
    const token = await makeToken();
    pass(HOUR_MS - 1);
    const slow = {
      ...passwords,
      async hash(password: string) {
        pass(1);
        return passwords.hash(password);
      },
    };
    await assert.rejects(useWith(slow, token), refused);
    assert.equal(await logIn(alice.password), 200);
  });

  test('tries count as logins of their address', async (t) => {
    const { makeToken, use } = await start(t, { RATE_LIMIT_AUTH: '3/15m' });
    const token = await makeToken();
    // Alice's registration was the first call.
    for (let i = 0; i < 2; i++) assertInvalid(await use(UNKNOWN));
    const { status, body } = await use(token);
    assert.deepEqual([status, body.error], [429, 'rate_limited']);
  });
});
