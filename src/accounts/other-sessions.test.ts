import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decodeJwt } from 'jose';
import { onEachDeployment } from '../../test/databases.ts';
import { startSockets } from '../../test/sockets.ts';
import { endOtherSessions } from './sessions.ts';

const PATH = '/api/sessions/end';

onEachDeployment('the end of all other sessions', (database) => {
  test('closes their sockets on every node and ends their tokens, and the caller’s goes on with one event', async (t) => {
    const service = await startSockets(t, database);
    const [alice, bob] = [await service.join('alice'), await service.join('bob')];
    const others = [await service.logIn(alice), await service.logIn(alice), await service.logIn(alice)];
    const own = [await service.enter(alice, { node: 0 }), await service.enter(alice, { node: 1 })];
    const sockets = await Promise.all(others.map((other, node) => service.enter(other, { node })));
    const bobs = await service.enter(bob, { node: 2 });

    const ended = await service.post(PATH, { others: true }, { token: alice.token });
    assert.equal(ended.status, 200, ended.text);
    for (const { token } of others)
      for (const node of service.nodes)
        assert.equal((await node.get('/api/sessions', { token })).status, 401);
    for (const socket of sockets)
      assert.deepEqual(await socket.ended, { code: 4409, reason: 'session_ended' });
    const ids = others.map(({ token }) => decodeJwt(token).sid).sort();
    for (const socket of own) {
      const { seq, data } = await socket.first(({ event }) => event === 'sessions');
      assert.deepEqual([seq, data.ended.sort()], [1, ids]);
    }
    for (const socket of [...own, bobs]) {
      socket.send({ type: 'ping' });
      assert.deepEqual(await socket.first(({ type }) => type === 'pong'), { type: 'pong' });
    }
    const { data } = (await service.get('/api/sessions', { token: alice.token })).body;
    assert.deepEqual(
      data.map(({ id, current }: { id: string; current: number }) => [id, current]),
      [[decodeJwt(alice.token).sid, 1]],
    );
  });

  test('changes nothing where there are none', async (t) => {
    const service = await startSockets(t, database);
    const alice = await service.join('alice');
    const { db } = service.services;
    assert.equal((await service.post(PATH, { others: true }, { token: alice.token })).status, 200);
    assert.deepEqual(await db.all`select seq from inbox`, []);
    assert.deepEqual(await db.all`select what from account_log`, [{ what: 'signed_up' }]);
  });

  test('of two devices that end each other at once, one stays', async (t) => {
    const service = await startSockets(t, database);
    const alice = await service.join('alice');
    const other = await service.logIn(alice);
    const answers = await Promise.all(
      [alice, other].map(({ token }) => service.post(PATH, { others: true }, { token })),
    );
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 401]);
    const { db, events } = service.services;
    const left = await db.all<{ id: string }>`select id from sessions`;
    assert.equal(left.length, 1);
    // Also the one whose token was checked before it was ended.
    const lost = [alice, other]
      .map(({ token }) => String(decodeJwt(token).sid))
      .find((id) => id !== left[0]?.id);
    const late = endOtherSessions({ db, events }, alice.id, { sessionId: lost ?? '' }, Date.now());
    await assert.rejects(late, { name: 'ServiceError', kind: 'unauthenticated' });
    assert.deepEqual(await db.all`select id from sessions`, left);
  });

  test('takes either an id or others', async (t) => {
    const service = await startSockets(t, database);
    const alice = await service.join('alice');
    const { sid: id } = decodeJwt((await service.logIn(alice)).token);
    const end = async (body: object) => (await service.post(PATH, body, { token: alice.token })).status;
    const bad = [
      {},
      { id, others: true },
      { others: false },
      { others: 1 },
      { others: 'true' },
      { id: '' },
      { id: 1 },
    ];
    for (const body of bad) assert.equal(await end(body), 400, JSON.stringify(body));
    assert.equal((await service.services.db.all`select id from sessions`).length, 2);
    assert.equal(await end({ id, others: false }), 200);
    assert.equal(await end({ id }), 404);
  });
});
