import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEachDeployment } from '../databases.ts';
import { eventually } from '../eventually.ts';
import { startService } from '../harness.ts';
import { startPushService } from '../push-service.ts';
import { startPushing } from '../pushing.ts';
import { startSockets } from '../sockets.ts';

onEachDeployment('6 Events', (database) => {
  test('6 The HTTP interface makes no calls: avatars are not fetched, subscriptions only pushed to', async (t) => {
    await using push = await startPushService();
    const service = await startService(t, database);
    const alice = await service.join('alice');
    const bob = await service.join('bob');
    const call = { token: alice.token };
    const avatar = `${push.origin}/picture.png`;
    await service.post('/api/register', { username: 'carol', password: 'secret1', avatar });
    await service.post('/api/user/profile', { avatar }, call);
    await service.post('/api/push/subscribe', { userId: alice.id, subscription: push.subscribe() }, call);
    await service.post('/api/push/subscribe', { userId: bob.id, subscription: push.subscribe() });
    await service.get('/api/users', call);
    await service.get(`/api/user/profile/${alice.id}`);
    await service.post('/api/user/block', { blockedId: bob.id }, call);
    await service.get('/api/user/blocked', call);
    await service.post('/api/user/unblock', { blockedId: bob.id }, call);
    assert.equal(push.connections, 0);
    await service.get(`/api/push/test-send?userId=${alice.id}`, call);
    assert.equal(push.requests, 1);
  });

  test('6 Push: a message for a user who is offline is pushed to the stored subscription', async (t) => {
    await using push = await startPushService();
    const service = await startService(t, database);
    const [alice, bob] = [await service.join('alice'), await service.join('bob')];
    const { publicKey } = (await service.get('/api/push/public-key')).body;
    const carol = await service.join('carol');
    const subscriptions = [push.subscribe(publicKey), push.subscribe(publicKey)];
    // Without a token, as the interface says (4.14), and with one.
    await service.post('/api/push/subscribe', { userId: alice.id, subscription: subscriptions[0] });
    await service.post('/api/push/subscribe', { userId: carol.id, subscription: subscriptions[1] }, carol);
    for (const { id } of [alice, carol]) {
      const message = { to: id, cid: crypto.randomUUID(), body: 'hello' };
      assert.equal((await service.post('/api/messages', message, { token: bob.token })).status, 200);
    }
    for (const { endpoint } of subscriptions) {
      const { text } = await push.next(endpoint, 5000);
      const { title, navigate } = JSON.parse(text ?? '').notification;
      assert.ok(title !== '' && navigate.startsWith(service.services.config.publicUrl));
    }
  });

  test('6 Push: none while push_enabled is off or dnd_enabled is on, and messages are still received', async (t) => {
    const pushing = await startPushing(t, database);
    const { service, pushService, alice, bob } = pushing;
    const { endpoint } = await pushing.subscribe(alice);
    const set = (settings: object) => service.post('/api/user/settings', settings, { token: alice.token });
    const steps = [
      [{ pushEnabled: false, dndEnabled: false }, 0],
      [{ pushEnabled: true, dndEnabled: true }, 0],
      [{ pushEnabled: false, dndEnabled: true }, 0],
      [{ pushEnabled: true, dndEnabled: false }, 1],
    ] as const;
    for (const [i, [settings, pushes]] of steps.entries()) {
      await set(settings);
      await pushing.writeAndPush(bob, alice, `message ${i}`);
      await pushing.pass(10_000);
      assert.equal(pushService.attempts(endpoint).length, pushes, JSON.stringify(settings));
    }
    const { body } = await service.get(`/api/messages?peer=${bob.id}`, { token: alice.token });
    assert.equal(body.data.items.length, 4);
  });

  test('6 Push: none to a user who is online and has seen the message', async (t) => {
    const service = await startSockets(t, database);
    await using push = await startPushService();
    const [alice, bob] = [await service.join('alice'), await service.join('bob')];
    await service.post('/api/push/subscribe', { userId: alice.id, subscription: push.subscribe() }, alice);
    const socket = await service.enter(alice);
    const message = { to: alice.id, cid: crypto.randomUUID(), body: 'hello' };
    await service.post('/api/messages', message, { token: bob.token });
    const { seq } = await socket.first((frame) => frame.type === 'event' && frame.event === 'message');
    socket.send({ type: 'ack', seq });
    const due = () => service.services.db.all`select user_id from push_pending where count > 0`;
    await eventually(async () => (await due()).length === 0);
    await service.pushes.runDue();
    assert.equal(push.requests, 0);
  });

  test('6 Presence is based on active WebSocket connections', async (t) => {
    const service = await startSockets(t, database);
    const alice = await service.join('alice');
    await service.get('/api/users', { token: alice.token });
    assert.equal(await service.isOnline(alice), 0, 'calls over HTTP make no user online');
    const socket = await service.enter(alice);
    await service.settled();
    assert.equal(await service.isOnline(alice), 1);
    socket.ws.close();
    await socket.ended;
    await service.settled();
    assert.equal(await service.isOnline(alice), 0);
  });
});
