import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeKey } from '../../../test/api-key.ts';
import { ManualClock } from '../../../test/clocks.ts';
import { onEachDatabase, onEachDeployment, onNodes } from '../../../test/databases.ts';
import { eventually } from '../../../test/eventually.ts';
import { startService, type TestService } from '../../../test/harness.ts';
import { addUser } from '../../../test/people.ts';
import type { Db } from '../../db/db.ts';
import { addKey, endRevokedKeys, listKeys, revokeKey } from './api-keys.ts';

const PATH = '/api/admin/presence?ids=x';
const HOUR_MS = 3_600_000;

const refusalOf = ({ status, body }: Awaited<ReturnType<TestService['get']>>) => [status, body.error];

onEachDatabase('A call by an API key', (database) => {
  test('is refused in a browser first, then without a good key, then without the right', async (t) => {
    const service = await startService(t, database, { env: { ORIGINS: 'https://app.example.com' } });
    const alice = await service.join('alice');
    const good = await makeKey(service);
    const other = await makeKey(service, 'other', ['sessions', 'relations', 'messages']);
    const revoked = await makeKey(service, 'revoked');
    assert.equal(await revokeKey(service.services.db, 'revoked'), true);

    const call = async (token?: string, headers: Record<string, string> = {}) =>
      refusalOf(await service.get(PATH, { ...(token !== undefined && { token }), headers }));
    for (const origin of ['https://app.example.com', 'https://evil.example.com', 'null', ''])
      for (const token of [good.token, other.token, 'nonsense', undefined])
        assert.deepEqual(await call(token, { origin }), [403, 'key_in_browser'], origin);
    const nonsense = [
      undefined,
      alice.token,
      revoked.token,
      `dk_${'A'.repeat(43)}`,
      good.token.toUpperCase(),
      good.token.slice(0, -1),
      `${good.token}A`,
      `${good.token} ${good.token}`,
      good.token.replace('_', ' '),
    ];
    for (const token of nonsense) assert.deepEqual(await call(token), [401, 'key_required'], String(token));
    const { status, headers } = await service.get(`${PATH}&key=${good.token}&authorization=${good.token}`);
    assert.deepEqual([status, headers['www-authenticate']], [401, 'Bearer']);
    const basic = { authorization: `Basic ${Buffer.from(`${good.token}:`).toString('base64')}` };
    assert.deepEqual(await call(undefined, basic), [401, 'key_required']);
    assert.deepEqual(await call(undefined, { 'x-api-key': good.token }), [401, 'key_required']);
    assert.deepEqual(await call(other.token), [403, 'key_not_allowed']);
    assert.deepEqual(await call(good.token), [200, undefined]);
    const body = (await service.get(PATH, { headers: { 'accept-language': 'en' } })).body;
    assert.equal(body.msg, 'A valid API key is required');
  });

  test('a key opens nothing else, and a preflight for its routes is not answered', async (t) => {
    const origin = 'https://app.example.com';
    const service = await startService(t, database, { env: { ORIGINS: origin } });
    const { token } = await makeKey(service);
    for (const path of ['/api/user/blocked', '/api/users', '/api/sessions'])
      assert.deepEqual(refusalOf(await service.get(path, { token })), [401, 'unauthenticated'], path);
    assert.deepEqual(refusalOf(await service.get('/api/user/profile/x', { token })), [404, 'user_not_found']);
    const ask = async (path: string) => {
      const headers = { origin, 'access-control-request-method': 'POST' };
      const answer = await service.call('OPTIONS', path, { headers });
      return [answer.status, answer.headers['access-control-allow-methods']];
    };
    assert.deepEqual(await ask('/api/messages'), [200, 'GET, HEAD, POST']);
    for (const path of ['/api/admin/users', '/api/admin/presence?ids=x', '/api/%61dmin/users', '/api/admin/'])
      assert.deepEqual(await ask(path), [404, undefined], path);
  });

  test('a good key counts in RATE_LIMIT_KEYS alone, all else for its address in RATE_LIMIT_API', async (t) => {
    const env = { RATE_LIMIT_API: '2/1m', RATE_LIMIT_KEYS: '3/1m' };
    const service = await startService(t, database, { env });
    const [one, two] = [await makeKey(service), await makeKey(service, 'two', ['messages'])];
    const from = '203.0.113.7';
    const limitOf = async (token?: string, headers = {}) => {
      const answer = await service.get(PATH, { from, headers, ...(token !== undefined && { token }) });
      return [answer.status, answer.headers.ratelimit];
    };
    assert.deepEqual(await limitOf(one.token), [200, '"keys";r=2;t=60']);
    assert.deepEqual(await limitOf(two.token), [403, '"keys";r=2;t=60']);
    assert.deepEqual(await limitOf(), [401, '"api";r=1;t=60']);
    assert.deepEqual(await limitOf(one.token, { origin: 'null' }), [403, '"api";r=0;t=60']);
    assert.equal((await limitOf())[0], 429);
    assert.equal((await limitOf(one.token, { origin: 'null' }))[0], 429);
    assert.deepEqual(await limitOf(one.token), [200, '"keys";r=1;t=60']);
    assert.deepEqual(await limitOf(one.token), [200, '"keys";r=0;t=60']);
    const refused = await service.get(PATH, { ...one, from });
    assert.deepEqual([refused.status, refused.body.error], [429, 'rate_limited']);
    assert.match(String(refused.headers['retry-after']), /^\d+$/);
    assert.equal(service.services.limits.securityLog.refusals.get('keys'), 1);
    assert.equal(service.services.limits.securityLog.refusals.get('api'), 2);
  });

  test('the hour of its use is written once, with the use of the sessions', async (t) => {
    const clock = new ManualClock();
    const service = await startService(t, database, { world: clock.world });
    const { accounts, db } = service.services;
    const key = await makeKey(service);
    const usedAt = async () => (await listKeys(db))[0]?.usedAt;
    await accounts.apiKeys.flushUse();
    assert.equal(await usedAt(), 0);
    await service.get(PATH, key);
    await accounts.apiKeys.flushUse();
    const hour = Number(await usedAt());
    assert.ok(hour % HOUR_MS === 0 && hour <= clock.world.now() && hour > clock.world.now() - HOUR_MS);
    await db.run`update api_keys set used_at = 0`;
    await service.get(PATH, key);
    await accounts.apiKeys.flushUse();
    assert.equal(await usedAt(), 0, 'not written twice in an hour');
    clock.add(HOUR_MS);
    await service.get(PATH, key);
    await accounts.apiKeys.flushUse();
    assert.equal(await usedAt(), hour + HOUR_MS);

    clock.add(HOUR_MS);
    await service.get(PATH, key);
    const { mock } = t.mock.method(db, 'run', async () => assert.fail('the disk is full'));
    await assert.rejects(accounts.apiKeys.flushUse(), /the disk is full/);
    mock.restore();
    await accounts.apiKeys.flushUse();
    assert.equal(await usedAt(), hour + 2 * HOUR_MS, 'what one write did not store, the next one does');
  });

  test('is logged with the name of the key alone', async (t) => {
    const service = await startService(t, database, {
      env: { LOG_REQUESTS: '1', RATE_LIMIT_KEYS: '2/1m' },
    });
    const { token } = await makeKey(service, 'shop-7', ['messages']);
    for (let i = 0; i < 3; i++) await service.get(PATH, { token });
    service.services.limits.securityLog.report();
    const lines = service.logLines.join('\n');
    const requests = service.logLines.map((line) => JSON.parse(line)).filter(({ msg }) => msg === 'request');
    assert.deepEqual(
      requests.map(({ key, status }) => [key, status]),
      [
        ['shop-7', 403],
        ['shop-7', 403],
        ['shop-7', 429],
      ],
    );
    const [row] = await service.services.db.all<{ hash: string }>`select hash from api_keys`;
    assert.ok(row);
    for (const secret of [token, token.slice(3, 20), row.hash]) assert.ok(!lines.includes(secret));
    assert.match(lines, /"setting":"RATE_LIMIT_KEYS"/);
  });
});

