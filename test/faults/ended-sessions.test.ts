import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { createPasswordLink } from '../../src/accounts/password-links.ts';
import { onNodes, type TestDatabase } from '../databases.ts';
import { eventually } from '../eventually.ts';
import { type Person, startService, type TestNode } from '../harness.ts';
import { openProxy } from '../postgres-proxy.ts';
import { startRedis } from '../redis-server.ts';
import { type SocketService, startSockets, type TestSocket } from '../sockets.ts';

onNodes('a session that ends on one node', (database) => {
  /** Alice with a session that ends, which has sockets on all nodes, and another one. */
  async function start(t: TestContext, database: TestDatabase) {
    const service = await startSockets(t, database);
    const alice = await service.join('alice');
    const ending = await service.logIn(alice);
    const sockets = await Promise.all(service.nodes.map((_, node) => service.enter(ending, { node })));
    // Each node remembers both sessions.
    for (const person of [alice, ending])
      for (const node of service.nodes)
        assert.equal((await node.get('/api/sessions', { token: person.token })).status, 200);
    return { service, alice, ending, sockets };
  }

  /** At the moment of the answer, which has just come. */
  async function assertEnded(
    { nodes }: SocketService,
    { id, token }: Person,
    sockets: readonly TestSocket[],
  ): Promise<void> {
    assert.deepEqual(
      nodes.map(({ services }) => services.presence.local.isOnline(id)),
      nodes.map(() => false),
    );
    for (const node of nodes) assert.equal((await node.get('/api/sessions', { token })).status, 401);
    for (const socket of sockets)
      assert.deepEqual(await socket.ended, { code: 4409, reason: 'session_ended' });
  }

  test('by its logout', async (t) => {
    const { service, ending, sockets } = await start(t, database);
    const { status } = (await service.nodes[0]?.post('/api/logout', {}, { token: ending.token })) ?? {};
    assert.equal(status, 200);
    await assertEnded(service, ending, sockets);
  });

  test('from another session', async (t) => {
    const { service, alice, ending, sockets } = await start(t, database);
    const { body } = await service.get('/api/sessions', { token: alice.token });
    const { id } = body.data.find(({ current }: { current: number }) => current === 0);
    const ended = await service.post('/api/sessions/end', { id }, { token: alice.token });
    assert.equal(ended.status, 200);
    await assertEnded(service, ending, sockets);
  });

  test('by a changed password', async (t) => {
    const { service, alice, ending, sockets } = await start(t, database);
    const passwords = { oldPassword: alice.password, newPassword: 'another password' };
    const changed = await service.post('/api/user/change-password', passwords, { token: alice.token });
    assert.equal(changed.status, 200);
    await assertEnded(service, ending, sockets);
    for (const node of service.nodes)
      assert.equal((await node.get('/api/sessions', { token: alice.token })).status, 200);
  });

  test('by a password link', async (t) => {
    const { service, alice, ending, sockets } = await start(t, database);
    const { db } = service.services;
    const link = await db.transaction((tx) => createPasswordLink(tx, alice.id, Date.now()));
    const body = { token: link?.token, newPassword: 'another password' };
    assert.equal((await service.post('/api/password-link', body)).status, 200);
    await assertEnded(service, ending, sockets);
    for (const node of service.nodes)
      assert.equal((await node.get('/api/sessions', { token: alice.token })).status, 401);
  });
});

onNodes('a session that ends while one node has no Redis', (database) => {
  const TIMES = 8;
  const nodeTimes = { appliedMs: 600, unknownMs: 600 };

  /** Each session was used on the node without Redis, which remembers it until another node has answered its end. */
  async function assertEachEnds(ending: TestNode, alone: TestNode, person: Person): Promise<void> {
    const { username, password } = person;
    for (let i = 0; i < TIMES; i++) {
      const { token } = (await ending.post('/api/login', { username, password })).body.data;
      for (let use = 0; use < 2; use++)
        assert.equal((await alone.get('/api/sessions', { token })).status, 200);
      assert.equal((await ending.post('/api/logout', {}, { token })).status, 200);
      assert.equal((await alone.get('/api/sessions', { token })).status, 401, `session ${i}`);
    }
  }

  test('it is refused there at the answer, also when the others have given the node up', async (t) => {
    const redis = await startRedis();
    t.after(() => redis[Symbol.asyncDispose]());
    const proxy = await openProxy(t, redis.url);
    const service = await startSockets(t, database, {
      env: (node) => ({ REDIS_URL: node === 2 ? proxy.url : redis.url }),
      world: { nodeTimes },
    });
    const alice = await service.join('alice');
    const [first, second, third] = service.nodes;
    assert.ok(first && second && third);
    await proxy.cut();
    for (const { services } of [first, second])
      await eventually(() => services.nodes?.membership.peers().length === 1);
    for (const ending of [first, second]) await assertEachEnds(ending, third, alice);
    // The other way: the node without Redis ends it.
    await assertEachEnds(third, first, alice);
  });

  test('it is refused there at the answer by a node that has started without Redis', async (t) => {
    const settings = await database.create(t);
    const same = { ...database, create: async () => settings };
    const world = { nodeTimes };
    const service = await startService(t, same, { count: 2, world });
    const alice = await service.join('alice');
    // A port on which nothing listens.
    const env = { REDIS_URL: 'redis://127.0.0.1:1' };
    const alone = await startService(t, same, { count: 1, env, world });
    for (const ending of service.nodes) await assertEachEnds(ending, alone.nodes[0] ?? assert.fail(), alice);
  });
});
