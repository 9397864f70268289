import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEachDatabase } from '../../../test/databases.ts';
import { startService, type TestService } from '../../../test/harness.ts';
import { startPushService } from '../../../test/push-service.ts';
import { saveSubscription } from '../subscriptions/subscriptions.ts';

const PUBLIC = { PUBLIC_URL: 'https://chat.example.com' };
const KEYS = {
  p256dh: Buffer.alloc(65, 4).toString('base64url'),
  auth: Buffer.alloc(16).toString('base64url'),
};

onEachDatabase('the ports of push services', (database) => {
  const subscribe = async (service: TestService, userId: string, endpoint: string) => {
    const body = { userId, subscription: { endpoint, keys: KEYS } };
    const { status, body: answer } = await service.post('/api/push/subscribe', body);
    return status === 200 ? 200 : `${status} ${answer.error}`;
  };

  test('in public an endpoint is on port 443', async (t) => {
    const service = await startService(t, database, { env: PUBLIC });
    const { id } = await service.join('alice');
    for (const endpoint of ['https://push.example/a', 'https://push.example:443/a', 'https://8.8.8.8/a'])
      assert.equal(await subscribe(service, id, endpoint), 200, endpoint);
    for (const port of ['22', '80', '444', '8443', '65535'])
      assert.equal(await subscribe(service, id, `https://push.example:${port}/a`), '400 endpoint_port', port);
    assert.equal(await subscribe(service, id, 'https://127.0.0.1:22/a'), '400 endpoint_private');
  });

  test('PUSH_PORTS allows other ports', async (t) => {
    const service = await startService(t, database, { env: { ...PUBLIC, PUSH_PORTS: '443, 8443' } });
    const { id } = await service.join('alice');
    assert.equal(await subscribe(service, id, 'https://push.example:8443/a'), 200);
    assert.equal(await subscribe(service, id, 'https://push.example/a'), 200);
    assert.equal(await subscribe(service, id, 'https://push.example:8444/a'), '400 endpoint_port');
  });

  test('PUSH_ALLOW_PRIVATE=1 allows every port', async (t) => {
    const service = await startService(t, database, { env: { ...PUBLIC, PUSH_ALLOW_PRIVATE: '1' } });
    const { id } = await service.join('alice');
    assert.equal(await subscribe(service, id, 'https://push.example:8443/a'), 200);
  });

  test('a stored device on a port that is not allowed is kept, gets no push, and the log has the reason', async (t) => {
    await using push = await startPushService();
    const resolve = async () => [{ address: '8.8.8.8', family: 4 }];
    const service = await startService(t, database, { env: PUBLIC, world: { resolve } });
    const [alice, bob] = [await service.join('alice'), await service.join('bob')];
    const {
      db,
      push: { vapidKeys },
    } = service.services;
    const { keys } = push.subscribe();
    await saveSubscription(db, {
      userId: bob.id,
      subscription: { endpoint: 'https://push.example:8443/a', keys },
      sessionId: null,
      vapidPublic: vapidKeys.publicKey,
      device: 'Firefox',
      language: 'en',
      now: Date.now(),
    });
    const message = { to: bob.id, cid: crypto.randomUUID(), body: 'hello' };
    await service.post('/api/messages', message, { token: alice.token });
    await service.pushes.runDue();
    await service.get(`/api/push/test-send?userId=${bob.id}`, { token: bob.token });
    const log = (await service.get('/api/push/log', { token: bob.token })).body.data;
    assert.deepEqual(
      log.map((entry: Record<string, unknown>) => [entry.kind, entry.outcome, entry.status, entry.detail]),
      [
        ['test', 'failed', null, 'port'],
        ['message', 'failed', null, 'port'],
      ],
    );
    assert.deepEqual(await db.all`select * from push_jobs`, []);
    const [row] = await db.all<{ refusals: number }>`select refusals from push_subscriptions`;
    assert.equal(row?.refusals, 0);
  });
});