async function sendBy(db: Db, name: string, usernames: readonly string[]): Promise<void> {
  for (const username of usernames) {
    const userId = await addUser(db, username);
    const sessionId = `${name} ${userId}`;
    await db.run`
      insert into sessions (id, user_id, device, created_at, used_at) values (${sessionId}, ${userId}, ${'key'}, 1, 1)`;
    await db.run`
      insert into api_key_sessions (key_id, user_id, session_id)
      select id, ${userId}, ${sessionId} from api_keys where name = ${name}`;
  }
}

onEachDatabase('A revoked key', (database) => {
  test('frees its name at once, and ends the sessions by which it sent, and no others', async (t) => {
    const db = await database.open(t);
    await addKey(db, 'one', ['messages'], 1);
    await addKey(db, 'two', ['messages'], 1);
    await sendBy(db, 'one', ['alice', 'bob']);
    await sendBy(db, 'two', ['carol']);
    assert.equal(await addKey(db, 'one', ['users'], 2), undefined);
    assert.equal(await revokeKey(db, 'one'), true);
    assert.equal(await revokeKey(db, 'one'), false);
    assert.match(String(await addKey(db, 'one', ['users', 'messages'], 3)), /^dk_[\w-]{43}$/);
    assert.deepEqual(
      (await listKeys(db)).map(({ name, may, createdAt }) => [name, may, createdAt]),
      [
        ['one', ['users', 'messages'], 3],
        ['two', ['messages'], 1],
      ],
    );
    for (let i = 0; i < 2; i++) {
      await Promise.all([endRevokedKeys(db, 5), endRevokedKeys(db, 5)]);
      const left = await db.all`
        select username from sessions join users on users.id = sessions.user_id
        join api_key_sessions on session_id = sessions.id`;
      assert.deepEqual(left, [{ username: 'carol' }]);
    }
    const keys = await db.all<{ n: number }>`select count(*) as n from api_keys`;
    assert.deepEqual(keys, [{ n: 2 }]);
    const acts = await db.all`select what, data from account_log order by user_id`;
    const ended = { what: 'session_ended', data: '{"by":"operator","device":"key"}' };
    assert.deepEqual(acts, [ended, ended]);
  });
});

