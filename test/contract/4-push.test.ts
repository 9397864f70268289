import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEachDeployment } from '../databases.ts';
import { shareService, startService } from '../harness.ts';
import { startPushService } from '../push-service.ts';

onEachDeployment('4 Endpoints: Web Push', (database) => {
  const shared = shareService(database);

  test('4.13 GET /api/push/public-key: exactly { code: 200, publicKey }, a P-256 point in Base64', async () => {
    const { service } = await shared();
    const { status, text, body } = await service.get('/api/push/public-key');
    assert.equal(status, 200);
    assert.deepEqual(Object.keys(body), ['code', 'publicKey']);
    assert.equal(text, `{"code":200,"publicKey":"${body.publicKey}"}`);
    assert.match(body.publicKey, /^[A-Za-z0-9_-]{87}$/);
    const point = Buffer.from(body.publicKey, 'base64url');
    assert.deepEqual([point.length, point[0]], [65, 4]);
    await crypto.subtle.importKey('raw', point, { name: 'ECDSA', namedCurve: 'P-256' }, true, ['verify']);
    assert.equal((await service.get('/api/push/public-key')).text, text);
  });

  test('4.14 POST /api/push/subscribe: exactly the printed body, for an object and for its serialized string', async (t) => {
    await using push = await startPushService();
    const service = await startService(t, database);
    const { id: userId, token } = await service.join('alice');
    for (const call of [{}, { token }, { token: 'nonsense' }])
      for (const form of [(one: object) => one, (one: object) => JSON.stringify(one)]) {
        const sent = { userId, subscription: form(push.subscribe()) };
        const { status, text } = await service.post('/api/push/subscribe', sent, call);
        assert.equal(status, 200);
        assert.equal(text, '{"code":200,"message":"Subscription saved successfully"}');
      }
  });

  test('4.14 POST /api/push/subscribe: both forms are sent to', async (t) => {
    await using push = await startPushService();
    const service = await startService(t, database);
    const { body: key } = await service.get('/api/push/public-key');
    const { id: userId, token } = await service.join('alice');
    const [first, second] = [push.subscribe(key.publicKey), push.subscribe(key.publicKey)];
    await service.post('/api/push/subscribe', { userId, subscription: first });
    await service.post('/api/push/subscribe', { userId, subscription: JSON.stringify(second) });
    await service.get(`/api/push/test-send?userId=${userId}`, { token });
    assert.equal(push.received(first.endpoint).length, 1);
    assert.equal(push.received(second.endpoint).length, 1);
  });

  test('4.14 POST /api/push/subscribe: an unknown user is 404', async () => {
    await using push = await startPushService();
    const { service } = await shared();
    const { status, body } = await service.post('/api/push/subscribe', {
      userId: 'nobody',
      subscription: push.subscribe(),
    });
    assert.deepEqual([status, body], [404, { code: 404, error: 'user_not_found', msg: 'No such user' }]);
  });

  test('4.15 GET /api/push/test-send: exactly the printed bodies, and the notification arrives and decrypts', async (t) => {
    await using push = await startPushService();
    const service = await startService(t, database);
    const { body: key } = await service.get('/api/push/public-key');
    const { id: userId, token } = await service.join('alice');
    const send = () => service.get(`/api/push/test-send?userId=${userId}`, { token });
    const none = await send();
    assert.equal(none.status, 404);
    assert.equal(none.text, '{"code":404,"message":"No push subscription found"}');

    // Bound to the published key: any other is refused by the push service.
    const subscription = push.subscribe(key.publicKey);
    await service.post('/api/push/subscribe', { userId, subscription });
    const sent = await send();
    assert.equal(sent.status, 200);
    assert.equal(sent.text, '{"code":200,"message":"Test notification sent!"}');
    const { text } = await push.next(subscription.endpoint, 1000);
    const { web_push: version, notification } = JSON.parse(text ?? '');
    assert.equal(version, 8030);
    assert.ok(typeof notification.title === 'string' && notification.title !== '');
    assert.equal(new URL(notification.navigate).origin, service.services.config.publicUrl);
  });

  test('4.15 GET /api/push/test-send: userId is required', async () => {
    const {
      service,
      alice: { id, token },
    } = await shared();
    for (const query of ['', '?userId=', '?userid=x', `?userId=${id}&userId=${id}`]) {
      const { status, body } = await service.get(`/api/push/test-send${query}`, { token });
      assert.deepEqual([status, body.code], [400, 400], query);
      assert.equal(typeof body.msg, 'string');
    }
  });

  test('4.15 GET /api/push/test-send: the 404 of an unknown user is the printed one', async () => {
    const {
      service,
      alice: { token },
    } = await shared();
    const { status, text } = await service.get('/api/push/test-send?userId=nobody', { token });
    assert.equal(status, 404);
    assert.equal(text, '{"code":404,"message":"No push subscription found"}');
  });
});
