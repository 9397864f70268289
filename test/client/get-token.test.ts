import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { DoormanOptions, DoormanStorage } from 'doorman-client';
import { MemoryStorage } from 'doorman-client/testing';
import { makeKey } from '../api-key.ts';
import { onSqlite, type TestDatabase } from '../databases.ts';
import { moveClocks } from './clocks.ts';
import { allButProofs, Device, join, until } from './device.ts';
import { startLine } from './line.ts';
import { serve } from './serving.ts';

type GetToken = NonNullable<DoormanOptions['getToken']>;

/** What the tabs of one browser share. */
function shared(): DoormanStorage {
  return Object.assign(new MemoryStorage(), { name: crypto.randomUUID() });
}

/** A service with Alice, behind a line, and a backend that knows her. */
async function startProduct(t: TestContext, database: TestDatabase) {
  const service = await serve(t, database);
  const line = await startLine(t, service.url);
  const { id: userId } = await service.join('alice');
  const key = await makeKey(service);
  let asked = 0;
  const signIn = async (): Promise<string> =>
    (await service.post('/api/admin/sessions', { userId }, key)).body.data.token;
  const getToken = () => {
    asked++;
    return signIn();
  };
  /** Ends all sessions of Alice, also those whose tokens are not used yet. */
  const endAll = () => service.post('/api/admin/sessions/end', { userId }, key);
  await endAll();
  return {
    service,
    line,
    signIn,
    endAll,
    getToken,
    asked: () => asked,
    open: (ask: GetToken = getToken, storage: DoormanStorage = new MemoryStorage()) =>
      new Device(t, line.url, { storage, getToken: ask, times: { signOutMs: 60_000 } }),
    /** Their ids. */
    sessions: async () => {
      const rows = await service.services.db.all<{
        id: string;
      }>`select id from sessions where user_id = ${userId}`;
      return rows.map(({ id }) => id);
    },
  };
}

