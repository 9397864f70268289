import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { onNodes, type TestDatabase } from '../databases.ts';
import { eventually } from '../eventually.ts';
import { openProxy } from '../postgres-proxy.ts';
import { startSockets } from '../sockets.ts';

/** Longer than what a lost hint delays, and shorter than the time between two full sweeps. */
const LATE_MS = 20_000;

onNodes('when the connection is cut at COMMIT, on one of three nodes', (database) => {
  async function start(t: TestContext, database: TestDatabase) {
    const settings = await database.create(t);
    assert.ok('databaseUrl' in settings);
    // The proxy ends after the service.
    const ends: (() => Promise<void>)[] = [];
    const proxy = await openProxy({ after: (end) => ends.push(end) }, settings.databaseUrl);
    const service = await startSockets(
      t,
      { ...database, create: async () => settings },
      { env: (node) => ({ DATABASE_URL: node === 0 ? proxy.url : settings.databaseUrl }) },
    );
    for (const end of ends) t.after(end);
    const [cutNode] = service.nodes;
    assert.ok(cutNode);
    const [alice, bob] = [await service.join('alice'), await service.join('bob')];
    const [alices, bobs] = await Promise.all(
      [alice, bob].map((person) => Promise.all([0, 1, 2].map((node) => service.enter(person, { node })))),
    );
    assert.ok(alices && bobs);
    await service.settled();
    /** The call is committed, and its answer is lost. */
    const callAndCut = async (path: string, body: object, token: string) => {
      proxy.intercept((bytes, to) => (to === 'client' && bytes.includes('COMMIT') ? 'cut' : bytes));
      const { status } = await cutNode.post(path, body, { token });
      proxy.intercept((bytes) => bytes);
      assert.equal(status, 500);
    };
    return { service, alice, bob, alices, bobs, callAndCut };
  }

  test('a message reaches all devices once, and is the same when it is sent again to another node', async (t) => {
    const { service, alice, bob, alices, bobs, callAndCut } = await start(t, database);
    const message = { to: alice.id, cid: 'c', body: 'hi' };
    await callAndCut('/api/messages', message, bob.token);
    await eventually(
      () => [...alices, ...bobs].every(({ unread }) => unread.some(({ event }) => event === 'message')),
      LATE_MS,
    );
    for (const node of service.nodes) {
      const { body } = await node.post('/api/messages', message, { token: bob.token });
      assert.deepEqual([body.code, body.data.n, body.data.duplicate], [200, 1, true]);
    }
    await service.settled();
    for (const socket of [...alices, ...bobs]) {
      await socket.ask({ type: 'sync' });
      assert.deepEqual(
        socket.unread.filter(({ type }) => type === 'event').map(({ seq, data }) => [seq, data.cid]),
        [[1, 'c']],
      );
    }
  });

  test('a block holds on every node', async (t) => {
    const { service, alice, bob, alices, bobs, callAndCut } = await start(t, database);
    for (const socket of alices) await socket.ask({ type: 'watch', userIds: [bob.id] });
    await callAndCut('/api/user/block', { blockedId: bob.id }, alice.token);
    for (const node of service.nodes) {
      const message = { to: alice.id, cid: crypto.randomUUID(), body: 'x' };
      assert.equal((await node.post('/api/messages', message, { token: bob.token })).status, 403);
    }
    const never = [{ id: bob.id, online: 0, idle: 0, lastSeen: 0 }];
    for (const socket of alices) {
      await eventually(() => socket.unread.some(({ event }) => event === 'block'), LATE_MS);
      const typings = socket.unread.filter(({ type }) => type === 'typing').length;
      for (const other of bobs) await other.ask({ type: 'typing', to: alice.id });
      await service.settled();
      assert.deepEqual((await socket.ask({ type: 'watch', userIds: [bob.id] })).data, never);
      assert.equal(socket.unread.filter(({ type }) => type === 'typing').length, typings);
    }
  });

  test('a logout ends the session on every node', async (t) => {
    const { service, alice, alices, callAndCut } = await start(t, database);
    await callAndCut('/api/logout', {}, alice.token);
    for (const socket of alices) assert.equal((await socket.ended).code, 4409);
    for (const node of service.nodes)
      assert.equal((await node.get('/api/sessions', { token: alice.token })).status, 401);
  });
});
