import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { WebSocket } from 'ws';
import { onEachDatabase, onSqlite } from '../../test/databases.ts';
import { settingsOf } from '../../test/processes.ts';
import { deleteUser, suspendUser } from '../accounts/standing.ts';
import { noteOutsideChange } from '../db/outside-changes.ts';
import { Clock, eventually, startSockets, TestSocket } from './test-client.ts';

onSqlite('the end of a connection', (database) => {
  test('a changed password closes the sockets of other sessions with 4409 within a second, and keeps one’s own', async (t) => {
    const service = await startSockets(t, database);
    const alice = await service.join('alice');
    const own = await service.enter(alice);
    const other = await service.enter(await service.logIn(alice));
    const sameOther = await service.enter(await service.logIn(alice));
    const body = { oldPassword: alice.password, newPassword: 'another password' };
    const startedAt = performance.now();
    assert.equal((await service.post('/api/user/change-password', body, { token: alice.token })).status, 200);
    assert.deepEqual(await other.ended, { code: 4409, reason: 'session_ended' });
    assert.equal((await sameOther.ended).code, 4409);
    assert.ok(performance.now() - startedAt < 1000);
    const { event, data } = await own.next();
    assert.deepEqual([event, data.ended.length], ['sessions', 2]);
    own.send({ type: 'ping' });
    assert.deepEqual(await own.next(), { type: 'pong' });
    assert.equal(await service.isOnline(alice), 1);
  });

  test('logging out closes every socket of that session, and makes offline at once', async (t) => {
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

  test('a suspended user is told so with 4403', async (t) => {
    const service = await startSockets(t, database);
    const alice = await service.join('alice');
    const bob = await service.join('bob');
    const [his, hers] = [await service.enter(bob), await service.enter(alice)];
    const { body } = await service.get('/api/sessions', { token: alice.token });
    const sessionIds = [body.data[0].id];
    service.services.events.publish({ type: 'sessions-ended', sessionIds, reason: 'suspended' });
    assert.deepEqual(await hers.ended, { code: 4403, reason: 'suspended' });
    assert.ok(his.isOpen);
  });

  test('a client that does not answer the close is offline all the same, and cut off', async (t) => {
    const service = await startSockets(t, database);
    const alice = await service.join('alice');
    const socket = await service.enter(alice);
    socket.ws.pause();
    await service.post('/api/logout', {}, { token: alice.token });
    assert.equal(await service.isOnline(alice), 0);
    const connections = () =>
      new Promise<number>((resolve) => service.app.server.getConnections((_, count) => resolve(count)));
    assert.equal(await connections(), 1);
    await eventually(async () => (await connections()) === 0, 8000);
    socket.ws.terminate();
  });

  test('the eleventh socket of a user ends the oldest with 4429', async (t) => {
    const service = await startSockets(t, database);
    const alice = await service.join('alice');
    const sockets: TestSocket[] = [];
    for (let i = 0; i < 11; i++) sockets.push(await service.enter(alice));
    assert.deepEqual(await sockets[0]?.ended, { code: 4429, reason: 'too_many_sockets' });
    for (const socket of sockets.slice(1)) assert.ok(socket.isOpen);
    assert.equal(await service.isOnline(alice), 1);
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
    const clock = new Clock();
    const service = await startSockets(t, database, { world: clock.world, env: { TOKEN_TTL: '60s' } });
    const alice = await service.join('alice');
    const bob = await service.join('bob');
    const [lapsing, renewed] = [await service.enter(alice), await service.enter(bob)];
    clock.add(9000);
    const fresh = await service.post('/api/token', {}, { token: bob.token });
    const { token } = fresh.body.data;
    assert.equal((await renewed.ask({ type: 'token', token })).code, 200);
    // The older one again: it does not shorten what the newer one gave.
    assert.equal((await renewed.ask({ type: 'token', token: bob.token })).code, 200);
    clock.add(51_000);
    assert.deepEqual(await lapsing.ended, { code: 4401, reason: 'token_expired' });
    assert.ok(renewed.isOpen);
    clock.add(10_000);
    assert.equal((await renewed.ended).code, 4401);
  });

  test('a token of somebody else, of another session or of none is refused, and changes nothing', async (t) => {
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
    assert.ok(socket.isOpen);
    assert.equal(await service.isOnline(bob), 0);
  });

  test('a client is pinged every 25 s, and one that stays silent for 15 s after is cut off', async (t) => {
    const clock = new Clock();
    const service = await startSockets(t, database, { world: clock.world });
    const alice = await service.join('alice');
    const bob = await service.join('bob');
    const answering = await service.enter(alice);
    const silent = await service.enter(bob, { autoPong: false });
    const pinged = Promise.all([once(answering.ws, 'ping'), once(silent.ws, 'ping')]);
    clock.add(25_000);
    await pinged;
    // Its answer comes after the pong, so the pong was taken in before time goes on.
    answering.send({ type: 'ping' });
    assert.deepEqual(await answering.next(), { type: 'pong' });
    assert.equal(await service.isOnline(bob), 1);

    clock.add(15_000);
    assert.deepEqual(await silent.ended, { code: 1006, reason: '' });
    await eventually(async () => (await service.isOnline(bob)) === 0);
    const pingedAgain = once(answering.ws, 'ping');
    clock.add(10_000);
    await pingedAgain;
    assert.equal(await service.isOnline(alice), 1);
  });

  test('a service that was held up reads what came meanwhile before it calls anybody silent', async (t) => {
    const clock = new Clock();
    const service = await startSockets(t, database, { world: clock.world });
    const alice = await service.join('alice');
    const socket = await service.enter(alice, { autoPong: false });
    const answered = new Promise<void>((resolve) => {
      socket.ws.once('ping', () => {
        socket.ws.pong();
        // Until the next turn of the heartbeat is due, nothing is read in this process, so not the pong either.
        const until = performance.now() + 600;
        clock.add(15_000);
        while (performance.now() < until);
        resolve();
      });
    });
    clock.add(25_000);
    await answered;
    const pingedAgain = once(socket.ws, 'ping');
    clock.add(10_000);
    await pingedAgain;
    assert.equal(await service.isOnline(alice), 1);
  });

  test('a stopping service says drain, then closes with 1012, and answers new sockets 500', async (t) => {
    const service = await startSockets(t, database);
    const alice = await service.join('alice');
    const [named, nameless] = [await service.enter(alice), await service.connect()];
    service.services.readiness.draining = true;
    const refused = await service.refuse();
    assert.deepEqual([refused.status, refused.body.code, refused.body.error], [500, 500, 'draining']);
    const closing = service.app.close();
    for (const socket of [named, nameless]) {
      assert.deepEqual(await socket.next(), { type: 'drain', spreadMs: 20000 });
      assert.deepEqual(await socket.ended, { code: 1012, reason: 'restart' });
    }
    await closing;
  });
});

onEachDatabase('what a command of the operator ends beside the server', (database) => {
  test('suspended is 4403, deleted 4409, within a second; everybody else stays', async (t) => {
    const service = await startSockets(t, database);
    const alice = await service.join('alice');
    const bob = await service.join('bob');
    const carol = await service.join('carol');
    const sockets = [await service.enter(alice), await service.enter(bob), await service.enter(carol)];
    const [hers, his, carols] = sockets;
    const { db } = service.services;
    // As `doorman user` does, which tells nobody but the database.
    const startedAt = performance.now();
    await db.transaction(async (tx) => {
      await suspendUser(tx, alice.id);
      await deleteUser(tx, bob.id);
      await noteOutsideChange(tx);
    });
    assert.equal((await hers?.ended)?.code, 4403);
    assert.equal((await his?.ended)?.code, 4409);
    assert.ok(performance.now() - startedAt < 1500);
    assert.ok(carols?.isOpen);
    assert.equal(await service.isOnline(carol), 1);
  });
});

onSqlite('a process that is told to stop', (database) => {
  test('sends its sockets away, also those that do not answer, and exits 0 within 15 s', async (t) => {
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
    const startedAt = performance.now();
    child.kill('SIGTERM');
    assert.deepEqual(await attentive.next(), { type: 'drain', spreadMs: 20000 });
    assert.equal((await attentive.ended).code, 1012);
    assert.deepEqual(await exited, [0, null]);
    assert.ok(performance.now() - startedAt < 15_000);
    deaf.ws.terminate();
  });
});
