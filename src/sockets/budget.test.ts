import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock } from '../../test/clocks.ts';
import { onSqlite } from '../../test/databases.ts';
import { eventually } from '../../test/eventually.ts';
import { connectionOf, serveFrames, startSockets, type TestSocket } from '../../test/sockets.ts';
import type { SocketSession } from './socket-session.ts';

const isPaused = (session: SocketSession) => connectionOf(session).isPaused;

async function pingPong(socket: TestSocket, times: number): Promise<void> {
  for (let i = 0; i < times; i++) socket.send({ type: 'ping' });
  for (let i = 0; i < times; i++) assert.deepEqual(await socket.next(), { type: 'pong' });
}

onSqlite('the frame budget', (database) => {
  test('60 at once and 20 a second pass, more is closed with 4429', async (t) => {
    // Only the test moves the time.
    let nowMs = 1000;
    const service = await startSockets(t, database, { world: { monotonicMs: () => nowMs } });
    const alice = await service.join('alice');
    const [eager, patient] = [await service.enter(alice), await service.enter(alice)];
    await pingPong(patient, 59); // and hello
    nowMs += 1000;
    await pingPong(patient, 20);
    nowMs += 500;
    await pingPong(patient, 10);
    await pingPong(eager, 60);
    for (const socket of [eager, patient]) {
      nowMs += 49;
      socket.send({ type: 'ping' });
      assert.deepEqual(await socket.ended, { code: 4429, reason: 'too_many_frames' });
      nowMs -= 49;
    }
    assert.equal(await service.isOnline(alice), 0);
  });

  test('pings of RFC 6455 count too', async (t) => {
    const service = await startSockets(t, database, { world: { monotonicMs: () => 1000 } });
    const socket = await service.enter(await service.join('alice'));
    for (let i = 0; i < 60; i++) socket.ws.ping();
    assert.equal((await socket.ended).code, 4429);
  });

  test('the frames of a client that reads nothing are no longer read, and it is closed with 4008 after 30 s', async (t) => {
    const clock = new ManualClock();
    const service = await startSockets(t, database, { world: clock.world });
    const alice = await service.join('alice');
    const presence = service.services.presence.online;
    const served: SocketSession[] = [];
    const { enter } = await serveFrames(t, service, {
      sync(from) {
        served.push(from);
        return { much: 'x'.repeat(30_000) };
      },
    });
    const socket = await enter(alice);
    socket.ws.pause();
    // The network holds some MB in both directions. Beyond these the service stops reading, so the client's output waits.
    const isStuck = () => served.some(isPaused) && socket.ws.bufferedAmount > 256 * 1024;
    for (let id = 0; id < 3_000 && !isStuck(); id++) {
      socket.send({ type: 'sync', id: String(id), padding: 'x'.repeat(30_000) });
      await clock.advance(50); // so slowly that no budget runs out
    }
    assert.ok(isStuck(), 'the service reads no more');
    const waitingBytes = connectionOf(served[0] ?? assert.fail()).bufferedAmount;
    assert.ok(waitingBytes < 256 * 1024, `${waitingBytes} bytes wait in the service`);
    assert.equal(presence.isOnline(alice.id), true);
    await eventually(async () => {
      await clock.advance(1_000);
      return !presence.isOnline(alice.id);
    });
    const servedCount = served.length;
    socket.ws.resume();
    assert.deepEqual(await socket.ended, { code: 4008, reason: 'no_progress' });
    assert.equal(served.length, servedCount);
  });

  test('a client that sends pings stays, however far the clock moves', async (t) => {
    const clock = new ManualClock();
    const service = await startSockets(t, database, { world: clock.world });
    const alice = await service.join('alice');
    const socket = await service.enter(alice);
    for (let i = 0; i < 5; i++) {
      await clock.advance(10_000);
      await pingPong(socket, 1);
    }
    assert.equal(await service.isOnline(alice), 1);
  });
});
