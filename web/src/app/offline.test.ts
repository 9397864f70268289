import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createDoorman, type DoormanStorage } from 'doorman-client';
import { restoreUser, suspendUser } from '../../../src/accounts/account-status.ts';
import { recordExternalChange } from '../../../src/events/changes.ts';
import { renewEpoch } from '../../../src/inbox/epoch.ts';
import { allButProofs } from '../../../test/client/device.ts';
import { onSqlite } from '../../../test/databases.ts';
import {
  allSettled,
  noBrowserEnvironment,
  settled,
  type TestClient,
  Town,
  until,
  untilEqual,
} from '../../test/stores.ts';
import { Profiles } from '../features/contacts/model/profiles.ts';
import { Stores } from './stores.ts';

/** The stores of the same device while the service is unreachable. */
async function startOffline(storage: DoormanStorage) {
  // Nothing listens on the discard port.
  const doorman = createDoorman({ baseUrl: 'http://127.0.0.1:9', storage });
  const stores = new Stores(doorman, noBrowserEnvironment());
  await stores.start();
  return {
    stores,
    close: async () => {
      await stores.close();
      doorman.disconnect();
    },
  };
}

async function keys(storage: DoormanStorage): Promise<string[]> {
  return (await storage.all('page:')).map(([key]) => key);
}

/** Alice, who has a conversation with Bob on the screen, a friend, a block and a draft, all of it stored. */
async function aliceWithAll(town: Town) {
  const [alice, bob, carol] = [await town.join('alice'), await town.join('bob'), await town.join('carol')];
  await bob.stores.ownAccount.updateProfile({ nickname: 'Bobby' });
  await town.writeMany(bob, alice.id, ['one', 'two']);
  await bob.stores.friends.act('request', alice.id);
  await until(() => alice.stores.friends.state(bob.id).getSnapshot() === 'asked');
  await alice.stores.friends.act('accept', bob.id);
  await alice.stores.blocks.block(carol.id);
  await alice.stores.ownAccount.updateSettings({ pushPreview: 'none' });
  const person = alice.stores.people.person(bob.id);
  const leave = [person.subscribe(() => {})];
  const thread = alice.stores.chats.thread(bob.id);
  leave.push(thread.open());
  await until(
    () => thread.view.getSnapshot().messages.length === 2 && person.getSnapshot().state === 'known',
  );
  for (const end of leave) end();
  alice.stores.chats.drafts.of(bob.id).set('half a sentence');
  await until(() => alice.stores.ownAccount.settings.getSnapshot()?.pushPreview === 'none');
  await alice.stores.flush();
  return { alice, bob, carol };
}

