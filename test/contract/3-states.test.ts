import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEachDeployment } from '../databases.ts';
import { eventually } from '../eventually.ts';
import { startService } from '../harness.ts';
import { startPushService } from '../push-service.ts';
import { startSockets } from '../sockets.ts';

onEachDeployment('3 States and transitions', (database) => {
  test('3.1 Block: not blocked -> blocked -> not blocked, for the caller alone', async (t) => {
    const service = await startService(t, database);
    const alice = await service.join('alice');
    const bob = await service.join('bob');
    const act = (name: 'block' | 'unblock') =>
      service.post(`/api/user/${name}`, { blockedId: bob.id }, { token: alice.token });
    const blockedBy = async ({ token }: { token: string }) =>
      (await service.get('/api/user/blocked', { token })).body.data.map((entry: { id: string }) => entry.id);

    assert.deepEqual(await blockedBy(alice), []);
    assert.equal((await act('block')).body.code, 200);
    assert.deepEqual(await blockedBy(alice), [bob.id]);
    assert.deepEqual(await blockedBy(bob), []);
    assert.equal((await act('block')).body.code, 200);
    assert.deepEqual(await blockedBy(alice), [bob.id]);
    assert.equal((await act('unblock')).body.code, 200);
    assert.deepEqual(await blockedBy(alice), []);
    assert.equal((await act('unblock')).body.code, 200);
    assert.equal((await act('block')).body.code, 200);
    assert.deepEqual(await blockedBy(alice), [bob.id]);
  });

  test('3.1 Block: two users may block each other, and each lifts only their own', async (t) => {
    const service = await startService(t, database);
    const alice = await service.join('alice');
    const bob = await service.join('bob');
    await service.post('/api/user/block', { blockedId: bob.id }, { token: alice.token });
    await service.post('/api/user/block', { blockedId: alice.id }, { token: bob.token });
    await service.post('/api/user/unblock', { blockedId: bob.id }, { token: alice.token });
    assert.deepEqual((await service.get('/api/user/blocked', { token: alice.token })).body.data, []);
    const [entry] = (await service.get('/api/user/blocked', { token: bob.token })).body.data;
    assert.equal(entry.id, alice.id);
  });

  test('3.1 Block: a user cannot block themselves', async (t) => {
    const service = await startService(t, database);
    const { id, token } = await service.join('alice');
    const { status, body } = await service.post('/api/user/block', { blockedId: id }, { token });
    assert.deepEqual([status, body.code], [400, 400]);
    assert.deepEqual((await service.get('/api/user/blocked', { token })).body.data, []);
  });

  test('3.1 Block: the target can no longer send chat messages or friend requests, until it is lifted', async (t) => {
    const service = await startSockets(t, database);
    const [alice, bob] = [await service.join('alice'), await service.join('bob')];
    const socket = await service.enter(bob);
    const tries = async () => {
      const cid = () => crypto.randomUUID();
      const message = { to: alice.id, body: 'hi' };
      const call = { token: bob.token };
      return [
        (await service.post('/api/messages', { ...message, cid: cid() }, call)).body.code,
        (await socket.ask({ type: 'send', ...message, cid: cid() })).code,
        (await service.post('/api/friends/request', { userId: alice.id }, call)).body.code,
        (await service.post('/api/friends/cancel', { userId: alice.id }, call)).body.code,
        (await socket.ask({ type: 'friend', op: 'request', userId: alice.id })).code,
      ];
    };
    const act = (name: string) =>
      service.post(`/api/user/${name}`, { blockedId: bob.id }, { token: alice.token });
    const received = async () => {
      const { body } = await service.get(`/api/messages?peer=${bob.id}`, { token: alice.token });
      return body.data.items.length;
    };
    await act('block');
    const refused = await tries();
    assert.deepEqual([refused[0], refused[1], refused[2], refused[4]], [403, 403, 403, 403]);
    assert.equal(await received(), 0);
    assert.deepEqual((await service.get('/api/friends', { token: alice.token })).body.data, []);
    await act('unblock');
    assert.deepEqual(await tries(), [200, 200, 200, 200, 200]);
    assert.equal(await received(), 2);
  });

  test('3.2 Presence: derived from whether an active WebSocket connection exists', async (t) => {
    const service = await startSockets(t, database);
    const alice = await service.join('alice');
    const socket = await service.connect();
    assert.equal(await service.isOnline(alice), 0, 'a connection without hello makes no user online');
    await socket.hello({ token: alice.token });
    await service.settled();
    assert.equal(await service.isOnline(alice), 1);
    await service.post('/api/user/profile', { bio: 'b' }, alice);
    assert.equal(await service.isOnline(alice), 1);
    // Without a close frame, as when the network fails.
    socket.ws.terminate();
    await eventually(async () => (await service.isOnline(alice)) === 0);
    const again = await service.enter(alice);
    await service.settled();
    assert.equal(await service.isOnline(alice), 1);
    await service.post('/api/logout', {}, { token: alice.token });
    await again.ended;
    await service.settled();
    assert.equal(await service.isOnline(alice), 0);
  });

  test('3.2 Push subscription: a user with none stored gets a 404 from the test send, one with a subscription does not', async (t) => {
    await using push = await startPushService();
    const service = await startService(t, database);
    const { id: userId, token } = await service.join('alice');
    const send = async () => (await service.get(`/api/push/test-send?userId=${userId}`, { token })).body.code;
    assert.equal(await send(), 404);
    await service.post('/api/push/subscribe', { userId, subscription: push.subscribe() });
    assert.equal(await send(), 200);
  });

  test('3.2 push_enabled and dnd_enabled are switched by POST /api/user/settings, each by itself', async (t) => {
    const service = await startService(t, database);
    const { token } = await service.join('alice');
    const steps = [
      [{}, [1, 0]],
      [{ pushEnabled: false }, [0, 0]],
      [{ dndEnabled: true }, [0, 1]],
      [{ pushEnabled: true }, [1, 1]],
      [{ pushEnabled: false, dndEnabled: false }, [0, 0]],
      [{}, [0, 0]],
    ] as const;
    for (const [sent, expected] of steps) {
      const { data } = (await service.post('/api/user/settings', sent, { token })).body;
      assert.deepEqual([data.push_enabled, data.dnd_enabled], expected);
    }
  });
});
