import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decodeJwt } from 'jose';
import { onEachDatabase } from '../../test/databases.ts';
import { startService } from '../../test/harness.ts';
import { startPushService } from '../../test/push-service.ts';
import { shapeOf } from '../../test/shape.ts';

const DAY_MS = 86_400_000;

onEachDatabase('account routes', (database) => {
  test('a signed-in caller gets new tokens of the same session, and the old ones stay valid', async (t) => {
    let now = 1_790_000_000_000;
    const service = await startService(t, database, { world: { now: () => now } });
    const { id, token } = await service.join('alice');
    now += 6 * DAY_MS;
    const { status, body } = await service.post('/api/token', {}, { token });
    assert.equal(status, 200);
    assert.deepEqual(shapeOf(body), { code: 'integer', data: { token: 'string' } });
    const [old, fresh] = [decodeJwt(token), decodeJwt(body.data.token)];
    assert.deepEqual([fresh.sub, fresh.sid], [id, old.sid]);
    assert.equal(fresh.exp, (now + 7 * DAY_MS) / 1000);
    assert.equal((await service.get('/api/users', { token })).status, 200);
    now += DAY_MS;
    assert.equal((await service.get('/api/users', { token })).status, 401);
    assert.equal((await service.get('/api/users', { token: body.data.token })).status, 200);
  });

  test('registration checks the username, then the password, then the rest, then whether the name is taken', async (t) => {
    const { join, post } = await startService(t, database);
    await join('alice');
    const wrong = { username: 'a\u200bb', password: '12345', nickname: 'x'.repeat(65) };
    const error = async (more: object) => (await post('/api/register', { ...wrong, ...more })).body.error;
    assert.equal(await error({}), 'username_invalid');
    assert.equal(await error({ username: 'Alice' }), 'password_too_short');
    assert.equal(await error({ username: 'Alice', password: 'secret1' }), 'invalid_field');
    assert.equal(await error({ username: 'Alice', password: 'secret1', nickname: '' }), 'username_taken');
  });

  test('a token’s expiry does not end the session', async (t) => {
    let now = 1_790_000_000_000;
    const service = await startService(t, database, { world: { now: () => now } });
    const { token, ...alice } = await service.join('alice');
    now += 100 * DAY_MS;
    assert.equal((await service.post('/api/token', {}, { token })).status, 401);
    const fresh = (await service.post('/api/login', alice)).body.data.token;
    const { data } = (await service.get('/api/sessions', { token: fresh })).body;
    assert.deepEqual(
      data.map((one: { id: string; current: number }) => [one.id, one.current]),
      [
        [decodeJwt(fresh).sid, 1],
        [decodeJwt(token).sid, 0],
      ],
    );
  });

  test('sessions are listed with the name that the client gave itself', async (t) => {
    const now = 1_790_000_000_000;
    const service = await startService(t, database, { world: { now: () => now } });
    const alice = await service.join('alice');
    const headers = { 'user-agent': `Phone ${'x'.repeat(300)}` };
    const { token } = (await service.post('/api/login', alice, { headers })).body.data;
    const { body } = await service.get('/api/sessions', { token });
    const entry = {
      id: 'string',
      device: 'string',
      create_time: 'integer',
      last_used: 'integer',
      current: 'integer',
      active: 'integer',
      address: 'string',
    };
    assert.deepEqual(shapeOf(body), { code: 'integer', data: [entry, entry] });
    assert.equal(body.data[0].device, headers['user-agent'].slice(0, 200));
    assert.equal(body.data[0].create_time, now);
  });

  test('logging out ends this session’s tokens and no other', async (t) => {
    const service = await startService(t, database);
    const { token, ...alice } = await service.join('alice');
    const other = (await service.post('/api/login', alice)).body.data.token;
    const second = (await service.post('/api/token', {}, { token })).body.data.token;
    for (const one of [token, other, second])
      assert.equal((await service.get('/api/users', { token: one })).status, 200);
    const { status, body } = await service.post('/api/logout', {}, { token });
    assert.equal(status, 200);
    assert.deepEqual(shapeOf(body), { code: 'integer', message: 'string' });
    assert.equal((await service.get('/api/users', { token })).status, 401);
    assert.equal((await service.get('/api/users', { token: second })).status, 401);
    assert.equal((await service.get('/api/users', { token: other })).status, 200);
    assert.equal((await service.post('/api/logout', {}, { token })).status, 401);
  });

  test('a user can end any own session, and none of another user', async (t) => {
    const service = await startService(t, database);
    const { token, ...alice } = await service.join('alice');
    const bob = await service.join('bob');
    const lost = (await service.post('/api/login', alice)).body.data.token;
    assert.equal((await service.get('/api/users', { token: lost })).status, 200);
    const end = (id: unknown, by: string) => service.post('/api/sessions/end', { id }, { token: by });
    const foreign = await end(decodeJwt(lost).sid, bob.token);
    assert.deepEqual([foreign.status, foreign.body.error], [404, 'session_not_found']);
    assert.equal((await service.get('/api/users', { token: lost })).status, 200);
    assert.equal((await end(decodeJwt(lost).sid, token)).status, 200);
    assert.equal((await service.get('/api/users', { token: lost })).status, 401);
    assert.equal((await service.get('/api/users', { token })).status, 200);
    assert.equal((await end(decodeJwt(lost).sid, token)).status, 404);
    for (const id of [undefined, null, '', 5]) assert.equal((await end(id, token)).status, 400);
  });

  test('changing the password ends every other session at once, and keeps the caller’s', async (t) => {
    await using push = await startPushService();
    const service = await startService(t, database);
    const { token, ...alice } = await service.join('alice');
    const other = (await service.post('/api/login', alice)).body.data.token;
    const [own, theirs] = [push.subscribe(), push.subscribe()];
    const subscribe = (subscription: object, by: string) =>
      service.post('/api/push/subscribe', { userId: alice.id, subscription }, { token: by });
    await subscribe(own, token);
    await subscribe(theirs, other);
    const { status } = await service.post(
      '/api/user/change-password',
      { oldPassword: alice.password, newPassword: 'secret2' },
      { token },
    );
    assert.equal(status, 200);
    assert.equal((await service.get('/api/users', { token: other })).status, 401);
    assert.equal((await subscribe(theirs, other)).status, 200, 'as anybody may: unconfirmed');
    const devices = (await service.get('/api/push/devices', { token })).body.data;
    assert.deepEqual(
      devices.map((one: { confirmed: number }) => one.confirmed),
      [0, 1],
    );
    assert.equal((await service.get('/api/sessions', { token })).body.data.length, 1);
  });

  test('ten wrong old passwords in a quarter of an hour, then 429, even for the right one', async (t) => {
    let ms = 0;
    const service = await startService(t, database, { world: { monotonicMs: () => ms } });
    const [alice, bob] = [await service.join('alice'), await service.join('bob')];
    const change = ({ token }: { token: string }, oldPassword: string) =>
      service.post('/api/user/change-password', { oldPassword, newPassword: 'secret2' }, { token });
    for (let i = 0; i < 10; i++) {
      const { status, body } = await change(alice, 'wrong');
      assert.deepEqual([status, body.msg], [400, '旧密码错误']);
    }
    const second = (await service.post('/api/login', alice)).body.data;
    for (const caller of [alice, second]) {
      const { status, body, headers } = await change(caller, alice.password);
      assert.deepEqual([status, body.code, headers['retry-after']], [429, 429, '900']);
    }
    assert.equal((await change(bob, 'wrong')).status, 400);
    ms += 15 * 60_000;
    assert.equal((await change(alice, alice.password)).status, 200);
  });

  test('of many parallel wrong old passwords, ten are checked', async (t) => {
    const service = await startService(t, database);
    const { token } = await service.join('alice');
    const body = { oldPassword: 'wrong', newPassword: 'secret2' };
    const all = await Promise.all(
      Array.from({ length: 30 }, () => service.post('/api/user/change-password', body, { token })),
    );
    assert.equal(all.filter(({ status }) => status === 400).length, 10);
    assert.equal(all.filter(({ status }) => status === 429).length, 20);
  });

  test('the key set is public and holds no private part', async (t) => {
    const service = await startService(t, database);
    const { status, body } = await service.get('/.well-known/jwks.json');
    assert.equal(status, 200);
    const key = { kty: 'string', crv: 'string', x: 'string', kid: 'string', alg: 'string', use: 'string' };
    assert.deepEqual(shapeOf(body), { keys: [key] });
  });

  test('the routes without fields take an empty body for {}, but no other body that is not an object', async (t) => {
    const service = await startService(t, database);
    const { token, username, password } = await service.join('alice');
    for (const path of ['/api/token', '/api/logout']) {
      const { body } = await service.post('/api/login', { username, password });
      const own = { token: body.data.token };
      for (const raw of ['null', '[]', '""', ' ', '{'])
        assert.equal((await service.post(path, undefined, { ...own, raw })).status, 400, `${path} ${raw}`);
      const headers = { 'content-type': 'text/plain' };
      assert.equal((await service.post(path, undefined, { ...own, raw: 'x', headers })).status, 400);
      if (path === '/api/token') assert.equal((await service.post(path, undefined, own)).status, 200);
      assert.equal((await service.post(path, undefined, { ...own, raw: '' })).status, 200, path);
    }
    assert.equal((await service.post('/api/logout', undefined, { token })).status, 200);
    assert.equal((await service.get('/api/sessions', { token })).status, 401);
    for (const path of ['/api/user/profile', '/api/user/settings', '/api/sessions/end']) {
      const { body } = await service.post('/api/login', { username, password });
      for (const call of [{}, { raw: '' }, { raw: 'null' }])
        assert.equal((await service.post(path, undefined, { token: body.data.token, ...call })).status, 400);
    }
  });

  test('every account route with authentication answers 401 without a token', async (t) => {
    const service = await startService(t, database);
    for (const path of ['/api/token', '/api/logout', '/api/sessions/end'])
      assert.equal((await service.post(path, {})).status, 401);
    assert.equal((await service.get('/api/sessions')).status, 401);
  });

  test('tokens and users survive a restart', async (t) => {
    const service = await startService(t, database);
    const { id, token, username, password } = await service.join('alice');
    const restarted = await service.restart();
    assert.equal((await restarted.get('/api/users', { token })).body.data[0].id, id);
    assert.equal((await restarted.post('/api/login', { username, password })).body.data.id, id);
  });
});
