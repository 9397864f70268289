import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEachDatabase, onSqlite } from '../../../test/databases.ts';
import { startService, type TestService } from '../../../test/harness.ts';
import { addUser } from '../../../test/people.ts';
import { createInvite, listInvites, removeOldInvites, revokeInvite } from './invites.ts';

const DAY_MS = 86_400_000;
const INVITE = { REGISTRATION: 'invite' };

/** A new invite, as `doorman invite` makes it. */
async function invite({ services }: TestService, uses = 1, days = 7) {
  const { accounts, clock, db } = services;
  return createInvite(db, accounts.passwords.queue, { uses, days }, clock.now());
}

async function usesLeft({ services }: TestService): Promise<number[]> {
  return (await listInvites(services.db, services.clock.now())).map(({ uses_left }) => uses_left);
}

function register(service: TestService, username: string, code?: unknown) {
  const body = { username, password: 'a password', ...(code !== undefined && { invite: code }) };
  return service.post('/api/register', body);
}

onSqlite('GET /api/options', (database) => {
  for (const registration of ['open', 'invite', 'closed'])
    test(`it says without a token that registration is ${registration}`, async (t) => {
      const service = await startService(t, database, { env: { REGISTRATION: registration } });
      const { status, body } = await service.get('/api/options');
      const data = {
        registration,
        passwordList: 'warn',
        mail: false,
        deletionGrace: 2_592_000,
        pictures: true,
      };
      assert.deepEqual([status, body], [200, { code: 200, data }]);
    });
});

