import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Type } from 'typebox';
import { onSqlite } from '../../test/databases.ts';
import { frameKind } from './frame-kinds.ts';
import { Clock, eventually, serveFrames, startSockets, type TestSocket } from './test-client.ts';

async function pingPong(socket: TestSocket, times: number): Promise<void> {
  for (let i = 0; i < times; i++) socket.send({ type: 'ping' });
  for (let i = 0; i < times; i++) assert.deepEqual(await socket.next(), { type: 'pong' });
}

onSqlite('the budget of frames', (database) => {
  test('60 at once and 20 a second pass, more is closed with 4429', async (t) => {
    // Time stands still but for what the test adds.
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

  test('a client that reads nothing is not asked for more, and closed with 4008 after 30 s', async (t) => {
    let nowMs = 1000;
    const service = await startSockets(t, database, { world: { monotonicMs: () => nowMs } });
    const alice = await service.join('alice');
    let told = 0;
    const tell = frameKind(Type.Object({}), () => {
      told++;
      return { much: 'x'.repeat(30_000) };
    });
    const { enter } = await serveFrames(t, service, new Map([['tell', tell]]));
    const socket = await enter(alice);
    socket.ws.pause();
    const before = process.memoryUsage.rss();
    // Some MB lie in the network's own buffers, in both directions; it is stuck when nothing moves for a while.
    for (let id = 0, stuckSince = performance.now(), lastTold = -1; performance.now() - stuckSince < 300; ) {
      if (told !== lastTold) stuckSince = performance.now();
      lastTold = told;
      if (socket.ws.bufferedAmount < 256 * 1024)
        socket.send({ type: 'tell', id: String(id++), padding: 'x'.repeat(30_000) });
      nowMs += 50; // so slowly that no budget runs out
      await new Promise((resolve) => setImmediate(resolve));
    }
    assert.ok(socket.ws.bufferedAmount > 0, 'the service reads no more');
    const toldBefore = told;
    assert.ok(process.memoryUsage.rss() - before < 100 * 1024 * 1024);
    assert.equal(service.services.presence.isOnline(alice.id), true);
    // After each leap the heartbeat first looks what came meanwhile.
    const leaps = setInterval(() => {
      nowMs += 30_000;
    }, 1200);
    await eventually(() => !service.services.presence.isOnline(alice.id));
    clearInterval(leaps);
    assert.equal(told, toldBefore);
    socket.ws.resume();
    assert.deepEqual(await socket.ended, { code: 4008, reason: 'no_progress' });
  });

  test('a clock that moves on lets nobody go who is heard', async (t) => {
    const clock = new Clock();
    const service = await startSockets(t, database, { world: clock.world });
    const alice = await service.join('alice');
    const socket = await service.enter(alice);
    for (let i = 0; i < 5; i++) {
      clock.add(10_000);
      await pingPong(socket, 1);
    }
    assert.equal(await service.isOnline(alice), 1);
  });
});
