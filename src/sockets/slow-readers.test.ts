import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { onSqlite } from '../../test/databases.ts';
import type { Person } from '../../test/harness.ts';
import type { Caller } from '../accounts/authentication.ts';
import { sendMessage } from '../chat/messages.ts';
import type { Db } from '../db/db.ts';
import { Clock, eventually, type SocketService, startSockets, type TestSocket } from './test-client.ts';

const EVENTS = 5_000;

/** A log as long as one is kept, with a kilobyte in each event. */
async function fillLog(db: Db, { id }: Person): Promise<void> {
  const data = JSON.stringify({ peer: 'p', n: 1, from: id, cid: 'c', body: 'x'.repeat(1_000) });
  await db.run`
    insert into inbox (user_id, seq, at, event, data)
    with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < ${EVENTS})
    select ${id}, n, 1, 'message', ${data} from numbers`;
  await db.run`update inbox_heads set seq = ${EVENTS} where user_id = ${id}`;
}

/** Reads a piece, rests as long as the line would take for it, reads the next. */
function readSlowly({ ws }: TestSocket, bytesPerSecond: number): void {
  const wire = Reflect.get(ws, '_socket');
  wire.on('data', (piece: Buffer) => {
    wire.pause();
    setTimeout(() => wire.resume(), (piece.length / bytesPerSecond) * 1_000);
  });
}

async function callerOf({ services }: SocketService, person: Person): Promise<Caller> {
  return (await services.authentication.identify(person.token)) ?? assert.fail();
}

const isEvent = ({ type }: { type: string }) => type === 'event';

onSqlite('clients that read slowly or not at all', (database) => {
  /** Time in which 30 s come, each of them twice as a heartbeat needs it: what came meanwhile is looked at first. */
  function leap(t: TestContext, clock: Clock): void {
    const leaps = setInterval(() => clock.add(30_000), 1_200);
    t.after(() => clearInterval(leaps));
  }

  test('a resume of 5,000 events over a slow line takes its time, and ends well', async (t) => {
    // Three times as fast, so that the 40 s of the heartbeat and the 30 s without progress pass.
    const world = { monotonicMs: () => performance.now() * 3 };
    const service = await startSockets(t, database, { world });
    const [alice, bob] = [await service.join('alice'), await service.join('bob')];
    await fillLog(service.services.db, alice);
    const socket = await service.connect();
    readSlowly(socket, 400_000);
    const startedAt = world.monotonicMs();
    socket.send({ type: 'hello', id: '1', token: alice.token, seq: 0 });
    const reply = await socket.next();
    assert.deepEqual([reply.data.resumed, reply.data.seq], [true, EVENTS]);
    const message = { to: alice.id, cid: 'c', body: 'meanwhile' };
    await sendMessage(service.services, await callerOf(service, bob), message, Date.now());
    for (let seq = 1; seq <= EVENTS; seq++) {
      const frame = await socket.first((frame) => isEvent(frame) || frame.type === 'live');
      assert.equal(frame.seq, seq);
    }
    const rest = [await socket.next(), await socket.next()];
    assert.deepEqual(
      rest.map(({ type, seq }) => seq ?? type).sort(),
      [EVENTS + 1, 'live'],
      'live comes with what was there at hello, or right after',
    );
    assert.ok(world.monotonicMs() - startedAt > 41_000, 'slow enough to be cut off, were that the rule');
    assert.equal((await socket.ask({ type: 'ack', seq: EVENTS + 1 })).code, 200);
  });

  test('clients that never read nor acknowledge cost next to nothing, and are closed with 4008', async (t) => {
    const clock = new Clock();
    const service = await startSockets(t, database, { world: clock.world });
    const alice = await service.join('alice');
    await fillLog(service.services.db, alice);
    const bob = await callerOf(service, await service.join('bob'));
    const sockets: TestSocket[] = [];
    for (let i = 0; i < 10; i++) sockets.push(await service.connect());
    const before = process.memoryUsage().rss;
    for (const socket of sockets) {
      socket.send({ type: 'hello', id: '1', token: alice.token, seq: 0 });
      await socket.next();
      socket.ws.pause();
    }
    for (let i = 0; i < 200; i++) {
      const message = { to: alice.id, cid: `c${i}`, body: 'x'.repeat(1_000) };
      await sendMessage(service.services, bob, message, Date.now());
    }
    assert.equal(await service.isOnline(alice), 1);
    assert.ok(process.memoryUsage().rss - before < 64 * 1024 * 1024);
    leap(t, clock);
    await eventually(async () => (await service.isOnline(alice)) === 0);
    for (const socket of sockets) {
      socket.ws.resume();
      assert.deepEqual(await socket.ended, { code: 4008, reason: 'no_progress' });
      const seen = socket.unread.filter(isEvent).map(({ seq }) => seq);
      assert.ok(seen.length * 1_000 < 256 * 1024, `${seen.length} events were under way`);
      assert.deepEqual(
        seen,
        seen.map((_, i) => i + 1),
      );
    }
  });

  test('a thousand connections whose clients are gone without a word go by the heartbeat', async (t) => {
    const clock = new Clock();
    const service = await startSockets(t, database, { world: clock.world });
    const sockets: TestSocket[] = [];
    for (let i = 0; i < 100; i++) {
      const person = await service.join(`person${i}`);
      for (let k = 0; k < 10; k++) sockets.push(await service.enter(person, { autoPong: false }));
    }
    for (const socket of sockets) socket.ws.pause();
    assert.equal(service.services.presence.onlineIds().length, 100);
    leap(t, clock);
    await eventually(() => service.services.presence.onlineIds().length === 0, 10_000);
    const left = () =>
      new Promise((resolve) => service.app.server.getConnections((_, count) => resolve(count)));
    await eventually(async () => (await left()) === 0, 10_000);
    for (const socket of sockets) socket.ws.terminate();
  });
});

onSqlite('a process that was held up', (database) => {
  test('looks whose session has ended before it writes to anybody', async (t) => {
    const clock = new Clock();
    const service = await startSockets(t, database, { world: clock.world });
    const [alice, carol] = [await service.join('alice'), await service.join('carol')];
    const bob = await callerOf(service, await service.join('bob'));
    const [hers, carols] = [await service.enter(alice), await service.enter(carol)];
    const asked = carols.ask({ type: 'sync' });
    // As another process would, which told this one while it could not listen.
    await service.services.db.run`delete from sessions where user_id = ${alice.id}`;
    await asked;
    clock.add(2_500);
    for (const { id } of [alice, carol])
      await sendMessage(service.services, bob, { to: id, cid: id, body: 'hi' }, Date.now());
    carols.send({ type: 'ping' });
    assert.deepEqual(await hers.ended, { code: 4409, reason: 'session_ended' });
    assert.deepEqual(hers.unread, []);
    assert.equal((await carols.first(isEvent)).data.body, 'hi');
    assert.deepEqual(await carols.first(({ type }) => type === 'pong'), { type: 'pong' });
  });
});
