import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEachDeployment } from '../databases.ts';
import { startService } from '../harness.ts';
import { startPushService } from '../push-service.ts';

const DAY_MS = 86_400_000;

onEachDeployment('5 Authentication', (database) => {
  test('5.1 and 5.2: the token of register and that of login both open protected endpoints as Bearer', async (t) => {
    const service = await startService(t, database);
    const { token, username, password } = await service.join('alice');
    const login = await service.post('/api/login', { username, password });
    assert.notEqual(login.body.data.token, token);
    for (const one of [token, login.body.data.token])
      for (const authorization of [`Bearer ${one}`, `bearer ${one}`, `BEARER   ${one}`])
        assert.equal((await service.get('/api/users', { headers: { authorization } })).status, 200);
  });

  test('5.3: a public endpoint needs no token, and ignores an invalid one', async (t) => {
    await using push = await startPushService();
    const service = await startService(t, database);
    const { id: userId, username, password } = await service.join('alice');
    for (const call of [{}, { token: 'nonsense' }]) {
      const subscription = push.subscribe();
      const answers = [
        await service.post('/api/register', { username: `bob${call.token ?? ''}`, password }, call),
        await service.post('/api/login', { username, password }, call),
        await service.get(`/api/user/profile/${userId}`, call),
        await service.get('/api/push/public-key', call),
        await service.post('/api/push/subscribe', { userId, subscription }, call),
      ];
      assert.deepEqual(
        answers.map(({ body }) => body.code),
        [200, 200, 200, 200, 200],
      );
    }
  });

  test('5.4 and 5.5: every other endpoint answers 401 to a missing, an invalid and an expired token', async (t) => {
    let now = Date.now();
    const service = await startService(t, database, { world: { now: () => now } });
    const alice = await service.join('alice');
    const ended = (await service.post('/api/login', alice)).body.data.token;
    await service.post('/api/logout', {}, { token: ended });
    const expired = alice.token;
    now += 7 * DAY_MS;
    const fresh = (await service.post('/api/login', alice)).body.data.token;

    const [head, payload, signature] = fresh.split('.');
    const claims = JSON.parse(Buffer.from(payload, 'base64url').toString());
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const headers: Record<string, string>[] = [
      {},
      { authorization: '' },
      { authorization: 'Bearer' },
      { authorization: 'Bearer ' },
      { authorization: fresh },
      { authorization: `Basic ${fresh}` },
      { authorization: `Token ${fresh}` },
      { authorization: `Bearer ${fresh} ${fresh}` },
      { authorization: `Bearer ${expired}` },
      { authorization: `Bearer ${ended}` },
      { authorization: `Bearer ${head}.${part({ ...claims, exp: claims.exp + 1 })}.${signature}` },
      { authorization: `Bearer ${part({ alg: 'none', typ: 'JWT' })}.${payload}.` },
      { authorization: `Bearer ${head}.${payload}` },
      { authorization: `Bearer ${'a'.repeat(5000)}` },
      { 'x-access-token': fresh },
      { cookie: `token=${fresh}` },
    ];
    const endpoints = [
      ['POST', '/api/user/change-password'],
      ['GET', '/api/users'],
      ['POST', '/api/user/profile'],
      ['POST', '/api/user/settings'],
      ['POST', '/api/user/block'],
      ['POST', '/api/user/unblock'],
      ['GET', '/api/user/blocked'],
      ['GET', '/api/push/test-send'],
    ] as const;
    for (const [method, path] of endpoints) {
      for (const one of headers) {
        const { status, body } = await service.call(method, path, {
          headers: one,
          ...(method === 'POST' && { raw: 'not json' }),
        });
        assert.deepEqual([status, body.code, typeof body.msg], [401, 401, 'string'], JSON.stringify(one));
      }
      const { status } = await service.call(method, path, { token: fresh });
      assert.notEqual(status, 401, path);
    }
    assert.equal((await service.get(`/api/users?token=${fresh}`)).status, 401);
  });

  test('5.5: a token is valid until its last second and not after, also when it was used before', async (t) => {
    const start = 1_790_000_000_000;
    let now = start;
    const service = await startService(t, database, { world: { now: () => now } });
    const { token } = await service.join('alice');
    const status = async () => (await service.get('/api/users', { token })).status;
    assert.equal(await status(), 200);
    now = start + 7 * DAY_MS - 1;
    assert.equal(await status(), 200);
    now = start + 7 * DAY_MS;
    assert.equal(await status(), 401);
    service.services.accounts.authentication.invalidateAll();
    assert.equal(await status(), 401);
  });

  test('5.6: an authenticated caller without permission gets 403', async (t) => {
    await using push = await startPushService();
    const service = await startService(t, database);
    const alice = await service.join('alice');
    const bob = await service.join('bob');
    const answers = [
      await service.get(`/api/push/test-send?userId=${bob.id}`, { token: alice.token }),
      await service.post(
        '/api/push/subscribe',
        { userId: bob.id, subscription: push.subscribe() },
        { token: alice.token },
      ),
    ];
    for (const { status, body } of answers) {
      assert.deepEqual([status, body.code, typeof body.msg], [403, 403, 'string']);
    }
    assert.equal(push.requests, 0);
  });

  test('5.7: login verifies passwords stored under bcrypt and under the legacy SHA-256 scheme', async (t) => {
    const service = await startService(t, database);
    const stored = {
      alice: '$2b$04$abcdefghijklmnopqrstuujydOTSfIH/d5oUHpsygqV5X9xJLQc6e',
      bob: '4104d36f8da2c254349f85836793ebe029e0c957063a34c91c2e9203187b5631',
    };
    for (const [username, hash] of Object.entries(stored)) {
      const { id } = await service.join(username);
      await service.services.db.run`update users set password_hash = ${hash} where id = ${id}`;
      const logIn = (password: string) => service.post('/api/login', { username, password });
      assert.equal((await logIn('Correct horse')).body.msg, '密码错误');
      const { body } = await logIn('correct horse');
      assert.equal((await service.get('/api/users', { token: body.data.token })).status, 200);
    }
  });
});
