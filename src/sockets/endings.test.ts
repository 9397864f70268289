import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { WebSocket } from 'ws';
import { ManualClock } from '../../test/clocks.ts';
import { onEachDatabase, onSqlite } from '../../test/databases.ts';
import { eventually } from '../../test/eventually.ts';
import { PRESENT } from '../../test/present.ts';
import { settingsOf } from '../../test/processes.ts';
import { recordOrder, startSockets, TestSocket } from '../../test/sockets.ts';
import { suspendUser } from '../accounts/account-status.ts';
import { recordExternalChange } from '../events/changes.ts';
import { deleteUser } from '../leaving/remove-user.ts';

onSqlite('the end of a connection', (database) => {
  test('a changed password closes the sockets of other sessions with 4409 before it is answered, and keeps the caller’s own', async (t) => {
    const service = await startSockets(t, database);
    const alice = await service.join('alice');
    const own = await service.connect();
    await own.hello({ token: alice.token, visible: false });
    const other = await service.enter(await service.logIn(alice));
    const sameOther = await service.enter(await service.logIn(alice));
    const body = { oldPassword: alice.password, newPassword: 'another password' };
    assert.equal(service.services.presence.online.isIdle(alice.id), false);
    assert.equal((await service.post('/api/user/change-password', body, { token: alice.token })).status, 200);
    assert.equal(service.services.presence.online.isIdle(alice.id), true, 'both active devices have left');
    assert.deepEqual(await other.ended, { code: 4409, reason: 'session_ended' });
    assert.equal((await sameOther.ended).code, 4409);
    const { event, data } = await own.next();
    assert.deepEqual([event, data.ended.length], ['sessions', 2]);
    own.send({ type: 'ping' });
    assert.deepEqual(await own.next(), { type: 'pong' });
    assert.equal(await service.isOnline(alice), 1);
  });

  test('logging out closes every socket of that session, and the user is offline at once', async (t) => {
    const service = await startSockets(t, database);
    const alice = await service.join('alice');
    const sockets = [await service.enter(alice), await service.enter(alice)];
    await service.post('/api/logout', {}, { token: alice.token });
    assert.equal(await service.isOnline(alice), 0);
    for (const socket of sockets) assert.equal((await socket.ended).code, 4409);
  });

  test('a session ended from another device closes its socket', async (t) => {
    const service = await startSockets(t, database);
    const alice = await service.join('alice');
    const stolen = await service.enter(await service.logIn(alice));
    const { body } = await service.get('/api/sessions', { token: alice.token });
    const { id } = body.data.find((session: { current: number }) => session.current === 0);
    await service.post('/api/sessions/end', { id }, { token: alice.token });
    assert.equal((await stolen.ended).code, 4409);
  });

  test('a suspended user is closed with 4403', async (t) => {
    const service = await startSockets(t, database);
    const alice = await service.join('alice');
    const bob = await service.join('bob');
    const [bobs, alices] = [await service.enter(bob), await service.enter(alice)];
    await service.services.db.transaction(async (tx) => {
      await suspendUser(tx, alice.id);
      await recordExternalChange(tx);
    });
    assert.deepEqual(await alices.ended, { code: 4403, reason: 'suspended' });
    await bobs.roundTrip();
  });

  test('a client that does not answer the close is offline at once, and is terminated', async (t) => {
    const service = await startSockets(t, database);
    const alice = await service.join('alice');
    const order = recordOrder(service);
    const socket = await service.enter(alice);
    socket.ws.pause();
    await service.post('/api/logout', {}, { token: alice.token });
    assert.equal(await service.isOnline(alice), 0);
    await eventually(() => order.includes('disconnected'));
    assert.deepEqual(order, ['online', 'offline', 'disconnected']);
    socket.ws.terminate();
  });

  test('the eleventh socket of a user ends the oldest with 4429', async (t) => {
    const service = await startSockets(t, database);
    const alice = await service.join('alice');
    const sockets: TestSocket[] = [];
    for (let i = 0; i < 11; i++) sockets.push(await service.enter(alice));
    assert.deepEqual(await sockets[0]?.ended, { code: 4429, reason: 'too_many_sockets' });
    for (const socket of sockets.slice(1)) await socket.roundTrip();
    assert.equal(await service.isOnline(alice), 1);
  });

  test('sockets on other nodes count; the node that has the oldest one closes it', async (t) => {
    const clock = new ManualClock();
    const service = await startSockets(t, database, { world: clock.world });
    const alice = await service.join('alice');
    const { online } = service.services.presence;
    const elsewhere = (count: number, openedAt: number) =>
      online.setElsewhere('b', alice.id, Array(count).fill({ ...PRESENT, openedAt }));
    const first = await service.enter(alice);
    clock.add(2);
    const second = await service.enter(alice);
    const oldestAt = clock.world.now() - 1;
    elsewhere(8, oldestAt);
    await first.roundTrip();
    elsewhere(10, oldestAt);
    assert.deepEqual(await first.ended, { code: 4429, reason: 'too_many_sockets' });
    await second.roundTrip();
    const third = await service.enter(alice);
    await Promise.all([second.roundTrip(), third.roundTrip()]); // too many, and the oldest is on the other node
  });

  test('of sockets of the same moment on several nodes, that with the lesser session is the oldest', async (t) => {
    const service = await startSockets(t, database, { world: new ManualClock().world });
    const { clock, presence } = service.services;
    const alice = await service.join('alice');
    const socket = await service.enter(alice);
    const [own] = presence.online.sessionsOf(alice.id);
    const elsewhere = (count: number, sessionId: string) => {
      const connection = { ...PRESENT, sessionId, openedAt: clock.now() };
      presence.online.setElsewhere('b', alice.id, Array(count).fill(connection));
    };
    elsewhere(10, '');
    await socket.roundTrip();
    elsewhere(11, `${own}~`);
    assert.deepEqual(await socket.ended, { code: 4429, reason: 'too_many_sockets' });
  });

  test('bye closes with 1000 after its reply', async (t) => {
    const service = await startSockets(t, database);
    const alice = await service.join('alice');
    const asking = await service.enter(alice);
    assert.equal((await asking.ask({ type: 'bye' })).code, 200);
    assert.deepEqual(await asking.ended, { code: 1000, reason: 'bye' });
    const silent = await service.enter(alice);
    silent.send({ type: 'bye' });
    assert.equal((await silent.ended).code, 1000);
    assert.deepEqual(silent.unread, []);
    assert.equal(await service.isOnline(alice), 0);
  });

  test('at the expiry of its last token a socket is closed with 4401', async (t) => {
    const clock = new ManualClock();
    const service = await startSockets(t, database, { world: clock.world, env: { TOKEN_TTL: '60s' } });
    const alice = await service.join('alice');
    const bob = await service.join('bob');
    const [lapsing, renewed] = [await service.enter(alice), await service.enter(bob)];
    await clock.advance(9000);
    const fresh = await service.post('/api/token', {}, { token: bob.token });
    const { token } = fresh.body.data;
    assert.equal((await renewed.ask({ type: 'token', token })).code, 200);
    // The older one again: it does not shorten what the newer one gave.
    assert.equal((await renewed.ask({ type: 'token', token: bob.token })).code, 200);
    await clock.advance(16_000);
    // Their pongs to the heartbeat have come.
    for (const socket of [lapsing, renewed]) await socket.roundTrip();
    await clock.advance(34_500);
    await lapsing.roundTrip();
    await clock.advance(500);
    assert.deepEqual(await lapsing.ended, { code: 4401, reason: 'token_expired' });
    await clock.advance(8500);
    await renewed.roundTrip();
    await clock.advance(500);
    assert.equal((await renewed.ended).code, 4401);
  });

  test('a token of another user, of another session or of none is refused and changes nothing', async (t) => {
    const service = await startSockets(t, database);
    const alice = await service.join('alice');
    const bob = await service.join('bob');
    const socket = await service.enter(alice);
    for (const [token, word] of [
      [bob.token, 'other_session'],
      [(await service.logIn(alice)).token, 'other_session'],
      ['no.such.token', 'unauthenticated'],
    ]) {
      const reply = await socket.ask({ type: 'token', token });
      assert.deepEqual([reply.code, reply.error], [401, word]);
    }
    await socket.roundTrip();
    assert.equal(await service.isOnline(bob), 0);
  });

  test('a client is pinged every 25 s, and terminated if it stays silent for 15 s after a ping', async (t) => {
    const clock = new ManualClock();
    const service = await startSockets(t, database, { world: clock.world });
    const alice = await service.join('alice');
    const bob = await service.join('bob');
    const answering = await service.enter(alice);
    const silent = await service.enter(bob, { autoPong: false });
    let pings = 0;
    answering.ws.on('ping', () => pings++);
    await clock.advance(24_500);
    await answering.roundTrip();
    assert.equal(pings, 0);
    const pinged = Promise.all([once(answering.ws, 'ping'), once(silent.ws, 'ping')]);
    await clock.advance(500);
    await pinged;
    await answering.roundTrip(); // its pong was read before time goes on

    await clock.advance(14_500);
    assert.equal(await service.isOnline(bob), 1);
    await clock.advance(500);
    assert.equal(await service.isOnline(bob), 0);
    assert.deepEqual(await silent.ended, { code: 1006, reason: '' });
    await clock.advance(9_500);
    await answering.roundTrip();
    assert.equal(pings, 1);
    await clock.advance(500);
    await answering.roundTrip();
    assert.equal(pings, 2);
    assert.equal(await service.isOnline(alice), 1);
  });

  test('after a stall the service reads what arrived meanwhile before it terminates a silent client', async (t) => {
    const clock = new ManualClock();
    const service = await startSockets(t, database, { world: clock.world });
    const alice = await service.join('alice');
    const socket = await service.enter(alice, { autoPong: false });
    const answered = new Promise<void>((resolve) => {
      socket.ws.once('ping', () => {
        socket.ws.pong();
        // The heartbeat runs within this call, so it runs before the service reads the pong.
        clock.add(15_000);
        void clock.advance(0);
        resolve();
      });
    });
    await clock.advance(25_000);
    await answered;
    socket.send({ type: 'ping' });
    assert.deepEqual(await socket.next(), { type: 'pong' });
    const pingedAgain = once(socket.ws, 'ping');
    await clock.advance(10_500);
    await pingedAgain;
    assert.equal(await service.isOnline(alice), 1);
  });

  test('a stopping service sends drain, closes with 1012, and answers new sockets 500', async (t) => {
    const service = await startSockets(t, database);
    const alice = await service.join('alice');
    const [admitted, pending] = [await service.enter(alice), await service.connect()];
    service.app.lifecycle.phase = 'draining';
    const refused = await service.refuse();
    assert.deepEqual([refused.status, refused.body.code, refused.body.error], [500, 500, 'draining']);
    const closing = service.app.close();
    for (const socket of [admitted, pending]) {
      assert.deepEqual(await socket.next(), { type: 'drain', spreadMs: 8000 });
      assert.deepEqual(await socket.ended, { code: 1012, reason: 'restart' });
    }
    await closing;
  });
});

