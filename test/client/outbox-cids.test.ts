import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { MemoryStorage } from 'doorman-client/testing';
import { onSqlite, type TestDatabase } from '../databases.ts';
import { Device, join, until } from './device.ts';
import { type Line, startLine } from './line.ts';
import { serve } from './serving.ts';

const CID_USED = { name: 'DoormanError', code: 400, error: 'cid_used' };

/** Alice, signed up on a line of her own and not connected; Bob and Carol are connected. */
async function begin(t: TestContext, database: TestDatabase) {
  const service = await serve(t, database);
  const line = await startLine(t, service.url);
  const storage = Object.assign(new MemoryStorage(), { name: crypto.randomUUID() });
  const alice = await new Device(t, line.url, { storage }).signUp('alice');
  const [bob, carol] = [await join(t, service.url, 'bob'), await join(t, service.url, 'carol')];
  return { service, line, alice, bob, carol };
}

/** The kit refuses this cid for other words and for another recipient, and nothing of it shows or is sent. */
async function refusesOthers(alice: Device, line: Line, to: string, other: string): Promise<void> {
  const before = [alice.doorman.outgoing(), alice.all('outgoing').length, sends(line).length];
  await assert.rejects(alice.doorman.send(to, 'other words', 'c1'), CID_USED);
  await assert.rejects(alice.doorman.send(other, 'hi', 'c1'), CID_USED);
  assert.deepEqual([alice.doorman.outgoing(), alice.all('outgoing').length, sends(line).length], before);
}

function sends(line: Line) {
  return line.frames.filter(({ type }) => type === 'send');
}

