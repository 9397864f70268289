import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type DoormanStorage, readSession } from 'doorman-client';
import { MemoryStorage } from 'doorman-client/testing';
import { onSqlite } from '../databases.ts';
import type { Body } from '../harness.ts';
import { moveClocks } from './clocks.ts';
import { allButProofs, Device, join, until } from './device.ts';
import { startLine } from './line.ts';
import { serve } from './serving.ts';

const MINUTE_MS = 60_000;
/** Only catches a hang. */
const limit = { timeout: 60_000 };

/** Signing out waits until the service has answered, however slow the machine. */
const patient = { times: { signOutMs: 60_000 } };

/** What the tabs of one browser share. */
function shared(): DoormanStorage {
  return Object.assign(new MemoryStorage(), { name: crypto.randomUUID() });
}

onSqlite('A session of the kit', (database) => {
  // They wait for the clock most of the time.
  describe('all at once', { concurrency: true, ...limit }, () => {
    test('survives a reload, and is restored without a network', async (t) => {
      const service = await serve(t, database);
      const line = await startLine(t, service.url);
      const before = await join(t, line.url, 'alice');
      const { storage, session } = before;
      before.doorman.disconnect();
      line.isDown = true;
      const after = new Device(t, line.url, { storage });
      assert.equal(after.doorman.session, undefined);
      assert.deepEqual(await after.doorman.restore(), session);
      assert.deepEqual(after.all('session'), [{ session }]);
      assert.deepEqual(await readSession(storage), session);
      line.isDown = false;
      await after.connect();
    });

    test('no user is restored where none was signed in', async (t) => {
      const service = await serve(t, database);
      const device = new Device(t, service.url);
      assert.equal(await device.doorman.restore(), undefined);
      device.doorman.connect();
      assert.deepEqual(device.doorman.connection, { state: 'off' });
      await assert.rejects(device.doorman.api.friends(), { code: 401, error: 'signed_out' });
      await assert.rejects(device.doorman.send('somebody', 'hi'), { code: 401, error: 'signed_out' });
      assert.deepEqual(device.emitted, []);
    });

    test('a wrong password signs no user in', async (t) => {
      const service = await serve(t, database);
      const alice = await new Device(t, service.url).signUp('alice');
      const device = new Device(t, service.url);
      await assert.rejects(device.doorman.signIn({ username: 'alice', password: 'wrong-password' }), {
        code: 400,
        error: 'wrong_password',
        msg: '密码错误',
      });
      assert.equal(device.doorman.session, undefined);
      assert.ok(alice.doorman.session);
    });

    test('a token past half of its life is renewed at the start', async (t) => {
      let addedMs = 0;
      const world = { now: () => Date.now() + addedMs };
      const service = await serve(t, database, { env: { TOKEN_TTL: '60m' }, world });
      const before = Date.now();
      const { storage, session } = await new Device(t, service.url).signUp('alice');
      const after = Date.now();
      const kept = await storage.get('session');
      assert.ok(kept && typeof kept === 'object' && 'renewAt' in kept && typeof kept.renewAt === 'number');
      const { renewAt } = kept;
      assert.ok(renewAt >= before + 30 * MINUTE_MS && renewAt <= after + 30 * MINUTE_MS, `${renewAt}`);

      addedMs = 40 * MINUTE_MS;
      await storage.set('session', { ...kept, renewAt: Date.now() - 1 });
      const restarted = new Device(t, service.url, { storage });
      await restarted.doorman.restore();
      await until(() => restarted.session.token !== session.token);
      assert.equal((await readSession(storage))?.token, restarted.session.token);
    });

    test('a session that the service no longer has ends at the first call that reports it', async (t) => {
      const service = await serve(t, database);
      const alice = await new Device(t, service.url).signUp('alice');
      await service.post('/api/logout', {}, { token: alice.session.token });
      await assert.rejects(alice.doorman.api.friends(), { code: 401, error: 'unauthenticated' });
      const { end } = await alice.first('session', ({ session }) => session === undefined);
      assert.equal(end, 'expired');
    });

    test('a storage that stores nothing prevents neither signing in nor signing out', async (t) => {
      const service = await serve(t, database);
      const full = () => Promise.reject(new Error('the disk is full'));
      const storage = Object.assign(new MemoryStorage(), { set: full, delete: full, clear: full });
      const alice = await new Device(t, service.url, { storage, ...patient }).signUp('alice');
      await alice.connect();
      const { body } = await service.get('/api/sessions', { token: alice.session.token });
      await service.post('/api/sessions/end', { id: body.data[0].id }, { token: alice.session.token });
      await alice.first('session', ({ session }) => session === undefined);
      assert.equal(alice.all('session').at(-1)?.end, 'ended');

      await alice.signIn('alice');
      const { token } = alice.session;
      await alice.doorman.signOut();
      assert.equal(alice.doorman.session, undefined);
      assert.equal((await service.get('/api/friends', { token })).status, 401);
    });

    test('signing out leaves nothing: in this tab, in another tab, at the service', async (t) => {
      const service = await serve(t, database);
      const line = await startLine(t, service.url);
      const storage = shared();
      const tab = await join(t, line.url, 'alice', { storage, ...patient });
      const other = new Device(t, line.url, { storage });
      await other.doorman.restore();
      await other.connect();
      const bob = await join(t, service.url, 'bob');
      bob.doorman.watch([tab.id]);
      await bob.first('presence', ([sight]) => sight?.online === 1);
      const { token } = tab.session;
      await storage.set('page/of the program', { drafts: ['secret'] });
      tab.doorman.send('nobody', 'refused').catch(() => {});
      await tab.first('outgoing', ({ state }) => state === 'refused');
      // A page may reload at the end of a session, or write once more.
      let keptAtTheEnd: Promise<unknown[]> | undefined;
      tab.doorman.on('session', () => {
        keptAtTheEnd = allButProofs(storage);
        void storage.set('page/late', 'secret');
      });

      await tab.doorman.signOut();
      assert.deepEqual(await keptAtTheEnd, []);
      assert.deepEqual(await allButProofs(storage), []);
      assert.equal(tab.doorman.session, undefined);
      assert.deepEqual(tab.doorman.outgoing(), []);
      assert.deepEqual(tab.all('session').at(-1), { session: undefined, end: 'signed_out' });
      assert.equal((await service.get('/api/friends', { token })).status, 401);
      await other.first('session', ({ session }) => session === undefined);
      assert.deepEqual(other.all('session').at(-1), { session: undefined, end: 'signed_out' });
      await until(() => line.open === 0);
      for (const device of [tab, other]) assert.deepEqual(device.doorman.connection, { state: 'off' });
      assert.equal(line.frames.filter(({ type }) => type === 'bye').length, 2);
      await bob.first('presence', ([sight]) => sight?.online === 0);
      assert.deepEqual(await allButProofs(storage), []);
    });

    test('signing out does not wait long for an unreachable service, and still leaves nothing', async (t) => {
      const service = await serve(t, database);
      const line = await startLine(t, service.url);
      const alice = await join(t, line.url, 'alice', {
        times: { signOutMs: 3_000, deadlineMs: 1_000_000_000 },
      });
      line.isStalled = true;
      await alice.doorman.signOut();
      assert.deepEqual(await allButProofs(alice.storage), []);
      assert.equal(alice.doorman.session, undefined);
      assert.equal(line.requests.at(-1)?.path, '/api/logout');
    });

    test('a reload in the middle of signing out signs the user out', async (t) => {
      const service = await serve(t, database);
      const line = await startLine(t, service.url);
      const alice = await join(t, line.url, 'alice');
      line.isStalled = true;
      void alice.doorman.signOut();
      await until(() => line.requests.at(-1)?.path === '/api/logout');
      const reloaded = new Device(t, line.url, { storage: alice.storage });
      assert.equal(await reloaded.doorman.restore(), undefined);
      line.isStalled = false;
    });

    test('the second user of a browser sees nothing of the first', async (t) => {
      const service = await serve(t, database);
      const line = await startLine(t, service.url);
      const storage = new MemoryStorage();
      const carol = await join(t, service.url, 'carol');
      const device = await join(t, line.url, 'alice', { storage });
      const alice = device.session;
      await carol.doorman.send(alice.userId, 'for alice only');
      await device.first('message');
      device.doorman.watch([carol.id]);
      await device.first('presence');
      line.isDown = true;
      line.cut();
      await device.is('waiting');
      device.doorman.send(carol.id, 'unsent').catch(() => {});
      await until(async () => (await storage.all('outgoing/')).length === 1);
      line.isDown = false;
      await service.post('/api/logout', {}, { token: alice.token });
      await device.first('session', ({ session }) => session === undefined);
      assert.deepEqual(device.doorman.outgoing(), []);

      const from = device.emitted.length;
      await device.signUp('bob');
      await device.connect();
      await carol.doorman.send(device.id, 'for bob');
      await device.first('message', ({ body }) => body === 'for bob');
      const emittedForBob = JSON.stringify(device.emitted.slice(from));
      assert.ok(!emittedForBob.includes(alice.userId) && !emittedForBob.includes('unsent'), emittedForBob);
      assert.deepEqual(device.doorman.outgoing(), []);
      await device.doorman.signOut();
      await carol.hears('for alice only', 'for bob');
    });

    test('unsent messages wait beyond the end of a session for the same user', async (t) => {
      const service = await serve(t, database);
      const line = await startLine(t, service.url);
      const carol = await join(t, service.url, 'carol');
      const device = await join(t, line.url, 'alice');
      line.isDown = true;
      line.cut();
      await device.is('waiting');
      const unsent = device.doorman.send(carol.id, 'unsent');
      await until(async () => (await device.storage.all('outgoing/')).length === 1);
      await service.post('/api/logout', {}, { token: device.session.token });
      line.isDown = false;
      await assert.rejects(unsent, { code: 401, error: 'signed_out' });
      await device.signUp('bob');
      assert.deepEqual(device.doorman.outgoing(), []);
      await service.post('/api/logout', {}, { token: device.session.token });
      await assert.rejects(device.doorman.api.friends(), { code: 401 });
      await until(() => device.doorman.session === undefined);
      await device.signIn('alice');
      assert.deepEqual(
        device.doorman.outgoing().map(({ body, state }) => [body, state]),
        [['unsent', 'waiting']],
      );
      await device.connect();
      await carol.first('message', ({ body }) => body === 'unsent');
    });

    test('signing in as another user in one tab does so in all of them', async (t) => {
      const service = await serve(t, database);
      const storage = shared();
      await new Device(t, service.url).signUp('bob');
      const tab = await join(t, service.url, 'alice', { storage, ...patient });
      const other = new Device(t, service.url, { storage });
      await other.doorman.restore();
      await other.connect();
      const { token } = tab.session;
      await tab.signIn('bob');
      await other.first('session', ({ session }) => session?.username === 'bob');
      assert.deepEqual(other.session, tab.session);
      // Alice was signed out as if she had signed out herself.
      assert.equal((await service.get('/api/friends', { token })).status, 401);
      await tab.connect();
      await other.connect();
      for (const device of [tab, other]) {
        const last = device.all('snapshot').at(-1);
        assert.equal(last?.profile.username, 'bob');
      }
    });

    test('a signed-out tab follows one in which a user signs in', async (t) => {
      const service = await serve(t, database);
      const storage = shared();
      const entrance = new Device(t, service.url, { storage });
      await entrance.doorman.restore();
      const tab = await new Device(t, service.url, { storage }).signUp('alice');
      await entrance.first('session');
      assert.deepEqual(entrance.session, tab.session);
    });

    test('when the same user signs in again in another tab, the first tab continues in the new session', async (t) => {
      const service = await serve(t, database);
      const storage = shared();
      const tab = await join(t, service.url, 'alice', { storage });
      await storage.set('page/anything', 1);
      const other = new Device(t, service.url, { storage });
      await other.doorman.restore();
      await other.signIn('alice');
      await tab.first('session', ({ session }) => session?.token === other.session.token);
      await tab.is('live');
      await until(async () => (await tab.doorman.api.sessions()).length === 1);
      assert.equal(await storage.get('page/anything'), 1);
      assert.ok(!tab.all('session').some(({ session }) => session === undefined));
    });

    test('the same holds for tabs that cannot send each other messages', async (t) => {
      const service = await serve(t, database);
      const storage = new MemoryStorage();
      const tab = await join(t, service.url, 'alice', { storage });
      await storage.set('page/anything', 1);
      const other = await new Device(t, service.url, { storage }).signIn('alice');
      await tab.doorman.api.endSession(
        (await tab.doorman.api.sessions()).find(({ current }) => current === 1)?.id ?? '',
      );
      await tab.first('session', ({ session }) => session?.token === other.session.token);
      await tab.is('live');
      assert.equal(await storage.get('page/anything'), 1);
      assert.ok(!tab.all('session').some(({ session }) => session === undefined));
    });

    test('the other tabs use a token that one tab renewed', async (t) => {
      let addedMs = 0;
      const service = await serve(t, database, { world: { now: () => Date.now() + addedMs } });
      const line = await startLine(t, service.url);
      const storage = shared();
      const tab = await join(t, line.url, 'alice', { storage });
      const before = tab.session.token;
      // A token that is issued within the same second is the same token.
      addedMs = MINUTE_MS;
      const other = new Device(t, line.url, { storage });
      const kept = await storage.get('session');
      await storage.set('session', { ...(kept as object), renewAt: 0 });
      await other.doorman.restore();
      await until(() => tab.session.token !== before);
      assert.equal(tab.session.token, other.session.token);
      await until(() => line.frames.some(({ type }) => type === 'token'));
      assert.deepEqual(tab.all('session').length, 1);
      assert.equal(tab.doorman.connection.state, 'live');
    });
  });

  // It moves the clocks of the process, so it runs after the others.
  test('a connection outlives its first token once the token has been renewed', limit, async (t) => {
    const clocks = moveClocks(t);
    // The service reads the same wall clock. The monotonic one is not moved, so no heartbeat is due early.
    const service = await serve(t, database, { env: { TOKEN_TTL: '60m' }, world: { now: Date.now } });
    const line = await startLine(t, service.url);
    const replies: Body[] = [];
    line.passes = (frame) => {
      if (frame.type === 'reply') replies.push(frame);
      return true;
    };
    const alice = await join(t, line.url, 'alice', { times: { tokenCheckMs: 50 } });
    // Bob's token is as old as Alice's, and that kit does not check it within this test.
    const bob = await join(t, service.url, 'bob', { times: { tokenCheckMs: 1_000_000_000 } });
    const { token } = alice.session;

    clocks.wallMs = 40 * MINUTE_MS;
    await until(() => line.frames.some(({ type }) => type === 'token'));
    const sent = line.frames.find(({ type }) => type === 'token');
    assert.equal(sent.token, alice.session.token);
    assert.notEqual(sent.token, token);
    await until(() => replies.some(({ id, code }) => id === sent.id && code === 200));

    // The first tokens have expired, as the end of Bob's connection shows; the new one is not yet half used.
    clocks.wallMs = 65 * MINUTE_MS;
    await bob.first('connection', ({ state }) => state === 'connecting', 2);
    await alice.doorman.send(bob.id, 'still connected');
    assert.equal(alice.doorman.connection.state, 'live');
    assert.equal(line.arrivals.length, 1);
  });
});
