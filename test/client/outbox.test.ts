import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { DoormanStorage, StorageChange } from 'doorman-client';
import { MemoryStorage } from 'doorman-client/testing';
import { Clock } from '../clocks.ts';
import { onSqlite } from '../databases.ts';
import { Device, join, until } from './device.ts';
import { FailingStorage } from './failing-storage.ts';
import { startLine } from './line.ts';
import { serve } from './serving.ts';

/** A storage that reports after each change which of a draft and its message it holds. */
function watched(
  disk: MemoryStorage,
  hasTransactions: boolean,
  report: (held: string) => void,
): DoormanStorage {
  const then = async (change: Promise<void>) => {
    await change;
    const draft = (await disk.get('my/draft')) === undefined ? [] : ['draft'];
    const messages = (await disk.all('outgoing/')).map(() => 'message');
    report([...draft, ...messages].join(' and '));
  };
  const storage = {
    get: (key: string) => disk.get(key),
    all: (prefix: string) => disk.all(prefix),
    clear: () => disk.clear(),
    set: (key: string, value: unknown) => then(disk.set(key, value)),
    delete: (key: string) => then(disk.delete(key)),
  };
  const write = (changes: readonly StorageChange[]) => then(disk.write(changes));
  return hasTransactions ? { ...storage, write } : storage;
}

