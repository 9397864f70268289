import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { WebSocket } from 'ws';
import { ManualClock } from '../../test/clocks.ts';
import { onSqlite } from '../../test/databases.ts';
import { eventually } from '../../test/eventually.ts';
import {
  countConnections,
  recordOrder,
  type SocketService,
  startSockets,
  TestSocket,
} from '../../test/sockets.ts';
import { type Authentication, openAuthentication } from '../accounts/authentication.ts';
import { buildApp } from '../app.ts';

/** The same service on another port, whose token checks wait, once done, until the test lets them answer. */
async function serveLateChecks(t: TestContext, service: SocketService) {
  const { accounts, clock, db, events } = service.services;
  const checked = Promise.withResolvers<void>();
  const mayAnswer = Promise.withResolvers<void>();
  const own = openAuthentication(db, accounts.tokens, clock.now, () => true);
  const authentication: Authentication = {
    ...own,
    async identify(token) {
      const caller = await own.identify(token);
      checked.resolve();
      await mayAnswer.promise;
      return caller;
    },
  };
  events.subscribe((event) => {
    if (event.type === 'sessions-ended') authentication.invalidate(event.sessionIds);
  });
  const app = await buildApp({ ...service.services, accounts: { ...accounts, authentication } });
  t.after(() => app.close());
  const url = await app.listen({ port: 0, host: '127.0.0.1' });
  const connect = async () => {
    const socket = new TestSocket(new WebSocket(`${url.replace('http', 'ws')}/ws`));
    await new Promise((resolve) => socket.ws.once('open', resolve));
    return socket;
  };
  return { app, connect, checked: checked.promise, answer: mayAnswer.resolve };
}

