import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock } from '../../test/clocks.ts';
import { onSqlite } from '../../test/databases.ts';
import { eventually } from '../../test/eventually.ts';
import type { Person } from '../../test/harness.ts';
import { sendMessage } from '../../test/messages.ts';
import { countConnections, type SocketService, startSockets, type TestSocket } from '../../test/sockets.ts';
import type { Db } from '../db/db.ts';
import { recordChange } from '../events/changes.ts';
import type { Caller } from '../http/authenticate.ts';
import { renewEpoch } from '../inbox/epoch.ts';

const EVENTS = 5_000;

/** A log as long as one is kept, with a message of a kilobyte in each event. */
async function fillLog(db: Db, { id }: Person): Promise<void> {
  const body = 'x'.repeat(1_000);
  await db.run`
    insert into messages (low_id, high_id, n, sender_id, cid, body, at)
    with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < ${EVENTS})
    select ${id}, 'p', n, ${id}, n, ${body}, 1 from numbers`;
  await db.run`
    insert into inbox (user_id, seq, at, event, data)
    select ${id}, n, 1, 'message', json_object('peer', 'p', 'n', n, 'from', ${id}, 'cid', cid) from messages`;
  await db.run`update inbox_heads set seq = ${EVENTS} where user_id = ${id}`;
}

/** Reads a piece, moves the time by what the line takes for it, reads the next. */
function readSlowly({ ws }: TestSocket, bytesPerSecond: number, clock: ManualClock): void {
  const wire = Reflect.get(ws, '_socket');
  wire.on('data', async (piece: Buffer) => {
    wire.pause();
    await clock.advance(Math.ceil((piece.length / bytesPerSecond) * 1_000));
    wire.resume();
  });
}

async function callerOf({ services }: SocketService, person: Person): Promise<Caller> {
  return (await services.accounts.authentication.identify(person.token)) ?? assert.fail();
}

const isEvent = ({ type }: { type: string }) => type === 'event';

onSqlite('clients that read slowly or not at all', (database) => {
  test('a resume of 5,000 events over a slow line is slow and complete', async (t) => {
    const clock = new ManualClock();
    const service = await startSockets(t, database, { world: clock.world });
    const [alice, bob] = [await service.join('alice'), await service.join('bob')];
    await fillLog(service.services.db, alice);
    const socket = await service.connect();
    const startedAt = clock.world.monotonicMs();
    readSlowly(socket, 100_000, clock);
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
    const tookMs = clock.world.monotonicMs() - startedAt;
    assert.ok(tookMs > 41_000, 'longer than a silent client, or one that reads nothing, may stay');
    assert.equal((await socket.ask({ type: 'ack', seq: EVENTS + 1 })).code, 200);
  });

  test('clients that never read take little memory, and are closed with 4008', async (t) => {
    const clock = new ManualClock();
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
    await clock.advance(29_000);
    assert.equal(await service.isOnline(alice), 1);
    await eventually(async () => {
      await clock.advance(1_000);
      return (await service.isOnline(alice)) === 0;
    });
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

  test('a thousand connections whose clients vanished are terminated by the heartbeat', async (t) => {
    const clock = new ManualClock();
    const service = await startSockets(t, database, { world: clock.world });
    const sockets: TestSocket[] = [];
    for (let i = 0; i < 100; i++) {
      const person = await service.join(`person${i}`);
      for (let k = 0; k < 10; k++) sockets.push(await service.enter(person, { autoPong: false }));
    }
    for (const socket of sockets) socket.ws.pause();
    const presence = service.services.presence.online;
    await clock.advance(39_500);
    assert.equal(presence.onlineIds().length, 100);
    await clock.advance(500);
    assert.equal(presence.onlineIds().length, 0);
    await eventually(async () => (await countConnections(service)) === 0);
    for (const socket of sockets) socket.ws.terminate();
  });
});

onSqlite('a process that stalled', (database) => {
  test('reads which sessions have ended before it writes to any connection', async (t) => {
    const clock = new ManualClock();
    const service = await startSockets(t, database, { world: clock.world });
    const [alice, carol] = [await service.join('alice'), await service.join('carol')];
    const bob = await callerOf(service, await service.join('bob'));
    const [alices, carols] = [await service.enter(alice), await service.enter(carol)];
    const asked = carols.ask({ type: 'sync' });
    // As another process does.
    await service.services.db.transaction(async (tx) => {
      const ended = await tx.all<{ id: string }>`
        delete from sessions where user_id = ${alice.id} returning id`;
      await recordChange(tx, { type: 'sessions-ended', sessionIds: ended.map(({ id }) => id) });
    });
    await asked;
    clock.add(2_500);
    for (const { id } of [alice, carol])
      await sendMessage(service.services, bob, { to: id, cid: id, body: 'hi' }, Date.now());
    carols.send({ type: 'ping' });
    assert.deepEqual(await alices.ended, { code: 4409, reason: 'session_ended' });
    assert.deepEqual(alices.unread, []);
    assert.equal((await carols.first(isEvent)).data.body, 'hi');
    assert.deepEqual(await carols.first(({ type }) => type === 'pong'), { type: 'pong' });
  });

  test('closes a device whose welcome waited while the epoch was renewed', async (t) => {
    const clock = new ManualClock();
    const service = await startSockets(t, database, { world: clock.world });
    const alice = await service.join('alice');
    const { db, events, inbox, presence } = service.services;
    const { changes } = events;
    const { epoch } = inbox;
    const read = changes.read.bind(changes);
    presence.online.onChange(() => clock.add(2_500));
    changes.read = async () => {
      if (inbox.epoch === epoch) await renewEpoch(db);
      await read();
    };
    const socket = await service.connect();
    const { data } = await socket.ask({ type: 'hello', token: alice.token });
    assert.equal(data.epoch, epoch);
    const next = await Promise.race([socket.ended, socket.first(({ type }) => type === 'live')]);
    assert.deepEqual(next, { code: 4008, reason: 'too_far_behind' });
    assert.notEqual(inbox.epoch, epoch);
  });
});
