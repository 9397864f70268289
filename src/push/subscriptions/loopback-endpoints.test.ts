import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openConnection } from '../../../test/bad-input/raw-connection.ts';
import { onEachDatabase } from '../../../test/databases.ts';
import { type Person, startService, type TestService } from '../../../test/harness.ts';
import { type PushService, startPushService } from '../../../test/push-service.ts';
import { saveSubscription } from './subscriptions.ts';

const KEYS = {
  p256dh: Buffer.alloc(65, 4).toString('base64url'),
  auth: Buffer.alloc(16).toString('base64url'),
};
const PRIVATE = { code: 400, error: 'endpoint_private', msg: 'The endpoint is not on the public internet' };

/** Headers with which a request may come from another machine. */
/** Hosts that no request may name (RFC 9112, 3.2). */
const INVALID_HOSTS = [
  'evil.com#localhost',
  'evil.com@localhost',
  'localhost@evil.com',
  'localhost, evil.com',
  'localhost:3000:80',
];
const FROM_ELSEWHERE: Record<string, string>[] = [
  { forwarded: 'for=127.0.0.1' },
  { 'x-forwarded-for': '127.0.0.1' },
  { 'X-FORWARDED-PROTO': 'http' },
  { 'x-forwarded-anything': '' },
  { 'X-Real-IP': '127.0.0.1' },
  { via: '1.1 proxy' },
  ...[
    'chat.example.com',
    '127.0.0.1.nip.io',
    'localhost.evil.com',
    'localhost.evil.com:3000',
    'evil.com:127',
    'a.localhost',
    'localhost..',
    '0.0.0.0:3000',
    '10.0.0.1',
    '[::]:3000',
    '[::ffff:10.0.0.1]',
    '127.1',
  ].map((host) => ({ host })),
];
const FROM_HERE = [
  'localhost',
  'LOCALHOST:3000',
  'localhost.',
  'LocalHost.:3000',
  '127.0.0.1:3000',
  '127.255.255.254',
  '[::1]:3000',
  '[::1]',
  '[0:0:0:0:0:0:0:1]:80',
  '[::ffff:127.0.0.1]:3000',
];

const WARNING =
  'push endpoints on this machine are refused to requests that may come from elsewhere; set PUBLIC_URL and TRUST_PROXY if a proxy stands before the service, or PUSH_ALLOW_PRIVATE=1';

/** The tests share a clock, which each test send advances by a minute, to stay within the rate limit. */
let passedMs = 0;
const world = {
  now: () => Date.now() + passedMs,
  monotonicMs: () => performance.now() + passedMs,
};

const warnings = ({ logLines }: TestService) =>
  logLines.map((line) => JSON.parse(line)).filter(({ msg }) => msg === WARNING);

