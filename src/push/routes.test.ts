import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEachDatabase } from '../../test/databases.ts';
import { startService, type TestService } from '../../test/harness.ts';
import { startPushService } from '../../test/push-service.ts';
import { shapeOf } from '../../test/shape.ts';
import { recordExternalChange } from '../events/changes.ts';
import { rotateVapidKeys } from './subscriptions/vapid-keys.ts';

const PUBLIC = { PUBLIC_URL: 'https://chat.example.com' };
const KEYS = {
  p256dh: Buffer.alloc(65, 4).toString('base64url'),
  auth: Buffer.alloc(16).toString('base64url'),
};

onEachDatabase('push routes', (database) => {
  const devices = async (service: TestService, token: string) =>
    (await service.get('/api/push/devices', { token })).body.data;
  const testSend = (service: TestService, { id, token }: { id: string; token: string }, more = '') =>
    service.get(`/api/push/test-send?userId=${id}${more}`, { token });

  test('with a token a subscription must be the caller’s own and is confirmed; without one it is unconfirmed', async (t) => {
    const now = 1_790_000_000_000;
    await using push = await startPushService();
    const service = await startService(t, database, { world: { now: () => now } });
    const [alice, bob] = [await service.join('alice'), await service.join('bob')];
    const subscribe = (token?: string, subscription = push.subscribe()) =>
      service.post(
        '/api/push/subscribe',
        { userId: alice.id, subscription },
        { ...(token !== undefined && { token }), headers: { 'user-agent': 'Firefox' } },
      );
    const foreign = await subscribe(bob.token);
    assert.deepEqual([foreign.status, foreign.body.error], [403, 'forbidden']);
    assert.deepEqual(await devices(service, alice.token), []);
    for (const token of [undefined, 'nonsense', alice.token])
      assert.equal((await subscribe(token)).status, 200);

    const found = await devices(service, alice.token);
    assert.deepEqual(
      found.map((one: { confirmed: number; current: number }) => [one.confirmed, one.current]),
      [
        [1, 1],
        [0, 0],
        [0, 0],
      ],
    );
    const { id, ...first } = found[0];
    assert.match(id, /^[0-9a-f-]{36}$/);
    assert.deepEqual(first, {
      service: push.origin,
      device: 'Firefox',
      confirmed: 1,
      current: 1,
      usable: 1,
      create_time: now,
    });
    const login = (await service.post('/api/login', alice)).body.data.token;
    assert.equal((await devices(service, login))[0].current, 0);
    assert.deepEqual(await devices(service, bob.token), []);
  });

  test('a subscription has the language that it names, else the one that the request accepts, else English', async (t) => {
    const service = await startService(t, database, { env: PUBLIC });
    const { id: userId, token } = await service.join('alice');
    const subscription = { endpoint: 'https://push.example/a', keys: KEYS };
    const subscribe = (more: object, accepts = '') =>
      service.post(
        '/api/push/subscribe',
        { userId, subscription, ...more },
        { token, headers: { ...(accepts && { 'accept-language': accepts }) } },
      );
    const stored = async (more: object, accepts?: string) => {
      assert.equal((await subscribe(more, accepts)).status, 200, JSON.stringify(more));
      const rows = await service.services.db.all<{
        language: string;
      }>`select language from push_subscriptions`;
      return rows.map(({ language }) => language).join();
    };
    assert.equal(await stored({}), 'en');
    assert.equal(await stored({}, 'zh-CN,zh;q=0.9,en;q=0.8'), 'zh');
    assert.equal(await stored({ lang: 'en-GB' }, 'zh-CN'), 'en');
    assert.equal(await stored({ lang: 'zh-Hant-TW' }, 'en'), 'zh');
    assert.equal(await stored({ lang: 'de' }, 'zh-CN'), 'en');
    assert.equal(await stored({ lang: 'zh-aaaaaaaa-bbbbbbbb-cccccccc-ddddd' }), 'zh');
    for (const lang of [
      '',
      'zh_CN',
      'zh-',
      '-zh',
      'zh CN',
      '中文',
      '*',
      `zh${'-aaaa'.repeat(7)}`,
      7,
      null,
      ['en'],
    ]) {
      const { status, body } = await subscribe({ lang });
      assert.deepEqual([status, body.error], [400, 'invalid_field'], String(lang));
      assert.match(body.msg, /^lang [\x20-\x7e]+$/);
    }
    assert.equal(await stored({}), 'en');
  });

  test('knowing the endpoint is not enough to change a confirmed subscription', async (t) => {
    await using push = await startPushService();
    const service = await startService(t, database);
    const alice = await service.join('alice');
    const subscription = push.subscribe();
    const body = { userId: alice.id, subscription };
    await service.post('/api/push/subscribe', body, { token: alice.token });
    const stolen = { userId: alice.id, subscription: { ...subscription, keys: push.subscribe().keys } };
    const { status, body: refused } = await service.post('/api/push/subscribe', stolen);
    assert.deepEqual([status, refused.error], [403, 'subscription_confirmed']);
    assert.equal((await service.post('/api/push/subscribe', stolen, { token: 'nonsense' })).status, 403);
    await testSend(service, alice);
    assert.equal(push.received(subscription.endpoint).length, 1);
  });

  test('a subscription is removed with its session', async (t) => {
    await using push = await startPushService();
    const service = await startService(t, database);
    const alice = await service.join('alice');
    const other = { id: alice.id, token: (await service.post('/api/login', alice)).body.data.token };
    const subscription = push.subscribe();
    await service.post('/api/push/subscribe', { userId: alice.id, subscription }, { token: other.token });
    assert.equal((await testSend(service, alice)).status, 200);
    await service.post('/api/logout', {}, { token: other.token });
    assert.equal((await testSend(service, alice)).status, 404);
    assert.equal(push.received(subscription.endpoint).length, 1);
  });

  test('standard and URL-safe Base64 are accepted, padded or not, and nothing else', async (t) => {
    const service = await startService(t, database, { env: PUBLIC });
    const { id: userId } = await service.join('alice');
    const bytes = Buffer.from('fb'.repeat(65), 'hex');
    const subscribe = async (p256dh: string, auth = KEYS.auth) =>
      (
        await service.post('/api/push/subscribe', {
          userId,
          subscription: { endpoint: 'https://push.example/a', keys: { p256dh, auth } },
        })
      ).status;
    const standard = bytes.toString('base64');
    const safe = bytes.toString('base64url');
    assert.ok(/[+/]/.test(standard) && /[-_]/.test(safe) && standard.endsWith('='));
    for (const one of [standard, standard.replace(/=+$/, ''), safe, `${safe}=`])
      assert.equal(await subscribe(one), 200, one);
    // This length is not valid Base64, which the first send shows.
    assert.equal(await subscribe('test-p256', 'test-auth'), 200);
    for (const one of ['-+AA', 'A A=', '====', 'AA\n=', 'ÄÖÜ', 'A'.repeat(204)]) {
      assert.equal(await subscribe(one), 400, one);
      assert.equal(await subscribe(safe, one), 400, one);
    }
  });

  test('an endpoint is https, public, without credentials, up to 2048 characters', async (t) => {
    const service = await startService(t, database, { env: PUBLIC });
    const { id: userId } = await service.join('alice');
    const subscribe = (endpoint: string) =>
      service.post('/api/push/subscribe', { userId, subscription: { endpoint, keys: KEYS } });
    const prefix = 'https://push.example/';
    for (const endpoint of [
      `${prefix}a`,
      'https://8.8.8.8/a',
      `${prefix}${'a'.repeat(2048 - prefix.length)}`,
    ])
      assert.equal((await subscribe(endpoint)).status, 200, endpoint);
    const refused = {
      'http://push.example/a': 'endpoint_not_https',
      'ftp://push.example/a': 'endpoint_not_https',
      'https://user:secret@push.example/a': 'endpoint_invalid',
      'push.example/a': 'endpoint_invalid',
      [`${prefix}${'a'.repeat(2049 - prefix.length)}`]: 'endpoint_too_long',
      'https://127.0.0.1/a': 'endpoint_private',
      'https://10.1.2.3/a': 'endpoint_private',
      'https://192.168.1.1/a': 'endpoint_private',
      'https://169.254.169.254/a': 'endpoint_private',
      'https://[::1]/a': 'endpoint_private',
      'https://[::ffff:10.0.0.1]/a': 'endpoint_private',
      'https://0x7f.1/a': 'endpoint_private',
      'https://localhost/a': 'endpoint_private',
    };
    for (const [endpoint, word] of Object.entries(refused)) {
      const { status, body } = await subscribe(endpoint);
      assert.deepEqual([status, body.error], [400, word], endpoint);
      assert.match(body.msg, /^[\x20-\x7e]+$/);
    }
  });

  test('http and loopback are accepted only without PUBLIC_URL or with PUSH_ALLOW_PRIVATE=1', async (t) => {
    await using push = await startPushService();
    const tries = [
      [{}, 200],
      [{ PUSH_ALLOW_PRIVATE: '1', ...PUBLIC }, 200],
      [PUBLIC, 400],
      [{ HOST: '0.0.0.0' }, 400],
      [{ TRUST_PROXY: '10.0.0.1' }, 400],
    ] as const;
    for (const [env, expected] of tries) {
      const service = await startService(t, database, { env });
      const { id: userId } = await service.join('alice');
      const { status } = await service.post('/api/push/subscribe', {
        userId,
        subscription: push.subscribe(),
      });
      assert.equal(status, expected, JSON.stringify(env));
    }
  });

  test('an endpoint whose name turns out private is never connected to', async (t) => {
    await using push = await startPushService();
    const resolve = async () => [{ address: '127.0.0.1', family: 4 as const }];
    const { port } = new URL(push.origin);
    const env = { ...PUBLIC, PUSH_PORTS: port };
    const service = await startService(t, database, { env, world: { resolve } });
    const alice = await service.join('alice');
    const endpoint = `https://push.example:${port}/a`;
    const subscription = { endpoint, keys: push.subscribe().keys };
    assert.equal((await service.post('/api/push/subscribe', { userId: alice.id, subscription })).status, 200);
    const { body } = await testSend(service, alice, '&detail=1');
    assert.equal(body.data[0].outcome, 'failed');
    assert.equal(body.data[0].detail, 'private_address');
    assert.equal(push.connections, 0);
  });

  test('each user has 5 calls of test-send a minute that have something to send', async (t) => {
    const clock = { ms: 1_000 };
    const service = await startService(t, database, { env: PUBLIC, world: { monotonicMs: () => clock.ms } });
    const [alice, bob] = [await service.join('alice'), await service.join('bob')];
    for (let i = 0; i < 6; i++) assert.equal((await testSend(service, alice)).status, 404);
    // With invalid keys nothing leaves the service.
    for (const { id: userId, token } of [alice, bob]) {
      const subscription = { endpoint: `https://push.example.com/${userId}`, keys: KEYS };
      assert.equal(
        (await service.post('/api/push/subscribe', { userId, subscription }, { token })).status,
        200,
      );
    }
    for (let i = 0; i < 5; i++) {
      assert.equal((await testSend(service, alice)).status, 200);
      assert.equal((await testSend(service, alice, '&device=nothing')).status, 404);
    }
    clock.ms += 45_000;
    for (let i = 0; i < 2; i++) {
      const { status, headers, body } = await testSend(service, alice);
      assert.deepEqual([status, headers['retry-after']], [429, '15']);
      assert.deepEqual(body, {
        code: 429,
        error: 'too_many_test_sends',
        msg: 'Too many test notifications, try again later',
      });
    }
    assert.equal((await testSend(service, bob)).status, 200, 'another user');
    clock.ms += 15_000;
    assert.equal((await testSend(service, alice)).status, 200);
  });

  test('test-send is for the caller only', async (t) => {
    const service = await startService(t, database);
    const [alice, bob] = [await service.join('alice'), await service.join('bob')];
    const { status, body } = await service.get(`/api/push/test-send?userId=${bob.id}`, {
      token: alice.token,
    });
    assert.deepEqual([status, body.error], [403, 'forbidden']);
    await service.services.db.run`update users set status = 'deleted' where id = ${bob.id}`;
    const gone = await service.get(`/api/push/test-send?userId=${bob.id}`, { token: alice.token });
    assert.equal(gone.text, '{"code":404,"message":"No push subscription found"}');
    for (const query of ['userId=%00', 'userId[]=a', 'detail=1', `userId=${alice.id}&detail=2`])
      assert.equal(
        (await service.get(`/api/push/test-send?${query}`, { token: alice.token })).status,
        400,
        query,
      );
  });

  test('detail=1 adds the answer of each push service, which is in the log too', async (t) => {
    await using push = await startPushService();
    const service = await startService(t, database);
    const alice = await service.join('alice');
    const subscription = push.subscribe();
    const { endpoint } = subscription;
    await service.post(
      '/api/push/subscribe',
      { userId: alice.id, subscription },
      { token: alice.token, headers: { 'user-agent': 'Firefox' } },
    );
    push.answerNext(endpoint, { status: 500, body: 'oops' });
    const { body } = await testSend(service, alice, '&detail=1');
    const [{ id: device }] = await devices(service, alice.token);
    assert.deepEqual(Object.keys(body).sort(), ['code', 'data', 'message']);
    assert.deepEqual([body.code, body.message], [200, 'Test notification sent!']);
    const { id, at, ...entry } = body.data[0];
    assert.deepEqual(shapeOf([id, at]), ['string', 'integer']);
    assert.deepEqual(entry, {
      peer: null,
      device,
      device_name: 'Firefox',
      kind: 'test',
      outcome: 'refused',
      status: 500,
      reason: 'server_error',
      detail: 'server_error',
      waiting_until: null,
      shown: null,
      clicked: null,
    });
    const log = await service.get('/api/push/log', { token: alice.token });
    assert.deepEqual(log.body, { code: 200, data: body.data });
    assert.equal(
      (await testSend(service, alice, '&detail=0')).text,
      '{"code":200,"message":"Test notification sent!"}',
    );
    const bob = await service.join('bob');
    assert.deepEqual((await service.get('/api/push/log', { token: bob.token })).body.data, []);
  });

  test('a test send to one device reaches it alone; another user’s device is not found', async (t) => {
    await using push = await startPushService();
    const service = await startService(t, database);
    const [alice, bob] = [await service.join('alice'), await service.join('bob')];
    for (const { id: userId, token } of [alice, alice, bob])
      await service.post('/api/push/subscribe', { userId, subscription: push.subscribe() }, { token });
    const [{ id: named }] = await devices(service, alice.token);
    const [{ id: foreign }] = await devices(service, bob.token);
    const { status, body } = await testSend(service, alice, `&detail=1&device=${named}`);
    assert.deepEqual([status, body.data.length, body.data[0].device], [200, 1, named]);
    for (const none of [foreign, 'nothing', encodeURIComponent(`${named} `)]) {
      const refused = await testSend(service, alice, `&device=${none}`);
      assert.deepEqual(
        [refused.status, refused.text],
        [404, '{"code":404,"message":"No push subscription found"}'],
        none,
      );
    }
    for (const wrong of ['&device=', `&device=${named}&device=${named}`])
      assert.equal((await testSend(service, alice, wrong)).status, 400, wrong);
    assert.equal(push.requests, 1);
  });

  test('a receipt needs no token, and all receipts get the same answer, in English', async (t) => {
    const service = await startService(t, database, { env: { RATE_LIMIT_API: '9/1m' } });
    const report = (body: object) => service.post('/api/push/receipt', body);
    const issued = service.services.push.receipts.issue('01990000-0000-7000-8000-000000000000');
    for (const receipt of [issued, 'nothing', 'A'.repeat(43)])
      for (const event of ['shown', 'clicked']) {
        const { status, text, headers } = await report({ receipt, event });
        assert.deepEqual([status, text], [200, '{"code":200,"message":"Receipt taken"}']);
        assert.ok(headers.ratelimit);
      }
    const stored = () => service.services.db.all<{ log_id: string }>`select log_id from push_early_receipts`;
    assert.deepEqual(
      (await stored()).map((row) => row.log_id),
      ['01990000-0000-7000-8000-000000000000'],
    );
    for (const wrong of [{ receipt: issued }, { event: 'shown' }, { receipt: issued, event: 'closed' }]) {
      const { status, body } = await report(wrong);
      assert.equal(status, 400, JSON.stringify(wrong));
      assert.match(body.msg, /^[\x20-\x7e]+$/);
    }
    assert.equal((await report({ receipt: issued, event: 'shown' })).status, 429);
  });

  test('invalid keys are stored, and the first send marks them unusable', async (t) => {
    const service = await startService(t, database, { env: PUBLIC });
    const alice = await service.join('alice');
    const subscription = { endpoint: 'https://push.example/a', keys: KEYS };
    assert.equal((await service.post('/api/push/subscribe', { userId: alice.id, subscription })).status, 200);
    assert.equal((await devices(service, alice.token))[0].usable, 1);
    const { status, body } = await testSend(service, alice, '&detail=1');
    assert.deepEqual([status, body.data[0].outcome], [200, 'unusable']);
    assert.equal((await devices(service, alice.token))[0].usable, 0);
  });

  test('a device is unsubscribed by its endpoint or its id, by its owner', async (t) => {
    await using push = await startPushService();
    const service = await startService(t, database);
    const [alice, bob] = [await service.join('alice'), await service.join('bob')];
    const subscriptions = [push.subscribe(), push.subscribe()];
    for (const subscription of subscriptions)
      await service.post('/api/push/subscribe', { userId: alice.id, subscription });
    const unsubscribe = (body: object, { token } = alice) =>
      service.post('/api/push/unsubscribe', body, { token });
    const endpoint = subscriptions[0]?.endpoint;
    const foreign = await unsubscribe({ endpoint }, bob);
    assert.deepEqual([foreign.status, foreign.body.error], [404, 'subscription_not_found']);
    const { status, body } = await unsubscribe({ endpoint });
    assert.deepEqual([status, body], [200, { code: 200, message: 'Subscription removed' }]);
    assert.equal((await unsubscribe({ endpoint })).status, 404);
    const [{ id }] = await devices(service, alice.token);
    assert.equal((await unsubscribe({ id }, bob)).status, 404);
    assert.equal((await unsubscribe({ id })).status, 200);
    assert.deepEqual(await devices(service, alice.token), []);
    for (const wrong of [{}, { id: '' }, { endpoint: 5 }, { id: null }])
      assert.equal((await unsubscribe(wrong)).status, 400, JSON.stringify(wrong));
  });

  test('the VAPID key is kept over a restart, and a rotation keeps old subscriptions working', async (t) => {
    await using push = await startPushService();
    const first = await startService(t, database);
    const alice = await first.join('alice');
    const keyOf = async (service: TestService) => (await service.get('/api/push/public-key')).body.publicKey;
    const oldKey = await keyOf(first);
    // A subscription is bound to the key it was made with, as in a browser.
    const old = push.subscribe(oldKey);
    await first.post('/api/push/subscribe', { userId: alice.id, subscription: old });

    const service = await first.restart();
    assert.equal(await keyOf(service), oldKey);
    const noticed = new Promise<void>((resolve) => {
      service.services.events.subscribe((event) => {
        if (event.type === 'external-change') resolve();
      });
    });
    await rotateVapidKeys(service.services.db);
    await service.services.db.transaction((tx) => recordExternalChange(tx));
    await noticed;
    const newKey = await keyOf(service);
    assert.notEqual(newKey, oldKey);
    const fresh = push.subscribe(newKey);
    await service.post('/api/push/subscribe', { userId: alice.id, subscription: fresh });
    await service.post(
      '/api/push/subscribe',
      { userId: alice.id, subscription: old },
      { token: alice.token },
    );
    const { body } = await testSend(service, alice, '&detail=1');
    assert.deepEqual(
      body.data.map((entry: { outcome: string }) => entry.outcome),
      ['accepted', 'accepted'],
    );
  });

  test('every push route for the caller’s own data answers 401 without a token, in English', async (t) => {
    const service = await startService(t, database);
    const answers = [
      await service.get('/api/push/test-send?userId=a'),
      await service.get('/api/push/log'),
      await service.get('/api/push/devices'),
      await service.post('/api/push/unsubscribe', { id: 'a' }),
    ];
    for (const { status, body } of answers)
      assert.deepEqual([status, body.msg], [401, 'Not signed in, or the sign-in has expired']);
  });
});
