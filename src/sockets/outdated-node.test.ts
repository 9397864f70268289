import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEachDatabase } from '../../test/databases.ts';
import { eventually } from '../../test/eventually.ts';
import type { Person } from '../../test/harness.ts';
import { connectionOf, type SocketService, serveFrames, startSockets } from '../../test/sockets.ts';
import { endSession } from '../accounts/sessions.ts';
import { Events } from '../events/hints.ts';
import { updateProfile } from '../profiles/profiles.ts';
import { blockUser } from '../relations/block-user.ts';
import type { SocketSession } from './socket-session.ts';

/**
 * Makes the node unable to read what other nodes changed, until the returned function is called.
 *
 * @param ageMs how old its last read is: at 3.2 s it is cut off
 */
function cutOff({ services }: SocketService, ageMs = 3_000): () => void {
  const { events } = services;
  const { changes } = events;
  const read = changes.read.bind(changes);
  let canRead = false;
  changes.read = async () => {
    if (!canRead) throw new Error('no database today');
    await read();
  };
  events.setCurrentWhile(() => canRead);
  Object.defineProperties(changes, { hasReadLately: { get: () => canRead }, ageMs: { value: ageMs } });
  return () => {
    canRead = true;
  };
}

onEachDatabase('a node that cannot read what other nodes changed', (database) => {
  test('believes nothing it remembers, and writes no data to a socket until it has read', async (t) => {
    const service = await startSockets(t, database);
    const { clock, db } = service.services;
    const [alice, bob] = [await service.join('alice'), await service.join('bob')];
    const phone = await service.logIn(alice);
    const [laptops, phones] = [await service.enter(alice), await service.enter(phone)];
    const bobs = await service.enter(bob);
    const get = async (path: string, { token }: Pick<Person, 'token'> = alice) =>
      service.get(path, { token });
    const profile = async () => (await get(`/api/user/profile/${bob.id}`)).body.data.bio;
    const listed = async () => (await get('/api/users')).body.data.map(({ bio }: { bio: string }) => bio);
    const blocked = async () => (await get('/api/user/blocked')).body.data.length;
    assert.deepEqual([await profile(), await listed(), await blocked()], ['', ['', ''], 0]);

    const canRead = cutOff(service);
    // Another node: none of its hints arrives here.
    const other = { db, events: new Events() };
    const { data } = (await get('/api/sessions', phone)).body;
    const { id: sessionId } = data.find(({ current }: { current: number }) => current === 1);
    await endSession(other, alice.id, sessionId, clock.now());
    await updateProfile(other, bob.id, { bio: 'elsewhere' }, clock.now());
    await blockUser(other, alice.id, bob.id, clock.now());

    assert.equal((await get('/api/users', phone)).status, 401);
    assert.deepEqual([await profile(), await listed(), await blocked()], ['elsewhere', ['', 'elsewhere'], 1]);
    const sent = { to: alice.id, cid: 'c1', body: 'hi' };
    assert.equal((await service.post('/api/messages', sent, { token: bob.token })).status, 403);
    await service.post('/api/user/unblock', { blockedId: bob.id }, { token: alice.token });
    assert.equal((await service.post('/api/messages', sent, { token: bob.token })).status, 200);
    const answered = bobs.roundTrip();
    assert.deepEqual([laptops.unread, phones.unread], [[], []]);

    canRead();
    await answered;
    assert.deepEqual(await phones.ended, { code: 4409, reason: 'session_ended' });
    assert.deepEqual(
      phones.unread.filter(({ event }) => event === 'message'),
      [],
    );
    await laptops.first(({ event }) => event === 'message');
    assert.ok(
      service.logLines.some((line) => line.includes('what other processes changed could not be read')),
    );
  });

  test('sends no reply and handles no frame before it has read', async (t) => {
    const service = await startSockets(t, database);
    const alice = await service.join('alice');
    const gate = Promise.withResolvers<object>();
    const begun = new Map<string, SocketSession>();
    const { enter } = await serveFrames(t, service, {
      async typing(from, { to }) {
        begun.set(to, from);
        return gate.promise;
      },
      sync: (from) => void begun.set('sync', from),
    });
    const [asking, later] = [await enter(alice), await enter(alice)];
    await later.ask({ type: 'sync' });
    asking.send({ type: 'typing', id: '1', to: '1' });
    await eventually(() => begun.has('1'));
    const canRead = cutOff(service, 0);
    gate.resolve({ secret: 'read before' });
    later.send({ type: 'typing', id: '2', to: '2' });
    await eventually(() => connectionOf(begun.get('sync') ?? assert.fail()).isPaused);
    await asking.roundTrip();
    assert.deepEqual([asking.unread, begun.has('2')], [[], false]);
    canRead();
    assert.deepEqual([(await asking.next()).code, (await later.next()).code], [200, 200]);
  });

  test('answers what it would have to look up with 500, also the requests in flight, and the rest as ever', async (t) => {
    const service = await startSockets(t, database);
    const alice = await service.join('alice');
    const gate = Promise.withResolvers<object>();
    const begun: string[] = [];
    const { enter } = await serveFrames(t, service, {
      async typing(_from, { to }) {
        begun.push(to);
        return gate.promise;
      },
    });
    const [socket, bystander] = [await enter(alice), await service.enter(alice)];
    for (const n of ['1', '2']) socket.send({ type: 'typing', id: n, to: n });
    await eventually(() => begun.length === 1);
    const canRead = cutOff(service);
    socket.send({ type: 'ping' });
    assert.deepEqual(
      [await socket.next(), await socket.next(), await socket.next()].map(({ id, type, error }) => [
        id ?? type,
        error,
      ]),
      [
        ['1', 'internal'],
        ['2', 'internal'],
        ['pong', undefined],
      ],
    );
    gate.resolve({ secret: 'read before' });
    const late = await service.connect();
    const { code, error } = await late.ask({ type: 'hello', token: alice.token });
    assert.deepEqual([code, error, await late.ended], [500, 'internal', { code: 1011, reason: 'internal' }]);
    socket.send({ type: 'bye', id: '3' });
    assert.deepEqual(await socket.next(), { type: 'reply', id: '3', code: 200 });
    assert.equal((await socket.ended).code, 1000);
    canRead();
    await eventually(async () => (await bystander.ask({ type: 'conversations' })).code === 200);
    assert.deepEqual([begun, socket.unread], [['1'], []]);
  });

  test('that may not use what it remembers, as a node without Redis, admits sockets by what the database says', async (t) => {
    const service = await startSockets(t, database);
    const alice = await service.join('alice');
    const { clock, db, events } = service.services;
    events.setCurrentWhile(() => false);
    const socket = await service.enter(alice);
    const { body } = await service.get('/api/sessions', { token: alice.token });
    await endSession({ db, events: new Events() }, alice.id, body.data[0].id, clock.now());
    const late = await service.connect();
    assert.equal((await late.ask({ type: 'hello', token: alice.token })).code, 401);
    assert.equal((await socket.ended).code, 4409);
  });
});
