import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { createPasswordLink } from '../../src/accounts/password-links.ts';
import { type SocketService, startSockets, type TestSocket } from '../../src/sockets/test-client.ts';
import { onNodes, type TestDatabase } from '../databases.ts';
import type { Person } from '../harness.ts';

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
