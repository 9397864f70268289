import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { MemoryStorage } from 'doorman-client/testing';
import { GuardedStorage } from '../../client/src/storage/guarded-storage.ts';
import { onSqlite } from '../databases.ts';
import { allButProofs, Device, join, until } from './device.ts';
import { FAILURES, FailingStorage, OPERATIONS } from './failing-storage.ts';
import { serve } from './serving.ts';

const MOMENTS = ['at the start', 'at sign-in', 'in the session', 'at a message', 'at sign-out'] as const;

/** Only catches a hang. */
const limit = { timeout: 120_000 };
const times = { storageMs: 200 };

onSqlite('A storage that fails', (database) => {
  test('prevents neither signing in nor signing out, at any operation and moment', {
    ...limit,
    concurrency: 8,
  }, async (t) => {
    const service = await serve(t, database);
    const bob = await join(t, service.url, 'bob');
    const cells = OPERATIONS.flatMap((operation) =>
      MOMENTS.flatMap((moment) => FAILURES.map((failure) => ({ operation, moment, failure }))),
    );
    const story = async (cell: (typeof cells)[number], name: string) => {
      const { operation, failure } = cell;
      const storage = new FailingStorage();
      const first = await new Device(t, service.url, { storage, times }).signUp(name);
      const device = new Device(t, service.url, { storage, times });
      const { doorman } = device;
      const at = (moment: string) => moment === cell.moment && storage.fail(failure, operation);
      const message = async (body: string) => {
        assert.equal((await doorman.send(bob.id, body, undefined, 'program/draft')).state, 'stored');
      };

      at('at the start');
      const restored = await doorman.restore();
      if (cell.moment === 'at the start' && operation === 'get') assert.equal(restored, undefined);
      else assert.deepEqual(restored, first.session);
      at('at sign-in');
      await device.signIn(name);
      await device.connect();
      await doorman.storage.set('program/known', 'before');
      await doorman.storage.set('program/removed', 1);
      at('in the session');
      await doorman.storage.delete('program/removed');
      assert.equal(await doorman.storage.get('program/known'), 'before');
      await doorman.storage.set('program/late', 'after');
      assert.deepEqual(await doorman.storage.all('program/'), [
        ['program/known', 'before'],
        ['program/late', 'after'],
      ]);
      at('at a message');
      await message('in the session');
      assert.deepEqual(doorman.outgoing(), []);
      at('at sign-out');
      const { token } = device.session;
      await doorman.signOut();
      assert.equal(doorman.session, undefined);
      assert.deepEqual(device.all('session').at(-1), { session: undefined, end: 'signed_out' });
      assert.equal((await service.get('/api/friends', { token })).status, 401);
      assert.deepEqual(await allButProofs(doorman.storage), []);

      await device.signIn(name);
      await device.connect();
      await message('in the second session');
      const expected = failure === 'hangs' ? { state: 'memory' } : { state: 'memory', error: storage.error };
      if (storage.failed > 0) await device.first('storage');
      assert.deepEqual(device.all('storage'), storage.failed > 0 ? [expected] : []);
      // Each operation is used at some moment, so every cell has an effect unless it comes too late to be needed.
      if (cell.moment === 'at the start') assert.ok(storage.failed > 0);
      doorman.disconnect();
    };
    await Promise.all(
      cells.map((cell, i) =>
        t.test(`${cell.operation} ${cell.failure} ${cell.moment}`, () => story(cell, `alice${i}`)),
      ),
    );
  });

  describe('all at once', { concurrency: true }, () => {
    test('settles all waiting operations as soon as one fails', limit, async (t) => {
      const service = await serve(t, database);
      const storage = new FailingStorage();
      const { doorman } = await new Device(t, service.url, { storage }).signUp('alice');
      await doorman.storage.set('program/a', 1);
      storage.fail('hangs', 'get', 'all');
      const waiting = [doorman.storage.get('program/a'), doorman.storage.all('program/')];
      storage.fail('rejects', 'set');
      await doorman.storage.set('program/b', 2);
      assert.deepEqual(await Promise.all(waiting), [
        1,
        [
          ['program/a', 1],
          ['program/b', 2],
        ],
      ]);
    });

    test('brings back no session when a write succeeds after signing out', limit, async (t) => {
      const service = await serve(t, database);
      const storage = new FailingStorage();
      const device = new Device(t, service.url, { storage, times });
      const { doorman } = await device.signUp('alice');
      await doorman.signOut();
      // The device has its proof already: the write that hangs is that of the session.
      storage.fail('hangs', 'set');
      await device.signIn('alice');
      await doorman.signOut();
      storage.recover();
      assert.ok(await storage.disk.get('session'));
      await until(async () => (await allButProofs(storage.disk)).length === 0);
    });

    test('brings back no session of an earlier user when a write succeeds late', limit, async (t) => {
      const service = await serve(t, database);
      const storage = new FailingStorage();
      const device = await new Device(t, service.url, { storage, times }).signUp('alice');
      await device.doorman.signOut();
      storage.fail('hangs', 'set');
      await device.signIn('alice');
      const bob = await device.signUp('bob');
      storage.recover();
      assert.ok(await storage.disk.get('session'));
      await until(async () => (await allButProofs(storage.disk)).length === 0);
      assert.equal(device.session.username, 'bob');
      assert.deepEqual(await bob.doorman.restore(), bob.session);
    });

    test('is empty once a removal that hung at sign-out succeeds', limit, async (t) => {
      const service = await serve(t, database);
      const storage = new FailingStorage();
      const { doorman } = await new Device(t, service.url, { storage, times }).signUp('alice');
      storage.fail('hangs', 'clear', 'delete');
      await doorman.signOut();
      assert.ok(await storage.disk.get('session'));
      storage.recover();
      assert.deepEqual(await allButProofs(storage.disk), []);
    });

    test(
      'that cannot remove: a session found at the next start is ended at the service',
      limit,
      async (t) => {
        const service = await serve(t, database);
        const storage = new FailingStorage();
        const { doorman } = await new Device(t, service.url, { storage, times }).signUp('alice');
        storage.fail('rejects', 'clear', 'delete');
        await doorman.signOut();
        storage.recover();
        const restarted = new Device(t, service.url, { storage, times });
        assert.ok(await restarted.doorman.restore());
        restarted.doorman.connect();
        await restarted.first('session', ({ session }) => session === undefined);
        await until(async () => (await storage.disk.get('session')) === undefined);
      },
    );

    test('whose read completes late is ignored', limit, async (t) => {
      const service = await serve(t, database);
      const storage = new FailingStorage();
      await new Device(t, service.url, { storage }).signUp('alice');
      storage.fail('hangs', 'get', 'all');
      const device = new Device(t, service.url, { storage, times });
      assert.equal(await device.doorman.restore(), undefined);
      await device.signUp('bob');
      storage.recover();
      assert.deepEqual(await device.doorman.restore(), device.session);
      assert.equal(device.session.username, 'bob');
    });

    test('is emptied at sign-out if it still removes', limit, async (t) => {
      const service = await serve(t, database);
      const storage = new FailingStorage();
      const alice = await join(t, service.url, 'alice', { storage });
      storage.fail('rejects', 'set');
      await alice.doorman.storage.set('program/draft', 'too much');
      await alice.first('storage');
      await alice.doorman.signOut();
      assert.deepEqual(await allButProofs(storage.disk), []);
    });

    test('gives the next page no session that another sign-in has replaced', limit, async (t) => {
      const service = await serve(t, database);
      const storage = new FailingStorage();
      await new Device(t, service.url, { storage }).signUp('alice');
      storage.fail('rejects', 'get');
      const device = new Device(t, service.url, { storage });
      assert.equal(await device.doorman.restore(), undefined);
      await device.signUp('bob');
      assert.equal(await storage.disk.get('session'), undefined);
    });

    test('lets its tab follow when another tab signs out', limit, async (t) => {
      const service = await serve(t, database);
      const [disk, name] = [new MemoryStorage(), crypto.randomUUID()];
      const storage = new FailingStorage(disk, name);
      const tab = await join(t, service.url, 'alice', { storage, times });
      const other = new Device(t, service.url, { storage: new FailingStorage(disk, name) });
      await other.doorman.restore();
      storage.fail('hangs', 'get', 'set', 'delete', 'all', 'clear');
      await tab.doorman.storage.get('program/anything');
      await other.doorman.signOut();
      await tab.first('session', ({ session }) => session === undefined);
      await other.signUp('bob');
      await until(async () => (await disk.get('session')) !== undefined);
      assert.equal(await tab.doorman.restore(), undefined);
      // This tab removed the session from its copy only; the storage still has Bob's.
      storage.recover();
      assert.deepEqual(
        await new Device(t, service.url, { storage: other.storage }).doorman.restore(),
        other.session,
      );
    });
  });
});

test('a read that began before a write does not replace what was written', async () => {
  const { promise, resolve } = Promise.withResolvers<unknown>();
  const storage = Object.assign(new MemoryStorage(), { get: () => promise });
  const guarded = new GuardedStorage(storage, 10_000);
  const reading = guarded.get('a');
  await guarded.set('a', 'new');
  resolve('old');
  assert.equal(await reading, 'old');
  storage.set = () => Promise.reject(new Error('full'));
  await guarded.set('b', 1);
  assert.equal(await guarded.get('a'), 'new');
});