onSqlite('A cid names one message', (database) => {
  describe('all at once', { concurrency: true }, () => {
    test('while it waits, is being sent, and when it is stored', async (t) => {
      const { line, alice, bob, carol } = await begin(t, database);
      const first = alice.doorman.send(bob.id, 'hi', 'c1');
      await refusesOthers(alice, line, bob.id, carol.id);
      line.passes = (frame) => frame.data?.n === undefined && frame.type !== 'event';
      await alice.connect();
      await alice.first('outgoing', ({ state }) => state === 'sending');
      await until(() => sends(line).length === 1);
      await refusesOthers(alice, line, bob.id, carol.id);
      assert.equal(alice.doorman.send(bob.id, 'hi', 'c1'), first);
      line.passes = () => true;
      line.cut();
      assert.equal((await first).n, 1);
      await refusesOthers(alice, line, bob.id, carol.id);
      assert.equal(alice.doorman.send(bob.id, 'hi', 'c1'), first);
      await bob.hears('hi');
      assert.deepEqual(carol.bodies, []);
    });

    test('while it is refused', async (t) => {
      const { line, alice, bob, carol } = await begin(t, database);
      await bob.doorman.api.block(alice.id);
      await alice.connect();
      const first = alice.doorman.send(bob.id, 'hi', 'c1');
      await assert.rejects(first, { error: 'not_accepting' });
      await refusesOthers(alice, line, bob.id, carol.id);
      assert.equal(alice.doorman.send(bob.id, 'hi', 'c1'), first);
    });

    test('after a reload, and is free again once its message was discarded', async (t) => {
      const { line, alice, bob, carol } = await begin(t, database);
      alice.doorman.send(bob.id, 'hi', 'c1');
      await until(async () => (await alice.storage.all('outgoing/')).length === 1);
      const reloaded = new Device(t, line.url, { storage: alice.storage });
      await reloaded.doorman.restore();
      await refusesOthers(reloaded, line, bob.id, carol.id);
      await reloaded.doorman.discard('c1');
      const sent = reloaded.doorman.send(carol.id, 'hello', 'c1');
      await reloaded.connect();
      assert.equal((await sent).to, carol.id);
      await carol.hears('hello');
      assert.deepEqual(bob.bodies, []);
    });

    test('that another device of the user sent: the same words are that message, others are refused', async (t) => {
      const { line, alice, bob, carol } = await begin(t, database);
      await alice.connect();
      const desk = await (await new Device(t, line.target).signIn('alice')).connect();
      const { at } = await desk.doorman.send(bob.id, 'hi', 'c1');
      await alice.first('message');
      await refusesOthers(alice, line, bob.id, carol.id);
      assert.deepEqual(await alice.doorman.send(bob.id, 'hi', 'c1'), {
        to: bob.id,
        cid: 'c1',
        body: 'hi',
        writtenAt: at,
        state: 'stored',
        n: 1,
        at,
      });
      assert.equal(sends(line).length, 0);
    });

    test('and the log’s word of another message with it stores nothing that waits', async (t) => {
      const { line, alice, bob, carol } = await begin(t, database);
      const desk = await (await new Device(t, line.target).signIn('alice')).connect();
      await alice.connect();
      alice.doorman.disconnect();
      await desk.doorman.send(bob.id, 'from the desk', 'c1');
      await desk.doorman.send(bob.id, 'hi', 'c2');
      alice.doorman.send(bob.id, 'from the phone', 'c1');
      alice.doorman.send(carol.id, 'hi', 'c2');
      await alice.connect();
      await alice.hears('from the desk', 'hi');
      for (const one of ['c1', 'c2'])
        await alice.first('outgoing', ({ cid, error }) => cid === one && error === 'cid_used');
      assert.deepEqual(
        alice.all('outgoing').filter(({ state }) => state === 'stored'),
        [],
      );
      assert.deepEqual(
        alice.doorman.outgoing().map(({ cid, body }) => [cid, body]),
        [
          ['c1', 'from the phone'],
          ['c2', 'hi'],
        ],
      );
    });

    test('that another tab sent: the same words are that message, others are refused', async (t) => {
      const { line, alice, bob, carol } = await begin(t, database);
      const writing = new Device(t, line.url, { storage: alice.storage });
      await writing.doorman.restore();
      writing.doorman.send(bob.id, 'hi', 'c1');
      await alice.first('outgoing', ({ state }) => state === 'waiting');
      await refusesOthers(alice, line, bob.id, carol.id);
      await writing.connect();
      await alice.first('outgoing', ({ state }) => state === 'stored');
      assert.equal((await alice.doorman.send(bob.id, 'hi', 'c1')).n, 1);
      await assert.rejects(alice.doorman.send(carol.id, 'hi', 'c1'), CID_USED);
    });

    test('but two tabs that give it to two messages at once keep both, and each can be discarded', async (t) => {
      const { line, alice, bob, carol } = await begin(t, database);
      const other = new Device(t, line.url, { storage: alice.storage });
      await other.doorman.restore();
      const first = alice.doorman.send(bob.id, 'hi', 'c1');
      const second = other.doorman.send(carol.id, 'hello', 'c1');
      await alice.first('outgoing', ({ to }) => to === carol.id);
      await until(async () => (await alice.storage.all('outgoing/')).length === 2);
      const reloaded = new Device(t, line.url, { storage: alice.storage });
      await reloaded.doorman.restore();
      assert.deepEqual(
        reloaded.doorman.outgoing().map(({ to, body }) => [to, body]),
        [
          [bob.id, 'hi'],
          [carol.id, 'hello'],
        ],
      );
      await reloaded.doorman.discard('c1', carol.id);
      await assert.rejects(second, { error: 'discarded' });
      assert.deepEqual(
        reloaded.doorman.outgoing().map(({ to }) => to),
        [bob.id],
      );
      await reloaded.connect();
      assert.equal((await first).to, bob.id);
      assert.deepEqual(await alice.storage.all('outgoing/'), []);
      assert.deepEqual(carol.bodies, []);
    });

    test('that a kept message has is refused also while what was kept is still being read', async (t) => {
      const { line, alice, bob } = await begin(t, database);
      alice.doorman.send(bob.id, 'kept', 'c1');
      await until(async () => (await alice.storage.all('outgoing/')).length === 1);
      const storage = Object.assign(new MemoryStorage(), { all: alice.storage.all.bind(alice.storage) });
      const read = Promise.withResolvers<void>();
      const reading = Promise.withResolvers<void>();
      await storage.set('session', await alice.storage.get('session'));
      storage.all = async (prefix) => {
        reading.resolve();
        await read.promise;
        return alice.storage.all(prefix);
      };
      const reloaded = new Device(t, line.url, { storage });
      const restored = reloaded.doorman.restore();
      await reading.promise;
      const other = reloaded.doorman.send(bob.id, 'other words', 'c1');
      read.resolve();
      await restored;
      await assert.rejects(other, CID_USED);
      assert.deepEqual(
        reloaded.doorman.outgoing().map(({ body }) => body),
        ['kept'],
      );
      assert.deepEqual(await storage.all('outgoing/'), await alice.storage.all('outgoing/'));
    });

    test('what an earlier version kept by its cid alone is sent, and leaves nothing behind', async (t) => {
      const { line, alice, bob, carol } = await begin(t, database);
      const keep = (to: string, cid: string, state: string, writtenAt: number) =>
        alice.storage.set(`outgoing/${alice.id}/${cid}`, {
          to,
          cid,
          body: `body of ${cid}`,
          writtenAt,
          state,
        });
      await keep(bob.id, 'c1', 'waiting', 2);
      await keep(bob.id, 'c0', 'waiting', 3);
      await keep(carol.id, 'c2', 'refused', 1);
      const reloaded = new Device(t, line.url, { storage: alice.storage });
      await reloaded.doorman.restore();
      assert.deepEqual(
        reloaded.doorman.outgoing().map(({ cid, state }) => `${cid} ${state}`),
        ['c2 refused', 'c1 waiting', 'c0 waiting'],
      );
      await assert.rejects(reloaded.doorman.send(bob.id, 'other words', 'c1'), CID_USED);
      await reloaded.connect();
      await bob.hears('body of c1', 'body of c0');
      await carol.doorman.api.block(alice.id);
      reloaded.doorman.retry('c2');
      await reloaded.first('outgoing', ({ error }) => error === 'not_accepting');
      await until(async () => (await alice.storage.all('outgoing/')).length === 1);
      await reloaded.doorman.discard('c2');
      assert.deepEqual(await alice.storage.all('outgoing/'), []);
    });
  });
});
