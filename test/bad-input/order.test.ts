import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEachDatabase } from '../databases.ts';
import { shareService, startService } from '../harness.ts';
import { plainSubscription } from './surface.ts';

/** The order of checks (architecture 10.1): limit, token (401), media type and JSON (400), fields (400), rights (403), existence (404). */
onEachDatabase('Bad input: order of checks', (database) => {
  const shared = shareService(database);

  test('the limit before the token', async (t) => {
    const service = await startService(t, database, { env: { RATE_LIMIT_API: '1/1m' } });
    const headers = { authorization: 'Bearer nonsense' };
    assert.equal((await service.get('/api/sessions', { headers })).status, 401);
    const { status, body } = await service.get('/api/sessions', { headers });
    assert.equal(status, 429);
    assert.deepEqual(body, { code: 429, error: 'rate_limited', msg: '请求过于频繁，请稍后再试' });
  });

  test('the token before media type and JSON', async () => {
    const { service } = await shared();
    const broken = { raw: '{"broken', headers: { 'content-type': 'text/plain' } };
    assert.equal((await service.call('POST', '/api/user/block', broken)).status, 401);
    const large = { raw: Buffer.alloc(3_000_000, ' ') };
    assert.equal((await service.call('POST', '/api/user/block', large)).status, 401);
  });

  test('media type and JSON before the fields', async () => {
    const {
      service,
      alice: { token },
    } = await shared();
    const words = async (call: object) =>
      (await service.call('POST', '/api/user/block', { token, ...call })).body.error;
    assert.equal(
      await words({ raw: '{"blockedId":7}', headers: { 'content-type': 'text/plain' } }),
      'media_type',
    );
    assert.equal(await words({ raw: '{"blockedId":7' }), 'body_not_json');
    assert.equal(await words({ raw: '{"blockedId":7}' }), 'invalid_field');
  });

  test('at registration: username, password, the rest, then whether the name is taken', async () => {
    const { service } = await shared();
    const answers = async (fields: object) => (await service.post('/api/register', fields)).body.msg;
    assert.equal(await answers({ email: 7, password: 'short', username: 'a' }), '用户名长度需在2-32之间');
    assert.equal(await answers({ email: 7, password: 'short', username: 'alice' }), '密码长度不能少于6位');
    assert.equal(
      await answers({ email: 7, password: 'password', username: 'alice' }),
      '参数 email 需为字符串',
    );
    assert.equal(await answers({ password: 'password', username: 'alice' }), '用户名已存在');
  });

  test('the fields before the rights', async (t) => {
    const service = await startService(t, database);
    const [alice, bob] = [await service.join('alice'), await service.join('bob')];
    const { token } = alice;
    const wrong = { userId: bob.id, subscription: { ...plainSubscription(), endpoint: 7 } };
    assert.equal((await service.post('/api/push/subscribe', wrong, { token })).status, 400);
    const right = { userId: bob.id, subscription: plainSubscription() };
    assert.equal((await service.post('/api/push/subscribe', right, { token })).status, 403);
    assert.equal((await service.get(`/api/push/test-send?userId=${bob.id}&detail=2`, { token })).status, 400);
    assert.equal((await service.get(`/api/push/test-send?userId=${bob.id}`, { token })).status, 403);
    const message = { to: bob.id, cid: '1', body: 'hello' };
    await service.post('/api/user/block', { blockedId: alice.id }, { token: bob.token });
    assert.equal((await service.post('/api/messages', { ...message, body: '' }, { token })).status, 400);
    assert.equal((await service.post('/api/messages', message, { token })).status, 403);
  });

  test('the rights before existence', async (t) => {
    const service = await startService(t, database);
    const [alice, bob] = [await service.join('alice'), await service.join('bob')];
    // Bob has no subscription, which other users must not learn.
    const { status, body } = await service.get(`/api/push/test-send?userId=${bob.id}`, {
      token: alice.token,
    });
    assert.equal(status, 403);
    assert.equal(body.msg, 'The devices of another user');
    const own = await service.get(`/api/push/test-send?userId=${alice.id}`, { token: alice.token });
    assert.equal(own.text, '{"code":404,"message":"No push subscription found"}');
    // A caller who may not store for an id does not learn whether it exists.
    const unknown = { userId: 'nobody', subscription: plainSubscription() };
    assert.equal((await service.post('/api/push/subscribe', unknown, { token: alice.token })).status, 403);
    assert.equal((await service.post('/api/push/subscribe', unknown)).status, 404);
  });
});
