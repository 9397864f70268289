import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onSqlite } from '../../test/databases.ts';
import { Clock, startSockets, type TestSocket } from './test-client.ts';

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

  test('a client that reads nothing of what it asks for is closed with 4008', async (t) => {
    // So fast that no budget runs out.
    let nowMs = 1000;
    const world = { monotonicMs: () => (nowMs += 60) };
    const service = await startSockets(t, database, { world });
    const alice = await service.join('alice');
    const socket = await service.enter(alice);
    socket.ws.pause();
    const before = process.memoryUsage.rss();
    const id = '𝄞'.repeat(64);
    let online = 1;
    for (let i = 0; i < 1_000 && online === 1; i++) {
      for (let n = 0; n < 100; n++) socket.send({ type: 'sing', id });
      await new Promise((resolve) => setImmediate(resolve));
      online = await service.isOnline(alice);
    }
    assert.equal(online, 0, 'it is closed as soon as too much waits');
    assert.ok(process.memoryUsage.rss() - before < 200 * 1024 * 1024);
    socket.ws.resume();
    assert.deepEqual(await socket.ended, { code: 4008, reason: 'unread_output' });
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