onEachDatabase('push endpoints on this machine, without PUBLIC_URL', (database) => {
  const subscribe = (service: TestService, userId: string, endpoint: string, headers = {}) =>
    service.post('/api/push/subscribe', { userId, subscription: { endpoint, keys: KEYS } }, { headers });
  const testSend = (service: TestService, { id, token }: Person, headers = {}) => {
    passedMs += 60_000;
    return service.get(`/api/push/test-send?userId=${id}&detail=1`, { token, headers });
  };

  async function startWithDevice(t: Parameters<typeof startService>[0], push: PushService) {
    const service = await startService(t, database, { world });
    const bob = await service.join('bob');
    const subscription = push.subscribe(service.services.push.vapidKeys.publicKey);
    const body = { userId: bob.id, subscription };
    assert.equal((await service.post('/api/push/subscribe', body, { token: bob.token })).status, 200);
    return { service, bob, subscription };
  }

  test('loopback is allowed, by http too, and nothing else that is private', async (t) => {
    const service = await startService(t, database, { world });
    const { id } = await service.join('alice');
    for (const endpoint of [
      'http://localhost:9/a',
      'http://LOCALHOST.:9/a',
      'http://127.0.0.1:9/a',
      'http://127.1/a',
      'https://127.255.255.254:8443/a',
      'http://[::1]:9/a',
      'http://[::ffff:127.0.0.1]:9/a',
      'http://name.example:9/a',
      'https://push.example/a',
      'https://push.example:8443/a',
    ])
      assert.equal((await subscribe(service, id, endpoint)).status, 200, endpoint);
    for (const endpoint of [
      'http://10.0.0.1/a',
      'https://10.0.0.1/a',
      'https://192.168.1.1/a',
      'http://169.254.169.254/latest',
      'https://100.64.0.1/a',
      'http://0.0.0.0:9/a',
      'http://[::]:9/a',
      'http://[::ffff:10.0.0.1]/a',
      'https://[fd00::1]/a',
      'https://[fe80::1]/a',
    ])
      assert.deepEqual((await subscribe(service, id, endpoint)).body, PRIVATE, endpoint);
    const plain = await subscribe(service, id, 'http://8.8.8.8/a');
    assert.deepEqual([plain.status, plain.body.error], [400, 'endpoint_not_https']);
  });

  test('the addresses of a name are checked at connect: http reaches loopback alone', async (t) => {
    await using push = await startPushService();
    const { port } = new URL(push.origin);
    const addresses: Record<string, string> = {
      'here.example': '127.0.0.1',
      'inner.example': '10.0.0.1',
      'metadata.example': '169.254.169.254',
      'outside.example': '8.8.8.8',
    };
    const resolve = async (name: string) => [{ address: addresses[name] ?? '', family: 4 }];
    const service = await startService(t, database, { world: { ...world, resolve } });
    const alice = await service.join('alice');
    const { keys, endpoint } = push.subscribe(service.services.push.vapidKeys.publicKey);
    const path = new URL(endpoint).pathname;
    const said = async (at: string) => {
      await service.services.db.run`delete from push_subscriptions`;
      const body = { userId: alice.id, subscription: { endpoint: at, keys } };
      assert.equal((await service.post('/api/push/subscribe', body)).status, 200);
      const [{ outcome, detail }] = (await testSend(service, alice)).body.data;
      return [outcome, detail];
    };
    for (const name of ['inner', 'metadata', 'outside'])
      assert.deepEqual(
        await said(`http://${name}.example:${port}${path}`),
        ['failed', 'private_address'],
        name,
      );
    assert.deepEqual(await said(`https://inner.example:${port}${path}`), ['failed', 'private_address']);
    // Any request may store this endpoint, so only public addresses are allowed for it.
    assert.deepEqual(await said('https://here.example/a'), ['failed', 'private_address']);
    assert.equal(push.connections, 0);
    // Only a request from this machine can have stored this endpoint, so loopback is allowed for it.
    assert.deepEqual(await said(`https://here.example:${port}${path}`), ['failed', 'tls']);
    assert.equal(push.connections, 1);
    // The push service is reached and refuses a token for another origin (RFC 8292 2).
    assert.deepEqual(await said(`http://here.example:${port}${path}`), ['refused', 'refused']);
    assert.equal(push.requests, 1);
  });

  test('a request that may come from elsewhere stores no endpoint on this machine', async (t) => {
    const service = await startService(t, database, { world });
    const { id } = await service.join('alice');
    for (const headers of FROM_ELSEWHERE)
      for (const endpoint of ['http://127.0.0.1:9/a', 'https://localhost/a', 'http://[::1]:9/a'])
        assert.deepEqual(
          (await subscribe(service, id, endpoint, headers)).body,
          PRIVATE,
          `${JSON.stringify(headers)} ${endpoint}`,
        );
    for (const host of INVALID_HOSTS) {
      const { body } = await subscribe(service, id, 'http://127.0.0.1:9/a', { host });
      assert.deepEqual([body.code, body.error], [400, 'malformed_request'], host);
    }
    assert.deepEqual(await service.services.db.all`select id from push_subscriptions`, []);
    assert.equal(warnings(service).length, 1, 'one line, at the first');
    assert.equal((await subscribe(service, id, 'https://push.example/a', { via: '1.1 proxy' })).status, 200);
    for (const host of FROM_HERE)
      assert.equal((await subscribe(service, id, 'http://127.0.0.1:9/a', { host })).status, 200, host);
  });

  test('a test send whose request may come from elsewhere sends nothing to this machine', async (t) => {
    await using push = await startPushService();
    const { service, bob, subscription } = await startWithDevice(t, push);
    for (const headers of FROM_ELSEWHERE) {
      const { status, body } = await testSend(service, bob, headers);
      assert.deepEqual(
        [
          status,
          body.data.map((entry: { outcome: string; detail: string }) => [entry.outcome, entry.detail]),
        ],
        [200, [['failed', 'private_address']]],
        JSON.stringify(headers),
      );
    }
    assert.equal(push.connections, 0);
    assert.deepEqual(
      warnings(service).map(({ level, why }) => [level, why]),
      [[40, 'a header that proxies add']],
    );
    assert.equal((await testSend(service, bob, { host: 'LOCALHOST:3000' })).body.data[0].outcome, 'accepted');
    assert.equal(push.received(subscription.endpoint).length, 1);
  });

  test('PUSH_ALLOW_PRIVATE=1 applies to every request, without a warning', async (t) => {
    const service = await startService(t, database, { world, env: { PUSH_ALLOW_PRIVATE: '1' } });
    const { id } = await service.join('alice');
    for (const headers of FROM_ELSEWHERE)
      assert.equal((await subscribe(service, id, 'http://10.0.0.1:9/a', headers)).status, 200);
    assert.deepEqual(warnings(service), []);
  });

  test('on the wire: HTTP/1.0, no Host, two of them, and a target that names another host', async (t) => {
    const service = await startService(t, database, { world });
    const { id: userId } = await service.join('alice');
    const port = Number(new URL(await service.app.listen({ port: 0, host: '127.0.0.1' })).port);
    const body = JSON.stringify({
      userId,
      subscription: { endpoint: 'http://127.0.0.1:9/a', keys: KEYS },
    });
    const ask = async (target: string, version: string, ...lines: string[]) => {
      using connection = await openConnection(port);
      const rest = ['content-type: application/json', `content-length: ${body.length}`, 'connection: close'];
      connection.write([`POST ${target} HTTP/${version}`, ...lines, ...rest, '', body].join('\r\n'));
      const { status, body: answer } = await connection.answer();
      return status === 200 ? 200 : `${status} ${answer.error}`;
    };
    const path = '/api/push/subscribe';
    const refused = '400 endpoint_private';
    assert.equal(await ask(path, '1.1', 'Host: localhost:3000'), 200);
    assert.equal(await ask(path, '1.1', 'HOST:  [::1]:3000 '), 200);
    assert.equal(await ask(`http://localhost:3000${path}`, '1.1', 'Host: localhost:3000'), 200);
    assert.equal(await ask(path, '1.0', 'Host: localhost:3000'), refused);
    assert.equal(await ask(path, '1.0'), refused);
    assert.equal(await ask(path, '1.1'), '400 malformed_request');
    assert.equal(await ask(path, '1.1', 'Host: '), refused);
    assert.equal(await ask(path, '1.1', 'Host: localhost.evil.com'), refused);
    assert.equal(await ask(path, '1.1', 'Host: localhost', 'x-Forwarded-fOR: 127.0.0.1'), refused);
    for (const host of ['evil.com', 'localhost@evil.com', '127.0.0.1.nip.io:3000'])
      assert.equal(await ask(`http://${host}${path}`, '1.1', 'Host: localhost:3000'), refused, host);
    assert.equal(await ask(`http://localhost:3000${path}`, '1.1', 'Host: evil.com'), refused);
    const both = await ask(path, '1.1', 'Host: localhost', 'Host: evil.com');
    assert.match(String(both), /^400 /);
  });

  test('an endpoint on this machine is not sent to once PUBLIC_URL is set', async (t) => {
    await using push = await startPushService();
    const service = await startService(t, database, {
      world,
      env: { PUBLIC_URL: 'https://chat.example.com' },
    });
    const [alice, bob] = [await service.join('alice'), await service.join('bob')];
    const {
      db,
      push: { vapidKeys },
    } = service.services;
    await saveSubscription(db, {
      userId: bob.id,
      subscription: push.subscribe(vapidKeys.publicKey),
      sessionId: null,
      vapidPublic: vapidKeys.publicKey,
      device: 'Firefox',
      language: 'en',
      now: Date.now(),
    });
    assert.equal((await testSend(service, bob)).body.data[0].detail, 'private_address');
    const message = { to: bob.id, cid: crypto.randomUUID(), body: 'hello' };
    await service.post('/api/messages', message, { token: alice.token });
    await service.pushes.runDue();
    const log = (await service.get('/api/push/log', { token: bob.token })).body.data;
    assert.deepEqual(
      log.map((entry: { outcome: string; detail: string }) => [entry.outcome, entry.detail]),
      [
        ['waiting', 'private_address'],
        ['failed', 'private_address'],
      ],
    );
    assert.equal(push.connections, 0);
  });
});