onSqlite('A message in the outbox', (database) => {
  // They wait for the clock most of the time.
  describe('all at once', { concurrency: true }, () => {
    test('is stored once per cid, and every call with it returns the same promise', async (t) => {
      const service = await serve(t, database);
      const alice = await join(t, service.url, 'alice');
      const bob = await join(t, service.url, 'bob');
      const first = alice.doorman.send(bob.id, 'hi', 'c1');
      assert.equal(alice.doorman.send(bob.id, 'hi', 'c1'), first);
      const { writtenAt, at, ...stored } = await first;
      assert.deepEqual(stored, { to: bob.id, cid: 'c1', body: 'hi', state: 'stored', n: 1 });
      assert.ok(at !== undefined && at >= writtenAt);
      assert.equal(alice.doorman.send(bob.id, 'hi', 'c1'), first);
      await bob.first('message');
      const { items } = await bob.doorman.api.history({ peer: alice.id });
      assert.equal(items.length, 1);
      assert.deepEqual(
        alice.all('outgoing').map(({ state }) => state),
        ['waiting', 'sending', 'stored'],
      );
      assert.deepEqual(alice.doorman.outgoing(), []);
      assert.deepEqual(await alice.storage.all('outgoing/'), []);
    });

    for (const [name, first] of [
      ['with', 'message'],
      ['without', 'draft and message'],
    ])
      test(`replaces its draft in a storage ${name} transactions`, async (t) => {
        const service = await serve(t, database);
        const bob = await join(t, service.url, 'bob');
        const held: string[] = [];
        const storage = watched(new MemoryStorage(), name === 'with', (one) => held.push(one));
        const alice = await new Device(t, service.url, { storage }).signUp('alice');
        await alice.connect();
        await alice.doorman.storage.set('my/draft', 'hi');
        const before = held.length;
        await alice.doorman.send(bob.id, 'hi', { cid: 'c1', draftKey: 'my/draft' });
        assert.equal(held[before], first);
        await until(() => held.at(-1) === '');
      });

    test('may answer a message, also after a reload; with its cid another answer is another message', async (t) => {
      const service = await serve(t, database);
      const bob = await join(t, service.url, 'bob');
      const alice = await new Device(t, service.url).signUp('alice');
      alice.doorman.send(bob.id, 'one', 'c1');
      alice.doorman.send(bob.id, 'two', { cid: 'c2', replyTo: 1 });
      await until(async () => (await alice.storage.all('outgoing/')).length === 2);
      const reloaded = new Device(t, service.url, { storage: alice.storage });
      await reloaded.doorman.restore();
      await reloaded.connect();
      await bob.hears('one', 'two');
      await until(() => reloaded.bodies.length === 2);
      for (const device of [bob, reloaded])
        assert.deepEqual(
          device.all('message').map(({ replyTo }) => replyTo),
          [undefined, 1],
        );
      const again = await reloaded.doorman.send(bob.id, 'two', { cid: 'c2', replyTo: 1 });
      assert.deepEqual([again.n, again.replyTo], [2, 1]);
      for (const replyTo of [undefined, 2])
        await assert.rejects(
          reloaded.doorman.send(bob.id, 'two', { cid: 'c2', ...(replyTo && { replyTo }) }),
          { error: 'cid_used' },
        );
      await assert.rejects(reloaded.doorman.send(bob.id, 'three', { replyTo: 9 }), {
        error: 'reply_unknown',
      });
    });

    test('gets a cid of its own, and keeps its order across recipients', async (t) => {
      const service = await serve(t, database);
      const alice = await join(t, service.url, 'alice');
      const [bob, carol] = [await join(t, service.url, 'bob'), await join(t, service.url, 'carol')];
      const bodies = Array.from({ length: 12 }, (_, i) => `${i}`);
      const sent = await Promise.all(
        bodies.flatMap((body) => [alice.doorman.send(bob.id, body), alice.doorman.send(carol.id, body)]),
      );
      assert.equal(new Set(sent.map(({ cid }) => cid)).size, 24);
      for (const device of [bob, carol]) {
        await device.hears(...bodies);
      }
      // The order is the same after a reload, though all were written in the same millisecond.
      const times = sent.map(({ writtenAt }) => writtenAt);
      assert.equal(new Set(times).size, 24);
    });

    test('keeps its order even if storing the first one takes longer', async (t) => {
      const service = await serve(t, database);
      const storage: DoormanStorage = new MemoryStorage();
      const alice = await join(t, service.url, 'alice', { storage });
      const bob = await join(t, service.url, 'bob');
      const set = storage.set.bind(storage);
      const held = Promise.withResolvers<void>();
      storage.set = async (key, value) => {
        if (key.endsWith('/c1')) await held.promise;
        await set(key, value);
      };
      alice.doorman.send(bob.id, 'one', 'c1');
      alice.doorman.send(bob.id, 'two', 'c2');
      // Frames go out in their order: had the second message been sent, it would have come before this answer.
      alice.doorman.watch([bob.id]);
      await alice.first('presence');
      assert.deepEqual(bob.bodies, []);
      held.resolve();
      await bob.hears('one', 'two');
    });

    test('is stored on the device before it is sent, survives a reload, and is sent in order', async (t) => {
      const service = await serve(t, database);
      const line = await startLine(t, service.url);
      const alice = await join(t, line.url, 'alice');
      const bob = await join(t, service.url, 'bob');
      line.isDown = true;
      line.cut();
      await alice.is('waiting');
      for (let i = 0; i < 5; i++) alice.doorman.send(bob.id, `${i}`, `cid ${9 - i}`);
      await until(async () => (await alice.storage.all('outgoing/')).length === 5);
      alice.doorman.disconnect();

      const reloaded = new Device(t, line.url, { storage: alice.storage });
      await reloaded.doorman.restore();
      assert.deepEqual(
        reloaded.doorman.outgoing().map(({ body, state }) => [body, state]),
        ['0', '1', '2', '3', '4'].map((body) => [body, 'waiting']),
      );
      const last = reloaded.doorman.send(bob.id, 'last');
      line.isDown = false;
      await reloaded.connect();
      await last;
      await bob.hears('0', '1', '2', '3', '4', 'last');
      assert.deepEqual(await alice.storage.all('outgoing/'), []);
    });

    test('is sent again when the reply was lost, and is stored once', async (t) => {
      const service = await serve(t, database);
      const line = await startLine(t, service.url);
      const alice = await join(t, line.url, 'alice');
      const bob = await join(t, service.url, 'bob');
      // Both the reply and the event of the stored message are lost with the connection.
      line.passes = (frame) => {
        if (frame.data?.n === undefined) return true;
        line.cut();
        return false;
      };
      const sent = alice.doorman.send(bob.id, 'hi');
      await alice.is('waiting');
      line.passes = (frame) => frame.type !== 'event';
      assert.equal((await sent).n, 1);
      const sends = line.frames.filter(({ type }) => type === 'send');
      assert.equal(sends.length, 2);
      assert.equal(sends[0].cid, sends[1].cid);
      await bob.hears('hi');
    });

    test('is known as stored by its event alone', async (t) => {
      const service = await serve(t, database);
      const line = await startLine(t, service.url);
      const alice = await join(t, line.url, 'alice');
      const bob = await join(t, service.url, 'bob');
      line.passes = (frame) => frame.type !== 'reply';
      const { n, at } = await alice.doorman.send(bob.id, 'hi');
      assert.equal(n, 1);
      assert.equal(at, alice.all('message')[0]?.at);
      const events = alice.emitted.map(({ event, what }) => (event === 'outgoing' ? what.state : event));
      assert.ok(events.indexOf('stored') < events.indexOf('message'));
    });

    test('stays with its error word when it is refused, until it is retried or discarded; later messages are sent', async (t) => {
      const service = await serve(t, database);
      const alice = await join(t, service.url, 'alice');
      const bob = await join(t, service.url, 'bob');
      await bob.doorman.api.block(alice.id);
      const refused = alice.doorman.send(bob.id, 'hear me', 'c1');
      await assert.rejects(refused, { name: 'DoormanError', code: 403, error: 'not_accepting' });
      await assert.rejects(alice.doorman.send(bob.id, '', 'c2'), { code: 400 });
      await assert.rejects(alice.doorman.send('nobody', 'hi', 'c3'), { code: 404 });
      await assert.rejects(alice.doorman.send(bob.id, 'x'.repeat(70_000), 'c4'), {
        error: 'frame_too_large',
      });
      assert.deepEqual(
        alice.doorman.outgoing().map(({ cid, state, error }) => [cid, state, error]),
        [
          ['c1', 'refused', 'not_accepting'],
          ['c2', 'refused', 'invalid_field'],
          ['c3', 'refused', 'user_not_found'],
          ['c4', 'refused', 'frame_too_large'],
        ],
      );
      assert.equal(alice.doorman.send(bob.id, 'hear me', 'c1'), refused);

      const reloaded = new Device(t, service.url, { storage: alice.storage });
      alice.doorman.disconnect();
      await until(async () => (await alice.storage.all('outgoing/')).length === 4);
      await reloaded.doorman.restore();
      await reloaded.connect();
      assert.deepEqual(
        reloaded.doorman.outgoing().map(({ state }) => state),
        ['refused', 'refused', 'refused', 'refused'],
      );
      for (const cid of ['c2', 'c3', 'c4']) await reloaded.doorman.discard(cid);
      assert.equal(reloaded.all('outgoing').filter(({ state }) => state === 'discarded').length, 3);
      await bob.doorman.api.unblock(alice.id);
      reloaded.doorman.retry('c1');
      assert.equal((await reloaded.doorman.send(bob.id, 'hear me', 'c1')).n, 1);
      await bob.first('message');
      await bob.hears('hear me');
      assert.deepEqual(await alice.storage.all('outgoing/'), []);
    });

    test('is refused alone if it has half a surrogate pair; later messages are sent', async (t) => {
      const service = await serve(t, database);
      const alice = await join(t, service.url, 'alice');
      const bob = await join(t, service.url, 'bob');
      await assert.rejects(alice.doorman.send(bob.id, 'half a pair: \ud83d', 'c1'), {
        code: 400,
        error: 'bad_text',
      });
      assert.equal((await alice.doorman.send(bob.id, 'hi', 'c2')).n, 1);
      await bob.hears('hi');
    });

    test('can be stored by a retry after it was refused; the retry has a promise of its own', async (t) => {
      const service = await serve(t, database);
      const alice = await join(t, service.url, 'alice');
      const bob = await join(t, service.url, 'bob');
      await bob.doorman.api.block(alice.id);
      const refused = alice.doorman.send(bob.id, 'hi', 'c1');
      await assert.rejects(refused, { error: 'not_accepting' });
      await bob.doorman.api.unblock(alice.id);
      alice.doorman.retry('c1');
      const again = alice.doorman.send(bob.id, 'hi', 'c1');
      assert.notEqual(again, refused);
      const { state, error } = await again;
      assert.deepEqual([state, error], ['stored', undefined]);
      // A message that is not refused is not retried.
      alice.doorman.retry('c1');
      await bob.hears('hi');
    });

    test('can be discarded while it waits: it never arrives', async (t) => {
      const service = await serve(t, database);
      const alice = await new Device(t, service.url).signUp('alice');
      const bob = await join(t, service.url, 'bob');
      const gone = alice.doorman.send(bob.id, 'never mind', 'c1');
      const sent = alice.doorman.send(bob.id, 'this');
      await alice.doorman.discard('c1');
      await assert.rejects(gone, { error: 'discarded' });
      await alice.connect();
      await sent;
      await bob.first('message');
      await bob.hears('this');
      assert.deepEqual(await alice.storage.all('outgoing/'), []);
    });

    test('waits if it is too fast, and arrives completely and in order', async (t) => {
      const clock = new Clock({ isStill: true });
      const service = await serve(t, database, { world: clock.world });
      const alice = await join(t, service.url, 'alice');
      const bob = await join(t, service.url, 'bob');
      const bodies = Array.from({ length: 40 }, (_, i) => `${i}`);
      const send = (body: string) => alice.doorman.send(bob.id, body);
      await Promise.all(bodies.slice(0, 30).map(send));
      // Thirty are allowed in 10 s, so the next one waits for the rest of them.
      clock.add(8_000);
      const sent = bodies.slice(30).map(send);
      const sending = await alice.first(
        'outgoing',
        ({ body, state }) => body === '30' && state === 'sending',
      );
      const from = alice.all('outgoing').indexOf(sending) + 1;
      await alice.first('outgoing', ({ body, state }) => body === '30' && state === 'waiting', from);
      clock.add(2_000);
      await Promise.all(sent);
      await bob.hears(...bodies);
      assert.ok(!alice.all('outgoing').some(({ state }) => state === 'refused'));
    });

    test('is retried while the service has a fault', async (t) => {
      const service = await serve(t, database);
      const line = await startLine(t, service.url);
      const alice = await join(t, line.url, 'alice', { times: { pauseMs: 50 } });
      const bob = await join(t, service.url, 'bob');
      let faults = 2;
      line.passes = (frame) => {
        if (frame.type !== 'reply' || frame.data?.n === undefined || faults-- <= 0)
          return frame.type !== 'event';
        line.say({ type: 'reply', id: frame.id, code: 500, error: 'internal', msg: '' });
        return false;
      };
      assert.equal((await alice.doorman.send(bob.id, 'hi')).n, 1);
      assert.equal(line.frames.filter(({ type }) => type === 'send').length, 3);
    });

    test('is sent even where nothing can be stored', async (t) => {
      const service = await serve(t, database);
      const storage: DoormanStorage = new MemoryStorage();
      const alice = await join(t, service.url, 'alice', { storage });
      const fail = () => Promise.reject(new DOMException('full', 'QuotaExceededError'));
      Object.assign(storage, { set: fail, delete: fail });
      const bob = await join(t, service.url, 'bob');
      await alice.doorman.send(bob.id, 'hi');
      await bob.first('message');
      await bob.doorman.api.block(alice.id);
      await assert.rejects(alice.doorman.send(bob.id, 'no'), { error: 'not_accepting' });
    });

    test('appears in all tabs, and disappears from them when it is stored', async (t) => {
      const service = await serve(t, database);
      const line = await startLine(t, service.url);
      const storage = Object.assign(new MemoryStorage(), { name: crypto.randomUUID() });
      const bob = await join(t, service.url, 'bob');
      const writing = await new Device(t, line.url, { storage }).signUp('alice');
      const other = new Device(t, line.url, { storage });
      await other.doorman.restore();
      const sent = writing.doorman.send(bob.id, 'hi', 'c1');
      await other.first('outgoing', ({ state }) => state === 'waiting');
      assert.deepEqual(
        other.doorman.outgoing().map(({ body, state }) => [body, state]),
        [['hi', 'waiting']],
      );
      await writing.connect();
      await sent;
      const stored = await other.first('outgoing', ({ state }) => state === 'stored');
      assert.equal(stored.n, 1);
      assert.deepEqual(other.doorman.outgoing(), []);
      await other.connect();
      await bob.hears('hi');

      await bob.doorman.api.block(writing.id);
      writing.doorman.send(bob.id, 'no', 'c2');
      await other.first('outgoing', ({ state }) => state === 'refused');
      assert.equal(other.doorman.outgoing()[0]?.error, 'not_accepting');
      await other.doorman.discard('c2');
      await writing.first('outgoing', ({ state }) => state === 'discarded');
      assert.deepEqual([writing.doorman.outgoing(), await storage.all('outgoing/')], [[], []]);
    });

    test('is left to its draft by another tab if its own was closed before it stored the message', async (t) => {
      const service = await serve(t, database);
      const shared = Object.assign(new MemoryStorage(), { name: crypto.randomUUID() });
      const closing = new FailingStorage(shared, shared.name);
      const bob = await join(t, service.url, 'bob');
      const writing = await new Device(t, service.url, { storage: closing }).signUp('alice');
      const other = new Device(t, service.url, { storage: shared, times: { takeOverMs: 300 } });
      await other.doorman.restore();
      await other.connect();
      await shared.set('my/draft', 'hi');
      closing.fail('hangs', 'write');
      writing.doorman.send(bob.id, 'hi', 'c1', 'my/draft');
      await other.first('outgoing', ({ state }) => state === 'waiting');
      await other.first('outgoing', ({ state }) => state === 'discarded');
      await other.doorman.send(bob.id, 'later');
      await bob.hears('later');
      assert.equal(await shared.get('my/draft'), 'hi');
    });

    test('is sent by another tab if its own is closed first', async (t) => {
      const service = await serve(t, database);
      const storage = Object.assign(new MemoryStorage(), { name: crypto.randomUUID() });
      const bob = await join(t, service.url, 'bob');
      const writing = await new Device(t, service.url, { storage }).signUp('alice');
      const other = new Device(t, service.url, { storage, times: { takeOverMs: 300 } });
      await other.doorman.restore();
      await other.connect();
      writing.doorman.send(bob.id, 'hi', 'c1');
      await other.first('outgoing', ({ state }) => state === 'waiting');
      assert.deepEqual(bob.bodies, []);
      await bob.first('message');
      await writing.first('outgoing', ({ state }) => state === 'stored');
      assert.deepEqual(await storage.all('outgoing/'), []);
    });
  });
});
