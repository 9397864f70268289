import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { renewEpoch } from '../../src/inbox/epoch.ts';
import { onSqlite } from '../databases.ts';
import type { Body } from '../harness.ts';
import { settingsOf, startServer } from '../processes.ts';
import { Device, join, until } from './device.ts';
import { startLine } from './line.ts';
import { serve } from './serving.ts';

onSqlite('The kit stays connected', (database) => {
  // They wait for timers most of the time.
  describe('all at once', { concurrency: true }, () => {
    test('no message is lost or repeated while the server is killed again and again', async (t) => {
      const settings = settingsOf(await database.create(t));
      let server = await startServer(settings);
      t.after(() => server.kill());
      const line = await startLine(t, server.url);
      const alice = await join(t, line.url, 'alice');
      const bob = await join(t, line.url, 'bob');
      const expected: string[] = [];
      for (let round = 0; round < 3; round++) {
        for (let i = 0; i < 5; i++) expected.push(`${round}.${i}`);
        const sent = expected.slice(-5).map((body) => alice.doorman.send(bob.id, body));
        await sent[round * 2];
        await server.kill();
        server = await startServer(settings);
        line.target = server.url;
        await Promise.all(sent);
      }
      await bob.hears(...expected);
      await bob.is('live');
      assert.deepEqual(
        bob.all('message').map(({ n }) => n),
        expected.map((_, i) => i + 1),
      );
      // The sender's own log has the same messages.
      await alice.hears(...expected);
      // All of it came by resuming: no full sync was needed.
      assert.equal(bob.all('snapshot').length, 1);
    });

    test('an event that the kit does not know advances the position, and is ignored', async (t) => {
      const service = await serve(t, database);
      const line = await startLine(t, service.url);
      const alice = await join(t, service.url, 'alice');
      const bob = await join(t, line.url, 'bob');
      const { db } = service.services;
      const positions = () =>
        line.frames.filter(({ type }) => type === 'hello').map(({ seq }) => seq as number | undefined);
      const breakOff = async () => {
        line.isDown = true;
        line.cut();
        await bob.is('waiting');
      };
      const comeBack = async () => {
        line.isDown = false;
        await bob.is('live');
      };
      await breakOff();
      await db.run`update inbox_heads set seq = 1 where user_id = ${bob.id}`;
      await db.run`
        insert into inbox (user_id, seq, at, event, data) values (${bob.id}, 1, 1, 'of a later service', '{"peer":"x"}')`;
      await comeBack();
      await breakOff();
      await comeBack();
      assert.deepEqual(positions(), [undefined, 0, 1]);
      await alice.doorman.send(bob.id, 'known');
      await bob.hears('known');
      assert.ok(!JSON.stringify(bob.emitted).includes('"peer":"x"'));
      assert.equal(bob.all('snapshot').length, 1);
    });

    test('events missed during a broken connection come once, in order, before the connection is live', async (t) => {
      const service = await serve(t, database);
      const line = await startLine(t, service.url);
      const alice = await join(t, service.url, 'alice');
      const bob = await join(t, line.url, 'bob');
      await alice.doorman.send(bob.id, 'before');
      await bob.first('message');
      line.isDown = true;
      line.cut();
      await bob.is('waiting');
      for (const body of ['one', 'two', 'three']) await alice.doorman.send(bob.id, body);
      line.isDown = false;
      await bob.is('live');
      await bob.hears('before', 'one', 'two', 'three');
      const hellos = line.frames.filter(({ type }) => type === 'hello');
      assert.equal(hellos[0].epoch, undefined);
      assert.deepEqual(
        [hellos.at(-1).epoch, hellos.at(-1).seq],
        [service.services.inbox.epoch, await seqOf(bob, 'before')],
      );
    });

    test('events that a snapshot includes are not emitted again, later ones are', async (t) => {
      const service = await serve(t, database);
      const line = await startLine(t, service.url);
      const alice = await join(t, service.url, 'alice');
      const bob = await new Device(t, line.url).signUp('bob');
      // The snapshot is held back while messages come, and is one that was taken after the first two of them.
      const held: Body[] = [];
      const events: Body[] = [];
      line.passes = (frame) => {
        if (frame.type === 'event') events.push(frame);
        if (!frame.data?.conversations || held.length > 0) return true;
        held.push(frame);
        return false;
      };
      bob.doorman.connect();
      await until(() => held.length > 0);
      await alice.doorman.send(bob.id, 'one');
      await alice.doorman.send(bob.id, 'two');
      const { data: snapshot } = (await service.get('/api/sync', { token: bob.session.token })).body;
      await alice.doorman.send(bob.id, 'three');
      await until(() => events.length === 3);
      assert.deepEqual(bob.all('message'), []);
      assert.equal(bob.doorman.connection.state, 'connecting');
      line.say({ ...held[0], data: snapshot });
      await bob.is('live');
      await bob.hears('three');
      assert.deepEqual(bob.all('snapshot'), [snapshot]);
      await alice.doorman.send(bob.id, 'four');
      await bob.hears('three', 'four');
    });

    test('a position of another database is void: the kit does a full sync', async (t) => {
      const service = await serve(t, database);
      const line = await startLine(t, service.url);
      const alice = await join(t, line.url, 'alice');
      // As after restoring a backup: the epoch has changed.
      const renewed = await renewEpoch(service.services.db);
      const restarted = await service.restart();
      line.target = await restarted.app.listen({ port: 0, host: '127.0.0.1' });
      alice.doorman.reconnectNow();
      const { epoch } = await alice.first('snapshot', () => true, 1);
      assert.equal(epoch, renewed);
      await alice.is('live');
    });

    test('a gap in the log is not passed on: the kit reconnects and resumes before it', async (t) => {
      const service = await serve(t, database);
      const line = await startLine(t, service.url);
      const alice = await join(t, service.url, 'alice');
      const bob = await join(t, line.url, 'bob');
      let isSwallowed = false;
      line.passes = (frame) => {
        if (frame.event !== 'message' || isSwallowed) return true;
        isSwallowed = true;
        return false;
      };
      await alice.doorman.send(bob.id, 'one');
      await alice.doorman.send(bob.id, 'two');
      await bob.hears('one', 'two');
      assert.equal(line.arrivals.length, 2);
    });

    test('a gap that persists leads to a full sync, not to endless reconnecting', async (t) => {
      const service = await serve(t, database);
      const line = await startLine(t, service.url);
      const alice = await join(t, service.url, 'alice');
      const bob = await join(t, line.url, 'bob');
      line.passes = (frame) => frame.type !== 'event' || frame.seq !== 1;
      await alice.doorman.send(bob.id, 'one');
      await alice.doorman.send(bob.id, 'two');
      const snapshot = await bob.first('snapshot', () => true, 1);
      assert.equal(snapshot.conversations[0]?.last.body, 'two');
      await bob.is('live');
      await alice.doorman.send(bob.id, 'three');
      await bob.hears('three');
    });

    test('events are acknowledged in batches, also those emitted just before a break', async (t) => {
      const service = await serve(t, database);
      const line = await startLine(t, service.url);
      const alice = await join(t, service.url, 'alice');
      const bob = await join(t, line.url, 'bob', { times: { ackMs: 500 } });
      for (let i = 0; i < 10; i++) await alice.doorman.send(bob.id, `${i}`);
      await alice.first('marked', ({ by, received }) => by === bob.id && received === 10);
      const acks = line.frames.filter(({ type }) => type === 'ack');
      assert.ok(acks.length < 10, `${acks.length} acknowledgements`);
      bob.doorman.on('message', ({ n }) => n === 11 && line.cut());
      await alice.doorman.send(bob.id, 'last');
      await alice.first('marked', ({ by, received }) => by === bob.id && received === 11);
    });

    test('the waits double with full jitter, and start over only after a steady connection', async (t) => {
      const service = await serve(t, database);
      const line = await startLine(t, service.url);
      const times = { backoffMs: 40, maxBackoffMs: 320, steadyMs: 1_000_000_000 };
      const alice = await join(t, line.url, 'alice', { times });
      /** Cuts the connection a few times. @returns the planned waits */
      const cut = async (device: Device, count: number, beforeEach = async () => {}) => {
        const waits: number[] = [];
        device.doorman.on('connection', (connection) => {
          if (connection.state === 'waiting') waits.push(connection.retryAt - Date.now());
        });
        for (let i = 0; i < count; i++) {
          await beforeEach();
          line.cut();
          await until(() => waits.length > i);
          await device.is('live');
        }
        return waits;
      };
      // Never steady: soon the waits are random ones of up to 320 ms, of which some are longer than the first could be.
      const waits = await cut(alice, 16);
      alice.doorman.disconnect();
      assert.ok((waits[0] ?? 0) <= 40, `${waits}`);
      assert.ok((waits[1] ?? 0) <= 80, `${waits}`);
      assert.ok(Math.max(...waits) > 80 && Math.max(...waits) <= 320, `${waits}`);
      assert.ok(Math.min(...waits.slice(4)) < 160, `no jitter: ${waits}`);
      // Steady at once: its timer was set before this one of the same length, and so ends before it.
      const bob = await join(t, line.url, 'bob', { times: { ...times, steadyMs: 1 } });
      const first = await cut(bob, 6, () => new Promise((resolve) => setTimeout(resolve, 1)));
      assert.ok(Math.max(...first) <= 40, `${first}`);
    });

    test('reconnectNow does not wait', async (t) => {
      const service = await serve(t, database);
      const line = await startLine(t, service.url);
      const alice = await join(t, line.url, 'alice', { times: { backoffMs: 1e9, maxBackoffMs: 1e9 } });
      line.cut();
      await alice.is('waiting');
      alice.doorman.reconnectNow();
      await alice.is('live');
    });

    test('a connection on which nothing arrives any more is given up, though neither side closed it', async (t) => {
      const service = await serve(t, database);
      const line = await startLine(t, service.url);
      const alice = await join(t, line.url, 'alice', { times: { silenceMs: 400, pongMs: 2_000 } });
      // Silence alone is not a broken connection: a ping is answered.
      await until(() => line.frames.filter(({ type }) => type === 'ping').length >= 2);
      assert.equal(line.arrivals.length, 1);
      line.freeze();
      await alice.first('connection', ({ state }) => state === 'waiting');
      await alice.is('live');
      assert.equal(line.arrivals.length, 2);
    });

    test('reconnectNow on a live connection checks whether it is still live', async (t) => {
      const service = await serve(t, database);
      const line = await startLine(t, service.url);
      const alice = await join(t, line.url, 'alice', { times: { pongMs: 200 } });
      line.freeze();
      alice.doorman.reconnectNow();
      await alice.first('connection', ({ state }) => state === 'waiting');
      await alice.is('live');
      assert.equal(line.arrivals.length, 2);
    });

    test('the kit waits for a service that is not reachable yet', async (t) => {
      const service = await serve(t, database);
      const line = await startLine(t, service.url);
      const alice = await new Device(t, line.url).signUp('alice');
      line.isDown = true;
      alice.doorman.connect();
      await alice.is('waiting');
      line.isDown = false;
      await alice.is('live');
    });

    test('disconnect is final, and says bye', async (t) => {
      const service = await serve(t, database);
      const alice = await join(t, service.url, 'alice');
      alice.doorman.disconnect();
      assert.deepEqual(alice.doorman.connection, { state: 'off' });
      // At once, without the ten seconds of grace for a broken connection.
      const watching = await join(t, service.url, 'bob');
      watching.doorman.watch([alice.id]);
      const [sight] = await watching.first('presence');
      assert.equal(sight?.online, 0);
      assert.deepEqual(
        alice.all('connection').map(({ state }) => state),
        ['connecting', 'live', 'off'],
      );
    });
  });
});

/** The number in the log of the message with this body. */
async function seqOf(device: Device, body: string): Promise<number> {
  const { seq, conversations } = await device.doorman.api.snapshot();
  const last = conversations[0]?.last.n ?? 0;
  return seq - last + device.bodies.indexOf(body) + 1;
}
