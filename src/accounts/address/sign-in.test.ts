import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { type TestContext, test } from 'node:test';
import { onEachDatabase, onNodes, type TestDatabase } from '../../../test/databases.ts';
import { type Answer, type Person, startService, type TestService } from '../../../test/harness.ts';
import { deleteUser } from '../../leaving/remove-user.ts';
import { suspendUser } from '../account-status.ts';

const MINUTE_MS = 60_000;
const ADDRESS = 'Alice@mail.example';

/** As if the user had verified the address. */
async function verify({ services: { db } }: TestService, { id }: Pick<Person, 'id'>, address = ADDRESS) {
  await db.run`
    insert into emails (user_id, address, address_key, language, verified_at)
    values (${id}, ${address}, ${address.toLowerCase()}, ${'en'}, ${0})`;
}

/** Alice with a verified address. Counts hashes, and the clock of the limits moves by `pass` alone. */
async function start(t: TestContext, database: TestDatabase, env: Record<string, string> = {}) {
  let ms = 1_000_000;
  const service = await startService(t, database, { env, world: { monotonicMs: () => ms } });
  const alice = await service.join('alice');
  await verify(service, alice);
  let hashes = 0;
  for (const { services } of service.nodes) {
    const { queue } = services.accounts.passwords;
    const run = queue.run.bind(queue);
    queue.run = (...args) => {
      hashes++;
      return run(...args);
    };
  }
  return {
    service,
    alice,
    logIn: (username: string, password: string, from = '198.51.100.1') =>
      service.post('/api/login', { username, password }, { from }),
    hashes: async (act: () => Promise<unknown>) => {
      const before = hashes;
      await act();
      return hashes - before;
    },
    pass: (milliseconds: number) => {
      ms += milliseconds;
    },
  };
}

const UNKNOWN = { code: 400, error: 'unknown_user', msg: '用户不存在' };
const assertUnknown = ({ status, body }: Answer) => assert.deepEqual([status, body], [400, UNKNOWN]);

onEachDatabase('Sign-in by address', (database) => {
  test('the verified address signs in, in any case and with its host in Unicode', async (t) => {
    const { service, alice, logIn } = await start(t, database);
    const bob = await service.join('bob');
    await verify(service, bob, 'bob@xn--bcher-kva.example');
    for (const text of [ADDRESS, 'alice@mail.example', 'ALICE@MAIL.EXAMPLE'])
      assert.equal((await logIn(text, alice.password)).body.data.id, alice.id, text);
    for (const text of ['bob@bücher.example', 'bob@BÜCHER.example'])
      assert.equal((await logIn(text, bob.password)).body.data.id, bob.id, text);
  });

  test('an address that no one has verified, such as the one of the profile, signs nobody in', async (t) => {
    const { service, alice, logIn } = await start(t, database);
    await service.post('/api/user/profile', { email: 'profile@mail.example' }, alice);
    assertUnknown(await logIn('profile@mail.example', alice.password));
  });

  test('a wrong password, an unknown address and a text that is no address have one answer, after one hash', async (t) => {
    const { service, logIn, hashes } = await start(t, database);
    // A raw SHA-256 of an earlier system needs no bcrypt by itself.
    const old = await service.join('old');
    await verify(service, old, 'old@mail.example');
    const digest = createHash('sha256').update('old password').digest('hex');
    await service.services.db.run`update users set password_hash = ${digest} where id = ${old.id}`;
    for (const text of [ADDRESS, 'old@mail.example', 'nobody@mail.example', 'a@b', '@', 'a b@c, d@e', '<@>'])
      assert.equal(await hashes(async () => assertUnknown(await logIn(text, 'a wrong one'))), 1, text);
    assert.equal((await logIn('old@mail.example', 'old password')).body.data.id, old.id);
    // A user without a password takes as long, and so does one whose check takes less than a bcrypt.
    const argon2 = '$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4';
    for (const [hash, expected] of [
      ['!', 1],
      [argon2, 2],
    ] as const) {
      await service.services.db.run`update users set password_hash = ${hash} where id = ${old.id}`;
      const wrong = async () => assertUnknown(await logIn('old@mail.example', 'a wrong one'));
      assert.equal(await hashes(wrong), expected, hash);
    }
    assert.equal(await hashes(async () => assertUnknown(await logIn('nobody', 'a wrong one'))), 0);
  });

  test('all of them send the same statements', async (t) => {
    const { service, logIn } = await start(t, database);
    const statementsOf = async (text: string) => {
      const seen: string[] = [];
      const { db } = service.services;
      const { get, all, run } = db;
      Object.assign(db, {
        get: (strings: TemplateStringsArray, ...parts: never[]) => {
          seen.push(strings.join('?'));
          return get.call(db, strings, ...parts);
        },
        all: (strings: TemplateStringsArray, ...parts: never[]) => {
          seen.push(strings.join('?'));
          return all.call(db, strings, ...parts);
        },
        run: (strings: TemplateStringsArray, ...parts: never[]) => {
          seen.push(strings.join('?'));
          return run.call(db, strings, ...parts);
        },
      });
      assertUnknown(await logIn(text, 'a wrong one'));
      Object.assign(db, { get, all, run });
      return seen.filter((text) => /users|emails/.test(text));
    };
    assert.deepEqual(await statementsOf(ADDRESS), await statementsOf('nobody@mail.example'));
  });

  test('a username goes before an address, until its account is deleted', async (t) => {
    const { service, alice, logIn } = await start(t, database);
    const named = await service.join('alice@mail.example');
    assert.equal((await logIn(ADDRESS, named.password)).body.data.id, named.id);
    const { body } = await logIn(ADDRESS, alice.password);
    assert.deepEqual([body.error, body.msg], ['wrong_password', '密码错误']);
    await service.services.db.transaction((tx) => deleteUser(tx, named.id));
    assert.equal((await logIn(ADDRESS, alice.password)).body.data.id, alice.id);
  });

  test('a suspended user learns it by the right password alone; a deleted one leaves no address', async (t) => {
    const { service, alice, logIn } = await start(t, database);
    const { db } = service.services;
    await db.transaction((tx) => suspendUser(tx, alice.id));
    assertUnknown(await logIn(ADDRESS, 'a wrong one'));
    const { status, body } = await logIn(ADDRESS, alice.password);
    assert.deepEqual([status, body.error], [403, 'account_suspended']);
    await db.transaction((tx) => deleteUser(tx, alice.id));
    assertUnknown(await logIn(ADDRESS, alice.password));
    assert.deepEqual(await db.all`select user_id from emails`, []);
  });

  test('the log names the account of a failed sign-in, never the address', async (t) => {
    const { service, alice, logIn } = await start(t, database);
    await logIn(ADDRESS, 'a wrong one');
    for (const { services } of service.nodes) services.limits.securityLog.report();
    const lines = service.logLines.join('\n');
    assert.match(lines, RegExp(`sign_in_failed.*${alice.id}`));
    assert.doesNotMatch(lines, /mail\.example/i);
  });
});

