import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { Clock } from '../../test/clocks.ts';
import { onNodes, onPostgres, type TestDatabase } from '../../test/databases.ts';
import { eventually } from '../../test/eventually.ts';
import { startService } from '../../test/harness.ts';
import { openProxy } from '../../test/postgres-proxy.ts';
import { startRedis } from '../../test/redis-server.ts';
import { type SocketService, startSockets, type TestSocket } from '../../test/sockets.ts';
import type { World } from '../services.ts';

const HOUR_MS = 3_600_000;

/**
 * Three nodes that know each other. Sweeps do nothing in a test: what arrives was hinted at, or read because of a message. No node
 * is taken for lost, since an answer does not wait for one that is.
 */
async function startNodes(t: TestContext, database: TestDatabase, world: World = {}): Promise<SocketService> {
  const nodeTimes = {
    sweepMs: HOUR_MS,
    rareSweepMs: HOUR_MS,
    leaseMs: HOUR_MS,
    readMs: 60_000,
    unknownMs: 1,
  };
  const service = await startSockets(t, database, { world: { ...world, nodeTimes } });
  for (const { services } of service.nodes)
    await eventually(() => services.nodes?.membership.peers().length === service.nodes.length - 1);
  return service;
}

onNodes('hints between nodes', (database) => {
  test('what one node has answered, each other one answers too: registrations, profiles, ended sessions', async (t) => {
    const service = await startNodes(t, database);
    const [first, ...others] = service.nodes;
    assert(first && others.length === 2);
    const alice = await service.join('alice');
    const call = { token: alice.token };
    for (const node of others) {
      const { body } = await node.get('/api/users', call);
      assert.deepEqual(
        body.data.map(({ username }: { username: string }) => username),
        ['alice'],
      );
    }
    for (let i = 0; i < 5; i++) {
      const bio = `bio ${i}`;
      assert.equal((await first.post('/api/user/profile', { bio }, call)).status, 200);
      for (const node of others)
        assert.equal((await node.get(`/api/user/profile/${alice.id}`)).body.data.bio, bio);
    }
    assert.equal((await first.post('/api/logout', {}, call)).status, 200);
    for (const node of others) assert.equal((await node.get('/api/users', call)).status, 401);
  });

  test('an answer waits for a node that has stood still meanwhile, until it has read what changed', async (t) => {
    const clock = new Clock();
    const service = await startNodes(t, database, clock.world);
    const [first, second] = service.nodes;
    assert(first && second);
    const alice = await service.join('alice');
    const { changes } = second.services.events;
    const { promise: mayRead, resolve: letRead } = Promise.withResolvers<void>();
    const { readRows } = changes;
    let isAsked = false;
    changes.readRows = async (ids) => {
      isAsked = true;
      await mayRead;
      return readRows.call(changes, ids);
    };
    let isAnswered = false;
    const answer = first.post('/api/user/profile', { bio: 'new' }, { token: alice.token }).then(() => {
      isAnswered = true;
    });
    await eventually(() => isAsked);
    clock.add(3_000);
    await eventually(() => service.nodes.every(({ services }) => services.events.changes.hasReadLately));
    await service.settled();
    assert.equal(isAnswered, false);
    letRead();
    await answer;
  });

  test('messages and typing reach the devices on other nodes by hints alone', async (t) => {
    const service = await startNodes(t, database);
    const [alice, bob] = [await service.join('alice'), await service.join('bob')];
    const devices = [await service.enter(alice, { node: 0 }), await service.enter(alice, { node: 1 })];
    const sender = await service.enter(bob, { node: 2 });
    const online = service.nodes[2]?.services.presence.online;
    await eventually(() => online?.elsewhere(alice.id).length === 2);
    sender.send({ type: 'typing', to: alice.id });
    for (let n = 1; n <= 20; n++) {
      const { code } = await sender.ask({ type: 'send', to: alice.id, cid: String(n), body: String(n) });
      assert.equal(code, 200);
    }
    const framesOf = ({ unread }: TestSocket) => unread.filter(({ type }) => /event|typing/.test(type));
    await eventually(() => devices.every((device) => framesOf(device).length === 21));
    for (const device of devices) {
      const events = framesOf(device).filter(({ type }) => type === 'event');
      assert.deepEqual(
        events.map(({ event, seq, data }) => [event, seq, data.body]),
        Array.from({ length: 20 }, (_, i) => ['message', i + 1, String(i + 1)]),
      );
    }
  });

  test('a block that was answered is written to the blocker’s devices on other nodes', async (t) => {
    const service = await startNodes(t, database);
    const [alice, bob] = [await service.join('alice'), await service.join('bob')];
    const devices = [await service.enter(alice, { node: 1 }), await service.enter(alice, { node: 2 })];
    const answered: string[] = [];
    for (const path of ['block', 'unblock', 'block']) {
      const body = { blockedId: bob.id };
      assert.equal((await service.post(`/api/user/${path}`, body, { token: alice.token })).status, 200);
      answered.push(path);
      for (const device of devices) {
        await device.roundTrip();
        assert.deepEqual(
          device.unread.map(({ event }) => event),
          answered,
        );
      }
    }
  });
});

onNodes('a node that lost its link', (database) => {
  test('stores messages that reach the devices on other nodes in seconds, not at the sweep of a minute', async (t) => {
    const redis = await startRedis();
    t.after(() => redis[Symbol.asyncDispose]());
    const proxy = await openProxy(t, redis.url);
    const nodeTimes = { sweepMs: 250, rareSweepMs: HOUR_MS, leaseMs: HOUR_MS, unknownMs: 1 };
    const service = await startSockets(t, database, {
      env: (node) => ({ REDIS_URL: node === 2 ? proxy.url : redis.url }),
      world: { nodeTimes },
    });
    const [alice, bob] = [await service.join('alice'), await service.join('bob')];
    const device = await service.enter(alice, { node: 0 });
    const sender = await service.enter(bob, { node: 2 });
    await proxy.cut();
    await eventually(() => service.nodes[2]?.services.nodes?.membership.isLinked === false);
    // More than find a sweep that a node's start hurried.
    for (let n = 1; n <= 12; n++) {
      await sender.ask({ type: 'send', to: alice.id, cid: String(n), body: String(n) });
      const { data } = await device.first(({ event }) => event === 'message');
      assert.equal(data.body, String(n));
    }
  });
});

onPostgres('a node without Redis', (database) => {
  test('starts, serves and is ready; the log says so once, without the password', async (t) => {
    // A port on which nothing listens.
    const env = { REDIS_URL: 'redis://:s3cret@127.0.0.1:1' };
    const service = await startService(t, database, {
      env,
      world: { nodeTimes: { retryMs: 1, unknownMs: 1 } },
    });
    const alice = await service.join('alice');
    assert.equal((await service.get('/api/users', { token: alice.token })).status, 200);
    assert.equal((await service.get('/readyz')).status, 200);
    assert.equal(service.services.nodes?.membership.isLinked, false);
    assert.equal(service.logLines.filter((line) => line.includes('Redis is not reachable')).length, 1);
    assert.deepEqual(
      service.logLines.filter((line) => line.includes('s3cret')),
      [],
    );
  });
});