onSqlite('getToken', (database) => {
  test('signs in where no session is stored, and is not called where one is', async (t) => {
    const { open, asked, getToken } = await startProduct(t, database);
    const first = open();
    const session = await first.doorman.restore();
    assert.equal(session?.username, 'alice');
    assert.deepEqual(first.all('session'), [{ session }]);
    await first.connect();
    assert.deepEqual(await open(getToken, first.storage).doorman.restore(), session);
    assert.equal(asked(), 1);
  });

  test('calls at the same time share one', async (t) => {
    const { open, asked } = await startProduct(t, database);
    const { doorman } = open();
    const found = await Promise.all([doorman.restore(), doorman.restore(), doorman.restore()]);
    assert.deepEqual(new Set(found), new Set([doorman.session]));
    assert.equal(asked(), 1);
  });

  test('without a token no user is signed in, and the next call of restore asks again', async (t) => {
    const { open, signIn, line } = await startProduct(t, database);
    const tokens = [undefined, '', await signIn()];
    const { doorman } = open(async () => tokens.shift());
    assert.equal(await doorman.restore(), undefined);
    assert.equal(await doorman.restore(), undefined);
    assert.deepEqual(line.requests, []);
    assert.equal((await doorman.restore())?.username, 'alice');
  });

  test('a failure reaches the caller with its cause, and is not repeated', async (t) => {
    const { open, signIn, endAll, line } = await startProduct(t, database);
    const cause = new TypeError('fetch failed');
    let asked = 0;
    const failing = open(() => {
      asked++;
      throw cause;
    });
    const failed = { name: 'DoormanError', code: 0, error: 'no_token', cause };
    await assert.rejects(failing.doorman.restore(), failed);
    await assert.rejects(open(() => Promise.reject(cause)).doorman.restore(), failed);
    assert.deepEqual([asked, failing.emitted], [1, []]);

    const ended = await signIn();
    await endAll();
    for (const token of [ended, 'nonsense'])
      await assert.rejects(open(async () => token).doorman.restore(), {
        code: 401,
        error: 'unauthenticated',
      });
    line.isDown = true;
    await assert.rejects(open().doorman.restore(), { code: 0, error: 'unreachable' });
  });

  test('a session that ended on a socket is replaced, and the connection goes on', async (t) => {
    const { open, asked, endAll } = await startProduct(t, database);
    const alice = open();
    await alice.doorman.restore();
    await alice.connect();
    await endAll();
    await alice.first('session', ({ session }) => session !== undefined, 1);
    assert.deepEqual(
      alice.all('session').map(({ session, end }) => [session?.username, end]),
      [
        ['alice', undefined],
        [undefined, 'ended'],
        ['alice', undefined],
      ],
    );
    await alice.is('live');
    assert.ok(!alice.all('connection').some(({ state }) => state === 'off'));
    assert.equal(asked(), 2);
  });

  test('so is one whose end a call reports, and without connect none begins', async (t) => {
    const { open, asked, endAll } = await startProduct(t, database);
    const alice = open();
    await alice.doorman.restore();
    await endAll();
    await assert.rejects(alice.doorman.api.friends(), { code: 401 });
    await alice.first('session', ({ session }) => session !== undefined, 1);
    assert.equal(alice.all('session')[1]?.end, 'expired');
    assert.deepEqual((await alice.doorman.api.friends()).friends, []);
    assert.deepEqual([asked(), alice.doorman.connection.state], [2, 'off']);
  });

  test('unsent messages survive a session that expired', async (t) => {
    const { open, endAll, service, line } = await startProduct(t, database);
    const bob = await join(t, service.url, 'bob');
    const alice = open();
    await alice.doorman.restore();
    await alice.connect();
    line.isDown = true;
    line.cut();
    await alice.is('waiting');
    alice.doorman.send(bob.id, 'unsent').catch(() => {});
    await until(async () => (await alice.storage.all('outgoing/')).length === 1);
    await endAll();
    line.isDown = false;
    await bob.first('message', ({ body }) => body === 'unsent');
  });

  test('if there is no other session, the user is signed out, and is asked for once', async (t) => {
    const { open, signIn, endAll } = await startProduct(t, database);
    for (const later of [async () => undefined, () => Promise.reject(new Error('no answer'))]) {
      let asked = 0;
      const alice = open(() => (asked++ === 0 ? signIn() : later()));
      await alice.doorman.restore();
      await alice.connect();
      await endAll();
      await alice.is('off');
      assert.deepEqual([asked, alice.doorman.session], [2, undefined]);
      assert.equal(alice.all('session').at(-1)?.end, 'ended');
    }
  });

  test('two devices that end each other’s sessions do not go on', async (t) => {
    const { open, asked, getToken, endAll } = await startProduct(t, database);
    /** A product that allows one device at a time. */
    const alone = async () => {
      await endAll();
      return getToken();
    };
    const devices = [open(alone), open(alone)];
    for (const { doorman } of devices) {
      await doorman.restore();
      doorman.connect();
    }
    // The first gets another session, so does the second, and then the first gives up.
    await Promise.any(devices.map((device) => device.is('off')));
    assert.ok(asked() <= 4, String(asked()));
  });

  test('signing out does not ask, in this tab or another, until restore does', async (t) => {
    const { open, asked, getToken, sessions } = await startProduct(t, database);
    const storage = shared();
    const [tab, other] = [open(getToken, storage), open(getToken, storage)];
    for (const { doorman } of [tab, other]) await doorman.restore();
    await other.connect();
    await tab.doorman.signOut();
    await other.first('session', ({ session }) => session === undefined);
    await other.is('off');
    assert.deepEqual([asked(), await sessions()], [1, []]);
    assert.deepEqual(await allButProofs(storage), []);
    for (const device of [tab, other]) device.doorman.reconnectNow();
    assert.equal((await tab.doorman.restore())?.username, 'alice');
    assert.equal(asked(), 2);
    await other.first('session', ({ session }) => session !== undefined, 2);
  });

  test('a token that comes after signing out, here or in another tab, signs no user in', async (t) => {
    const { open, signIn, sessions } = await startProduct(t, database);
    for (const where of ['here', 'in another tab']) {
      const storage = shared();
      const token = Promise.withResolvers<string>();
      let isAsked = false;
      const tab = open(() => {
        isAsked = true;
        return token.promise;
      }, storage);
      const restoring = tab.doorman.restore();
      await until(() => isAsked);
      const signedOut = where === 'here' ? tab : open(async () => undefined, storage);
      await signedOut.doorman.signOut();
      token.resolve(await signIn());
      assert.equal(await restoring, undefined, where);
      await until(async () => (await sessions()).length === 0);
      assert.deepEqual(await allButProofs(storage), [], where);
    }
  });

  test('calls after signing out share one, though an earlier call ends meanwhile', async (t) => {
    const { open, signIn } = await startProduct(t, database);
    const tokens = [Promise.withResolvers<undefined>(), Promise.withResolvers<string>()] as const;
    let asked = 0;
    const { doorman } = open(() => tokens[asked++]?.promise ?? signIn());
    const forgotten = doorman.restore();
    await until(() => asked === 1);
    await doorman.signOut();
    const first = doorman.restore();
    await until(() => asked === 2);
    tokens[0].resolve(undefined);
    assert.equal(await forgotten, undefined);
    const second = doorman.restore();
    tokens[1].resolve(await signIn());
    assert.equal((await first)?.username, 'alice');
    assert.deepEqual([await second, asked], [doorman.session, 2]);
  });

  test('after a sign-in by a password the token is not needed, and its session ends', async (t) => {
    const { open, signIn, sessions, service } = await startProduct(t, database);
    const bob = await service.join('bob');
    const token = Promise.withResolvers<string>();
    const { doorman } = open(() => token.promise);
    const restoring = doorman.restore();
    await doorman.signIn(bob);
    const before = (await sessions()).length;
    token.resolve(await signIn());
    assert.equal((await restoring)?.username, 'bob');
    assert.equal(doorman.session?.username, 'bob');
    await until(async () => (await sessions()).length === before);
  });

  test('tabs whose session ends at once have one session afterwards', async (t) => {
    const { open, getToken, endAll, sessions } = await startProduct(t, database);
    const storage = shared();
    const tabs = [open(getToken, storage), open(getToken, storage), open(getToken, storage)];
    for (const tab of tabs) {
      await tab.doorman.restore();
      await tab.connect();
    }
    await endAll();
    await until(async () => {
      const [first] = tabs.map(({ doorman }) => doorman.session?.token);
      const live = tabs.every(
        ({ doorman }) => doorman.connection.state === 'live' && doorman.session?.token === first,
      );
      return live && (await sessions()).length === 1;
    });
  });

  test('a backend may give the tabs one token, which stays good', async (t) => {
    const { open, signIn, endAll } = await startProduct(t, database);
    const storage = shared();
    let token = signIn();
    const tabs = [open(() => token, storage), open(() => token, storage)];
    for (const tab of tabs) {
      await tab.doorman.restore();
      await tab.connect();
    }
    await endAll();
    token = signIn();
    for (const tab of tabs) await tab.first('session', ({ session }) => session !== undefined, 1);
    for (const tab of tabs) await tab.is('live');
    for (const { doorman } of tabs) assert.deepEqual((await doorman.api.friends()).friends, []);
  });
});

// It moves the clocks of the process, so it runs after the others.
onSqlite('getToken, a minute later', (database) => {
  test('is called again after another end', async (t) => {
    const clocks = moveClocks(t);
    const { open, asked, endAll } = await startProduct(t, database);
    const alice = open();
    await alice.doorman.restore();
    for (const times of [2, 3]) {
      await alice.connect();
      await endAll();
      await until(() => asked() === times && alice.doorman.session !== undefined);
      clocks.monotonicMs += 61_000;
    }
  });
});