function register(database: TestDatabase): void {
  /** 31 wrong passwords from seven networks, in two spellings of the text. @returns the statuses */
  async function guess(logIn: Awaited<ReturnType<typeof start>>['logIn'], text: string): Promise<number[]> {
    const statuses: number[] = [];
    for (let i = 0; i < 32; i++) {
      const typed = i % 2 === 0 ? text : text.toUpperCase();
      statuses.push((await logIn(typed, 'a wrong one', `203.0.113.${Math.floor(i / 5)}`)).status);
    }
    return statuses;
  }
  const SLOWED = [...Array.from({ length: 31 }, () => 400), 429];

  test('guesses count for the text alone, as those of an address that nobody has: no 429 links it to a name', async (t) => {
    const { service, alice, logIn, pass } = await start(t, database, { RATE_LIMIT_AUTH: '' });
    assert.deepEqual(await guess(logIn, 'nobody@mail.example'), SLOWED);
    assert.deepEqual(await guess(logIn, ADDRESS), SLOWED);
    const headers = { 'device-proof': 'none' };
    const { status, body } = await service.post('/api/login', alice, { from: '192.0.2.1', headers });
    assert.equal(status, 200, 'the name is not slowed down');
    assert.equal(body.data.id, alice.id);
    assert.equal((await logIn(ADDRESS, alice.password, '192.0.2.2')).body.error, 'too_many_logins');
    // Nodes count by the clock of Redis.
    if (database.nodes === 1) {
      pass(MINUTE_MS);
      assert.equal((await logIn(ADDRESS, alice.password, '192.0.2.2')).status, 200);
    }
    for (const { services } of service.nodes) services.limits.securityLog.report();
    const refused = service.logLines.filter((line) => line.includes('too_many_logins'));
    assert.ok(refused.length > 0);
    for (const line of refused) assert.equal(JSON.parse(line).userId, undefined, line);
  });

  test('guesses of a name leave its address open', async (t) => {
    const { alice, logIn } = await start(t, database, { RATE_LIMIT_AUTH: '' });
    assert.deepEqual(await guess(logIn, 'alice'), SLOWED);
    assert.equal((await logIn(ADDRESS, alice.password, '192.0.2.2')).status, 200);
  });
}
onEachDatabase('Guesses by address', register);
onNodes('Guesses by address', register);
