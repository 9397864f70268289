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
      nodes.map(({ services }) => services.presence.online.here(id).length > 0),
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
  const nodeTimes = { readMs: 600, unknownMs: 600 };

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

onNodes('a session that ends while one node does not reach PostgreSQL', (database) => {
  test('that node neither accepts it at the answer nor writes to its sockets', async (t) => {
    const settings = await database.create(t);
    assert.ok('databaseUrl' in settings);
    // PostgreSQL is back before the service ends, and the proxy ends after it.
    const ends: (() => Promise<void>)[] = [];
    const proxy = await openProxy({ after: (end) => ends.push(end) }, settings.databaseUrl);
    let isCut = false;
    t.after(() => isCut && proxy.restore());
    const service = await startSockets(
      t,
      { ...database, create: async () => settings },
      {
        env: (node) => ({ DATABASE_URL: node === 2 ? proxy.url : settings.databaseUrl }),
        world: { nodeTimes: { readMs: 600, unknownMs: 600 } },
      },
    );
    for (const end of ends) t.after(end);
    const [first, , cut] = service.nodes;
    assert.ok(first && cut);
    const [alice, bob] = [await service.join('alice'), await service.join('bob')];
    const ending = await service.logIn(alice);
    const socket = await service.enter(ending, { node: 2 });
    const bobs = await service.enter(bob, { node: 0 });
    await service.settled();
    // What the node remembers answers this call without the database.
    const call = async () => (await cut.get('/api/user/blocked', { token: ending.token })).status;
    assert.deepEqual([await call(), await call()], [200, 200]);
    await proxy.cut();
    isCut = true;
    assert.equal(await call(), 200);
    assert.equal((await first.post('/api/logout', {}, { token: ending.token })).status, 200);
    bobs.send({ type: 'typing', to: alice.id });
    await bobs.roundTrip();
    assert.equal(await call(), 500);
    await proxy.restore();
    isCut = false;
    assert.deepEqual(await socket.ended, { code: 4409, reason: 'session_ended' });
    assert.deepEqual(
      socket.unread.filter(({ type }) => type === 'typing'),
      [],
    );
  });
});