onSqlite('hello', (database) => {
  test('isOnline is 1 from the answered hello to the close, in the profile and in the list (interface 3.2)', async (t) => {
    const service = await startSockets(t, database);
    const alice = await service.join('alice');
    const bob = await service.join('bob');
    const listed = async () => {
      const { body } = await service.get('/api/users', { token: bob.token });
      return body.data.find((user: { id: string }) => user.id === alice.id).isOnline;
    };
    assert.equal(await service.isOnline(alice), 0);
    assert.equal(await listed(), 0);

    const socket = await service.connect();
    assert.equal(await service.isOnline(alice), 0, 'a connection without hello makes no one online');
    const reply = await socket.ask({ type: 'hello', token: alice.token });
    assert.equal(await service.isOnline(alice), 1);
    assert.equal(await listed(), 1);
    assert.equal(await service.isOnline(bob), 0);
    assert.equal(reply.code, 200);
    assert.deepEqual(Object.keys(reply.data).sort(), [
      'epoch',
      'heartbeat',
      'maxFrame',
      'resumed',
      'seq',
      'session',
      'userId',
    ]);
    assert.equal(reply.data.userId, alice.id);
    assert.equal(reply.data.heartbeat, 25000);
    assert.equal(reply.data.maxFrame, 65536);
    const sessions = await service.get('/api/sessions', { token: alice.token });
    assert.equal(reply.data.session, sessions.body.data[0].id);

    socket.ws.close();
    await socket.ended;
    assert.equal(await service.isOnline(alice), 0);
    assert.equal(await listed(), 0);
  });

  test('with two devices a user stays online until both are gone, also when one is terminated', async (t) => {
    const service = await startSockets(t, database);
    const alice = await service.join('alice');
    const phone = await service.enter(alice);
    const laptop = await service.enter(await service.logIn(alice));
    laptop.ws.terminate();
    await laptop.ended;
    assert.equal(await service.isOnline(alice), 1);
    phone.ws.terminate();
    await eventually(async () => (await service.isOnline(alice)) === 0);
  });

  test('a client that sends a close frame is offline before its connection has ended', async (t) => {
    const service = await startSockets(t, database);
    const alice = await service.join('alice');
    const order = recordOrder(service);
    const socket = await service.enter(alice);
    socket.ws.pause(); // the client never reads the answer to its close
    socket.ws.close();
    await eventually(() => order.includes('offline'));
    assert.equal(await service.isOnline(alice), 0);
    socket.ws.terminate();
    await eventually(() => order.includes('disconnected'));
    assert.deepEqual(order, ['online', 'offline', 'disconnected']);
  });

  test('an invalid token is answered 401, and closed with 4401 (interface 5.5)', async (t) => {
    const clock = new ManualClock();
    const service = await startSockets(t, database, { world: clock.world });
    const alice = await service.join('alice');
    const loggedOut = await service.logIn(alice);
    await service.post('/api/logout', {}, { token: loggedOut.token });
    const expired = alice.token;
    clock.add(8 * 24 * 60 * 60 * 1000);
    await clock.advance(0);
    for (const token of [undefined, '', 'no.such.token', loggedOut.token, expired]) {
      const socket = await service.connect();
      const reply = await socket.ask({ type: 'hello', token });
      assert.deepEqual([reply.code, reply.error, reply.msg], [401, 'unauthenticated', '未登录或登录已过期']);
      assert.deepEqual(await socket.ended, { code: 4401, reason: 'unauthenticated' });
    }
    assert.equal(await service.isOnline(alice), 0);
  });

  test('a second hello is refused, and the connection stays open', async (t) => {
    const service = await startSockets(t, database);
    const alice = await service.join('alice');
    const bob = await service.join('bob');
    const socket = await service.enter(alice);
    const reply = await socket.ask({ type: 'hello', token: bob.token });
    assert.deepEqual([reply.code, reply.error], [400, 'hello_twice']);
    assert.equal(await service.isOnline(bob), 0);
    socket.send({ type: 'ping' });
    assert.deepEqual(await socket.next(), { type: 'pong' });
    assert.equal(await service.isOnline(alice), 1);
  });

  test('of two hellos sent at once, the first opens a session and the second is refused', async (t) => {
    const service = await startSockets(t, database);
    const alice = await service.join('alice');
    const socket = await service.connect();
    socket.send({ type: 'hello', id: '1', token: (await service.logIn(alice)).token });
    socket.send({ type: 'hello', id: '2', token: alice.token });
    socket.send({ type: 'ping' });
    const first = await socket.next();
    const second = await socket.first(({ type }) => type !== 'live');
    assert.deepEqual([first.id, first.code, second.id, second.code], ['1', 200, '2', 400]);
    assert.deepEqual(await socket.first(({ type }) => type !== 'live'), { type: 'pong' });
    socket.ws.close();
    await socket.ended;
    assert.equal(await service.isOnline(alice), 0, 'counted once');
  });

  test('any other first frame is refused: 4408, after a reply to a request', async (t) => {
    const service = await startSockets(t, database);
    const asking = await service.connect();
    const reply = await asking.ask({ type: 'bye' });
    assert.deepEqual([reply.code, reply.error], [401, 'hello_first']);
    assert.deepEqual(await asking.ended, { code: 4408, reason: 'hello_first' });
    const pinging = await service.connect();
    pinging.send({ type: 'ping' });
    assert.deepEqual(await pinging.ended, { code: 4408, reason: 'hello_first' });
    assert.deepEqual(pinging.unread, []);
  });

  test('a client that sends no hello within 10 s is closed with 4408', async (t) => {
    const clock = new ManualClock();
    const service = await startSockets(t, database, { world: clock.world });
    const alice = await service.join('alice');
    const silent = await service.connect();
    await clock.advance(1000);
    const later = await service.connect();
    const prompt = await service.enter(alice);
    await clock.advance(8500);
    await silent.roundTrip();
    await clock.advance(500);
    assert.deepEqual(await silent.ended, { code: 4408, reason: 'no_hello' });
    await later.roundTrip();
    await clock.advance(1000);
    assert.deepEqual(await later.ended, { code: 4408, reason: 'no_hello' });
    await prompt.roundTrip();
  });

  test('a session that ends while its token is checked is refused', async (t) => {
    const service = await startSockets(t, database);
    const alice = await service.join('alice');
    const late = await serveLateChecks(t, service);
    const socket = await late.connect();
    socket.send({ type: 'hello', id: '1', token: alice.token });
    await late.checked;
    assert.equal((await service.post('/api/logout', {}, { token: alice.token })).status, 200);
    late.answer();
    assert.equal((await socket.next()).code, 401);
    assert.equal((await socket.ended).code, 4401);
    assert.equal(await service.isOnline(alice), 0);
  });

  test('a client that disconnects while its token is checked does not stay online', async (t) => {
    const service = await startSockets(t, database);
    const [alice, bob] = [await service.join('alice'), await service.join('bob')];
    for (const end of ['close', 'terminate'] as const) {
      const late = await serveLateChecks(t, service);
      const socket = await late.connect();
      socket.send({ type: 'hello', id: '1', token: alice.token });
      await late.checked;
      socket.ws[end]();
      await socket.ended;
      await eventually(async () => (await countConnections(late)) === 0);
      late.answer();
      // Bob's hello is handled after hers.
      await (await late.connect()).hello({ token: bob.token });
      assert.equal(await service.isOnline(alice), 0, end);
    }
  });

  test('clients that disconnect right after their hello do not stay online', async (t) => {
    const service = await startSockets(t, database);
    const [alice, bob] = [await service.join('alice'), await service.join('bob')];
    for (let round = 0; round < 20; round++) {
      const { token } = await service.logIn(alice);
      const socket = await service.connect();
      socket.send({ type: 'hello', id: '1', token });
      if (round % 2) socket.ws.close();
      else socket.ws.terminate();
      await socket.ended;
    }
    await eventually(async () => (await countConnections(service)) === 0);
    await service.enter(bob);
    assert.equal(await service.isOnline(alice), 0);
  });
});