onEachDeployment('A key that is revoked beside the servers', (database) => {
  test('is refused by each of them within a second, and one that is added is taken at once', async (t) => {
    const service = await startService(t, database);
    const { db } = service.services;
    const key = await makeKey(service);
    const statuses = () => Promise.all(service.nodes.map(async (node) => (await node.get(PATH, key)).status));
    assert.deepEqual(new Set(await statuses()), new Set([200]));
    await revokeKey(db, 'crm');
    for (const { services } of service.nodes) await services.events.changes.read();
    assert.deepEqual(new Set(await statuses()), new Set([401]));
    const again = await makeKey(service);
    for (const node of service.nodes) assert.equal((await node.get(PATH, again)).status, 200);
    assert.deepEqual(new Set(await statuses()), new Set([401]));
  });
});

onNodes('Keys of several nodes', (database) => {
  test('a revoked key ends with the job that reads changes, and a node that reads none believes no cached key', async (t) => {
    const service = await startService(t, database);
    const key = await makeKey(service);
    const [first, second] = service.nodes;
    assert.ok(first && second);
    for (const node of service.nodes) assert.equal((await node.get(PATH, key)).status, 200);
    first.services.events.setCurrentWhile(() => false);
    await revokeKey(service.services.db, 'crm');
    assert.equal((await first.get(PATH, key)).status, 401);
    await eventually(async () => (await second.get(PATH, key)).status === 401);
  });

  test('calls of a key are at most a quarter above the limit', async (t) => {
    const service = await startService(t, database, { env: { RATE_LIMIT_KEYS: '30/15m' } });
    const key = await makeKey(service);
    const answers = await Promise.all(Array.from({ length: 90 }, () => service.get(PATH, key)));
    const admitted = answers.filter(({ status }) => status === 200).length;
    assert.ok(admitted >= 30 && admitted <= 37, String(admitted));
    assert.ok(answers.every(({ status }) => status === 200 || status === 429));
  });
});