onEachDatabase('REGISTRATION', (database) => {
  test('open: no code is needed, and one that is sent has no effect', async (t) => {
    const service = await startService(t, database);
    const { code } = await invite(service);
    for (const [username, sent] of [
      ['alice', undefined],
      ['bob', 'nonsense'],
      ['carol', code],
    ] as const)
      assert.equal((await register(service, username, sent)).status, 200);
    assert.deepEqual(await usesLeft(service), [1]);
  });

  test('closed: the errors of fields come first, then every registration gets one answer, with a taken name too', async (t) => {
    const service = await startService(t, database, { env: { REGISTRATION: 'closed' } });
    await addUser(service.services.db, 'alice');
    const { code } = await invite(service);
    const error = async (fields: object) => (await service.post('/api/register', fields)).body.msg;
    assert.equal(await error({ username: 'a', password: 'a password' }), '用户名长度需在2-32之间');
    assert.equal(await error({ username: 'bob', password: 'short' }), '密码长度不能少于6位');
    assert.equal(
      await error({ username: 'bob', password: 'a password', avatar: 'data:x' }),
      '头像地址不正确',
    );
    const answer = { code: 403, error: 'registration_closed', msg: '注册已关闭' };
    for (const [username, sent] of [['alice'], ['bob'], ['bob', code]] as const) {
      const { status, body } = await register(service, username, sent);
      assert.deepEqual([status, body], [403, answer]);
    }
    const login = await service.post('/api/login', { username: 'alice', password: 'a guess' });
    assert.equal(login.body.error, 'wrong_password');
  });

  test('invite: the errors of fields come first, then one answer for each code that is not good, with a taken name too', async (t) => {
    let now = 1_790_000_000_000;
    const service = await startService(t, database, { env: INVITE, world: { now: () => now } });
    const [alices, revoked, expired] = [
      await invite(service),
      await invite(service),
      await invite(service, 1, 1),
    ];
    assert.equal((await register(service, 'alice', alices.code)).status, 200);
    assert.equal(await revokeInvite(service.services.db, revoked.id), true);
    now += DAY_MS;
    const short = await service.post('/api/register', { username: 'bob', password: 'short' });
    assert.equal(short.body.error, 'password_too_short');
    const answer = { code: 403, error: 'invite_required', msg: '需要有效的邀请码' };
    const bad = [undefined, '', 'nonsense', '00000-00000', alices.code, revoked.code, expired.code];
    for (const [username, codes] of [
      ['bob', bad],
      ['alice', bad.slice(0, 4)],
    ] as const)
      for (const code of codes) {
        const { status, body } = await register(service, username, code);
        assert.deepEqual([status, body], [403, answer], `${username} with ${code}`);
      }
    assert.equal((await register(service, 'bob', 5)).status, 400);
  });

  test('an invite that expires while the password is hashed registers no one', async (t) => {
    let now = 1_790_000_000_000;
    const service = await startService(t, database, { env: INVITE, world: { now: () => now } });
    const { code } = await invite(service, 1, 1);
    now += DAY_MS - 1;
    const { passwords } = service.services.accounts;
    const { hash } = passwords;
    passwords.hash = (password, signal) => {
      now += 1;
      return hash(password, signal);
    };
    const { status, body } = await register(service, 'alice', code);
    assert.deepEqual([status, body.error], [403, 'invite_required']);
    assert.deepEqual(await service.services.db.all`select username from users`, []);
  });

  test('a code is good in any spelling', async (t) => {
    const service = await startService(t, database, { env: INVITE });
    const { code } = await invite(service, 4);
    assert.match(code, /^[0-9A-HJKMNP-TV-Z]{5}-[0-9A-HJKMNP-TV-Z]{5}$/);
    const spellings = [
      code.toLowerCase().replace('-', ''),
      ` ${[...code].join(' ')}\n`,
      code.replaceAll('0', 'O').replaceAll('1', 'l').replace('-', '–'),
      code
        .replaceAll('0', 'o')
        .replaceAll('1', 'I')
        .replace(/[A-Z]/, (one) => toFullWidth(one)),
    ];
    for (const [i, spelling] of spellings.entries())
      assert.equal((await register(service, `user${i}`, spelling)).status, 200, spelling);
  });

  test('a refused registration uses none: a taken name, a full queue of hashes, a fault', async (t) => {
    const service = await startService(t, database, { env: INVITE });
    const { code } = await invite(service, 2);
    const { queue } = service.services.accounts.passwords;
    assert.equal((await register(service, 'alice', code)).status, 200);
    const taken = await register(service, 'ALICE', code);
    assert.deepEqual([taken.status, taken.body.error], [400, 'username_taken']);

    const { promise, resolve } = Promise.withResolvers<void>();
    const jobs = Array.from({ length: queue.concurrency + queue.limit }, () => queue.run(() => promise));
    const refused = await register(service, 'bob', code);
    assert.deepEqual([refused.status, refused.body.error], [429, 'overloaded']);
    resolve();
    await Promise.all(jobs);

    await service.services.db.changeSchema((tx) => tx.script('alter table sessions rename to moved'));
    assert.equal((await register(service, 'bob', code)).status, 500);
    assert.deepEqual(await usesLeft(service), [1]);
  });

  test('clean-up removes invites that are used up or have expired, and no other', async (t) => {
    let now = 1_790_000_000_000;
    const service = await startService(t, database, { env: INVITE, world: { now: () => now } });
    const { db } = service.services;
    const [usedUp, , lasting] = [
      await invite(service),
      await invite(service, 5, 1),
      await invite(service, 5),
    ];
    await register(service, 'alice', usedUp.code);
    now += DAY_MS;
    await removeOldInvites(db, now);
    assert.deepEqual(await db.all`select id from invites`, [{ id: lasting.id }]);
    assert.equal(await revokeInvite(db, usedUp.id), false);
  });

  test('the database holds nothing of a code', async (t) => {
    const service = await startService(t, database, { env: INVITE });
    const { code } = await invite(service);
    const [row] = await service.services.db.all<{ hash: string }>`select * from invites`;
    assert.match(row?.hash ?? '', /^\$2[by]\$10\$/);
    const text = JSON.stringify(row).toUpperCase();
    for (const part of code.split('-')) assert.ok(!text.includes(part));
  });

  test('many registrations at once with one code never exceed its uses', async (t) => {
    const service = await startService(t, database, { env: INVITE });
    const { code } = await invite(service, 3);
    const answers = await Promise.all(
      Array.from({ length: 9 }, (_, i) => register(service, `user${i}`, code)),
    );
    const words = answers.map(({ status, body }) => body.error ?? status).sort();
    assert.deepEqual(words, [...Array(3).fill(200), ...Array(6).fill('invite_required')]);
    assert.deepEqual(await usesLeft(service), []);
    const users = await service.services.db.all`select id from users`;
    assert.equal(users.length, 3);
  });
});

function toFullWidth(letter: string): string {
  return String.fromCodePoint((letter.codePointAt(0) ?? 0) + 0xfee0);
}