onSqlite('what the page stores on the device', (database) => {
  test('all that was loaded is there without the service', async (t) => {
    const town = await Town.open(t, database);
    const { alice, bob, carol } = await aliceWithAll(town);
    const { stores, close } = await startOffline(alice.storage);
    t.after(close);
    assert.equal(stores.freshness.getSnapshot(), 'stored');
    assert.equal(stores.ownAccount.profile.getSnapshot()?.username, 'alice');
    assert.equal(stores.ownAccount.settings.getSnapshot()?.pushPreview, 'none');
    assert.deepEqual(
      stores.chats.conversations.getSnapshot().map(({ peer, last, unread }) => [peer, last?.body, unread]),
      [[bob.id, 'two', 2]],
    );
    assert.deepEqual(
      stores.chats
        .thread(bob.id)
        .view.getSnapshot()
        .messages.map(({ body }) => body),
      ['one', 'two'],
    );
    assert.equal(stores.chats.drafts.of(bob.id).getSnapshot(), 'half a sentence');
    assert.equal(stores.people.person(bob.id).getSnapshot().name, 'Bobby');
    assert.equal(stores.people.person(alice.id).getSnapshot().name, 'alice');
    const known = stores.people.known.getSnapshot().map(({ username }) => username);
    assert.deepEqual([...known].sort(), ['alice', 'bob']);
    assert.equal(stores.friends.state(bob.id).getSnapshot(), 'friends');
    assert.equal(stores.blocks.isBlocked(carol.id).getSnapshot(), true);
    assert.equal(stores.presence.of(bob.id).getSnapshot().state, 'unknown');
    const nothing = stores.chats.thread('another-user').view;
    await until(() => nothing.getSnapshot().failure === 'unreachable');
    stores.chats.thread(bob.id).send('written offline');
    assert.deepEqual(
      stores.chats
        .thread(bob.id)
        .view.getSnapshot()
        .messages.map(({ body, state }) => `${body} ${state}`),
      ['one theirs', 'two theirs', 'written offline waiting'],
    );
  });

  test('changes are written after a while, and when the page is hidden', async (t) => {
    const town = await Town.open(t, database);
    const alice = await town.join('alice');
    await until(() => alice.stores.ownAccount.profile.getSnapshot() !== undefined);
    await alice.stores.flush();
    const draft = alice.stores.chats.drafts.of('bob');
    const key = `page:${alice.id}:draft:bob`;
    const sealed = (text: string) => ({ version: 1, userId: alice.id, value: { peer: 'bob', text } });
    // From here on nothing comes over the network, and every timer waits for the test.
    t.mock.timers.enable({ apis: ['setTimeout'] });
    draft.set('hello');
    await allSettled();
    assert.equal(await alice.storage.get(key), undefined);
    t.mock.timers.tick(100);
    await allSettled();
    assert.deepEqual(await alice.storage.get(key), sealed('hello'));
    draft.set('hello again');
    await allSettled();
    assert.deepEqual(await alice.storage.get(key), sealed('hello'));
    alice.browser.hide();
    await allSettled();
    assert.deepEqual(await alice.storage.get(key), sealed('hello again'));
    t.mock.timers.reset();
  });

  test('a message that is written replaces its draft on the device at once', async (t) => {
    const town = await Town.open(t, database);
    const alice = await town.join('alice');
    const bob = await town.join('bob');
    const key = `page:${alice.id}:draft:${bob.id}`;
    alice.stores.chats.drafts.of(bob.id).set('Tea at five?');
    await alice.stores.flush();
    assert.ok(await alice.storage.get(key));
    // A page that closes now runs no timer any more.
    t.mock.timers.enable({ apis: ['setTimeout'] });
    alice.stores.chats.thread(bob.id).send('Tea at five?');
    await allSettled();
    t.mock.timers.reset();
    assert.equal(await alice.storage.get(key), undefined);
  });

  test('a draft whose write waits is not stored after its message was sent', async (t) => {
    const town = await Town.open(t, database);
    const alice = await town.join('alice');
    const bob = await town.join('bob');
    const key = `page:${alice.id}:draft:${bob.id}`;
    await alice.stores.flush();
    t.mock.timers.enable({ apis: ['setTimeout'] });
    alice.stores.chats.drafts.of('carol').set('keeps the first write busy');
    const first = alice.stores.flush();
    alice.stores.chats.drafts.of(bob.id).set('Tea at five?');
    const second = alice.stores.flush();
    alice.stores.chats.thread(bob.id).send('Tea at five?');
    await Promise.all([first, second]);
    await allSettled();
    t.mock.timers.reset();
    assert.equal(await alice.storage.get(key), undefined);
  });

  test('drafts of two tabs are both stored, and a draft that one tab sent is removed', async (t) => {
    const town = await Town.open(t, database);
    const alice = await town.join('alice');
    const other = town.newClient(alice.storage);
    await other.stores.start();
    await settled(other);
    alice.stores.chats.drafts.of('bob').set('begun here');
    alice.stores.chats.drafts.of('carol').set('to be sent');
    await alice.stores.flush();
    other.stores.chats.drafts.of('dave').set('begun there');
    await other.stores.flush();
    alice.stores.chats.drafts.of('carol').set('');
    await alice.stores.flush();
    const { stores } = await alice.reload();
    assert.deepEqual(
      ['bob', 'carol', 'dave'].map((peer) => stores.chats.drafts.of(peer).getSnapshot()),
      ['begun here', '', 'begun there'],
    );
  });

  test('signing out leaves nothing, in memory and in storage', async (t) => {
    const town = await Town.open(t, database);
    const { alice, bob } = await aliceWithAll(town);
    assert.ok((await keys(alice.storage)).length >= 4);
    alice.stores.chats.drafts.of(bob.id).set('written a moment before');
    await alice.stores.session.signOut();
    await alice.stores.flush();
    assert.deepEqual(await allButProofs(alice.storage), []);
    // Ends after every timer that was to write: those were set before, and none is longer.
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    await allSettled();
    assert.deepEqual(await allButProofs(alice.storage), [], 'nothing is written afterwards');
    nothingOfAlice(alice, bob.id);
    assert.deepEqual(alice.stores.session.getSnapshot(), { state: 'signed_out', end: 'signed_out' });
  });

  test('the next user of the device sees nothing of the previous one', async (t) => {
    const town = await Town.open(t, database);
    const { alice, bob } = await aliceWithAll(town);
    await town.join('dora');
    const before = await alice.storage.all('page:');
    await alice.stores.session.signIn({ username: 'dora', password: 'password-of-dora' });
    await settled(alice);
    nothingOfAlice(alice, bob.id);
    assert.equal(alice.stores.ownAccount.profile.getSnapshot()?.username, 'dora');
    // Even values that were put back, or renamed to hers, are removed and not shown.
    for (const [key, value] of before) {
      await alice.storage.set(key, value);
      await alice.storage.set(key.replace(/^page:[^:]+/, `page:${alice.id}`), value);
    }
    const reloaded = await alice.reload();
    nothingOfAlice(reloaded, bob.id, 'dora');
    await settled(reloaded);
    nothingOfAlice(reloaded, bob.id, 'dora');
    await until(() => reloaded.stores.ownAccount.profile.getSnapshot()?.username === 'dora');
    await reloaded.stores.flush();
    for (const [key, value] of await reloaded.storage.all('page:')) {
      assert.ok(key.startsWith(`page:${reloaded.id}:`), key);
      assert.ok(!JSON.stringify(value).includes('two'), key);
    }
  });

  test('an answer that comes after signing out reaches no user', async (t) => {
    const town = await Town.open(t, database);
    const { alice, carol } = await aliceWithAll(town);
    const { profileOf } = alice.doorman.api;
    let answer = () => {};
    alice.doorman.api.profileOf = async (id) => {
      const profile = await profileOf(id);
      await new Promise<void>((resolve) => {
        answer = resolve;
      });
      return profile;
    };
    alice.stores.people.profile(carol.id, Profiles).subscribe(() => {});
    const asked = answer;
    await until(() => answer !== asked);
    await alice.stores.session.signOut();
    answer();
    await allSettled();
    assert.equal(alice.stores.people.person(carol.id).getSnapshot().state, 'unknown');
    assert.equal(alice.stores.people.profile(carol.id, Profiles).getSnapshot().profile, undefined);
  });

  test('a suspended user finds their drafts when they are back, and nothing else was stored', async (t) => {
    const town = await Town.open(t, database);
    const { alice, bob } = await aliceWithAll(town);
    const { id } = alice;
    const { db } = town.service.services;
    alice.stores.chats.drafts.of(bob.id).set('half a sentence more');
    await db.transaction(async (tx) => {
      await suspendUser(tx, id);
      await recordExternalChange(tx);
    });
    await until(() => alice.stores.session.getSnapshot().state === 'signed_out');
    await alice.stores.flush();
    assert.deepEqual(await keys(alice.storage), [`page:${id}:draft:${bob.id}`]);
    nothingOfAlice(alice, bob.id);
    await db.transaction((tx) => restoreUser(tx, id));
    await alice.stores.session.signIn({ username: 'alice', password: 'password-of-alice' });
    await until(() => alice.stores.chats.drafts.of(bob.id).getSnapshot() === 'half a sentence more');
  });

  for (const [what, spoil] of [
    ['of another version', (value: object) => ({ ...value, version: 0 })],
    ['cut in half', () => ({ version: 1 })],
    ['something else', () => 'garbage'],
    [
      'with a wrong field',
      (value: object) => JSON.parse(JSON.stringify(value).replaceAll(/"at":\d+/g, '"at":"x"')),
    ],
  ] as const)
    test(`stored values that are ${what} are removed, and the page goes on`, async (t) => {
      const town = await Town.open(t, database);
      const { alice, bob } = await aliceWithAll(town);
      for (const [key, value] of await alice.storage.all('page:'))
        await alice.storage.set(key, spoil(value as object)); // written by seal
      const offline = await startOffline(alice.storage);
      assert.deepEqual(offline.stores.chats.conversations.getSnapshot(), []);
      assert.deepEqual(offline.stores.chats.thread(bob.id).view.getSnapshot().messages, []);
      assert.equal(offline.stores.freshness.getSnapshot(), 'none');
      await offline.close();
      const left = (await keys(alice.storage)).filter((key) => !key.includes(':draft:'));
      assert.deepEqual(left, []);
      const reloaded = await alice.reload();
      await settled(reloaded);
      await untilEqual(() => reloaded.stores.chats.unreadTotal.getSnapshot(), 2);
    });

  test('threads of a database that was restored since are not shown', async (t) => {
    const town = await Town.open(t, database);
    const { alice, bob } = await aliceWithAll(town);
    alice.doorman.disconnect();
    await renewEpoch(town.service.services.db);
    await town.restart();
    const reloaded = await alice.reload();
    await settled(reloaded);
    await reloaded.stores.flush();
    const offline = await startOffline(alice.storage);
    t.after(offline.close);
    assert.equal(offline.stores.chats.conversations.getSnapshot().length, 1);
    assert.deepEqual(offline.stores.chats.thread(bob.id).view.getSnapshot().messages, []);
  });

  test('thirty threads are stored, those used last', async (t) => {
    const town = await Town.open(t, database);
    const alice = await town.join('alice');
    const crowd = [];
    for (let i = 0; i < 33; i++) crowd.push(await town.service.join(`writer${i}`));
    for (const { id, token } of crowd) {
      const message = { to: alice.id, cid: `first-${id}`, body: 'hi' };
      await town.service.post('/api/messages', message, { token });
    }
    await until(() => alice.stores.chats.unreadTotal.getSnapshot() === 33);
    await alice.stores.flush();
    const threads = (await keys(alice.storage)).filter((key) => key.includes(':thread:'));
    assert.deepEqual(
      threads.map((key) => key.slice(key.lastIndexOf(':') + 1)).sort(),
      crowd
        .slice(3)
        .map(({ id }) => id)
        .sort(),
    );
  });

  test('a storage that fails loses only what it would have stored', async (t) => {
    const town = await Town.open(t, database);
    const { alice, bob } = await aliceWithAll(town);
    const fail = () => Promise.reject(new DOMException('full', 'QuotaExceededError'));
    alice.storage.set = fail;
    alice.storage.all = fail;
    alice.stores.chats.drafts.of(bob.id).set('still here');
    await alice.stores.flush();
    assert.equal(alice.stores.chats.drafts.of(bob.id).getSnapshot(), 'still here');
    assert.equal(alice.stores.chats.conversations.getSnapshot().length, 1);
  });

  test('a storage that cannot be read keeps no user out', async (t) => {
    const town = await Town.open(t, database);
    const { alice } = await aliceWithAll(town);
    const fail = () => Promise.reject(new DOMException('Internal error', 'UnknownError'));
    alice.storage.all = fail;
    const known = await alice.reload();
    await untilEqual(() => known.stores.session.getSnapshot().state, 'signed_in');
    alice.storage.get = fail;
    const unknown = await alice.reload();
    await untilEqual(() => unknown.stores.session.getSnapshot().state, 'signed_out');
  });

  test('a storage that never answers keeps no user out: they sign in, write and sign out', async (t) => {
    const town = await Town.open(t, database);
    const bob = await town.join('bob');
    await town.join('alice');
    const never = () => new Promise<never>(() => {});
    const one = town.newClient({ get: never, set: never, delete: never, all: never, clear: never });
    await one.stores.start();
    assert.equal(one.stores.session.getSnapshot().state, 'signed_out');
    await one.stores.session.signIn({ username: 'alice', password: 'password-of-alice' });
    await settled(one);
    one.stores.chats.drafts.of(bob.id).set('half a');
    await one.stores.flush();
    assert.equal((await one.doorman.send(bob.id, 'hello')).state, 'stored');
    await one.stores.session.signOut();
    assert.equal(one.stores.session.getSnapshot().state, 'signed_out');
    assert.deepEqual(await allButProofs(one.doorman.storage), []);
  });
});

function nothingOfAlice({ stores }: TestClient, peer: string, now?: string): void {
  assert.deepEqual(stores.chats.conversations.getSnapshot(), []);
  assert.deepEqual(stores.chats.thread(peer).view.getSnapshot().messages, []);
  assert.equal(stores.chats.drafts.of(peer).getSnapshot(), '');
  assert.equal(stores.chats.unreadTotal.getSnapshot(), 0);
  assert.equal(stores.people.person(peer).getSnapshot().state, 'unknown');
  assert.equal(stores.friends.state(peer).getSnapshot(), 'none');
  assert.deepEqual(stores.blocks.all.getSnapshot(), []);
  if (now === undefined) assert.notEqual(stores.ownAccount.profile.getSnapshot()?.username, 'alice');
  else assert.ok([now, undefined].includes(stores.ownAccount.profile.getSnapshot()?.username));
}