onEachDatabase('sessions that an operator’s command ends', (database) => {
  test('suspended is 4403, deleted 4409, within a second of the service’s clock; everyone else stays', async (t) => {
    const clock = new ManualClock();
    const service = await startSockets(t, database, { world: clock.world });
    const alice = await service.join('alice');
    const bob = await service.join('bob');
    const carol = await service.join('carol');
    const [alices, bobs, carols] = [
      await service.enter(alice),
      await service.enter(bob),
      await service.enter(carol),
    ];
    const { db } = service.services;
    // As `doorman user` does, which only writes to the database.
    await db.transaction(async (tx) => {
      await suspendUser(tx, alice.id);
      await deleteUser(tx, bob.id);
      await recordExternalChange(tx);
    });
    await clock.advance(1000);
    assert.equal((await alices.ended).code, 4403);
    assert.equal((await bobs.ended).code, 4409);
    await carols.roundTrip();
    assert.equal(await service.isOnline(carol), 1);
  });
});

onSqlite('a process that gets SIGTERM', (database) => {
  // Some 5 s: a start, and 3 s for the client that does not answer.
  test('closes its sockets, also those that do not answer, and exits 0', {
    timeout: 60_000,
  }, async (t) => {
    const cwd = fileURLToPath(new URL('../..', import.meta.url));
    const env = { PATH: process.env.PATH, ...settingsOf(await database.create(t)) };
    const child = spawn(process.execPath, ['src/main.ts'], {
      cwd,
      env,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    t.after(() => child.kill('SIGKILL'));
    let url = '';
    for await (const line of createInterface(child.stdout)) {
      const { msg, ...rest } = JSON.parse(line);
      if (msg !== 'serving') continue;
      url = rest.url;
      break;
    }
    const registered = await fetch(`${url}/api/register`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ username: 'alice', password: 'a password' }),
    });
    const { data } = JSON.parse(await registered.text());
    const open = async () => {
      const socket = new TestSocket(new WebSocket(`${url.replace('http', 'ws')}/ws`));
      await once(socket.ws, 'open');
      await socket.hello({ token: data.token });
      return socket;
    };
    const [attentive, deaf] = [await open(), await open()];
    deaf.ws.pause();
    const exited = once(child, 'exit');
    child.kill('SIGTERM');
    assert.deepEqual(await attentive.next(), { type: 'drain', spreadMs: 8000 });
    assert.equal((await attentive.ended).code, 1012);
    assert.deepEqual(await exited, [0, null]);
    deaf.ws.terminate();
  });
});
