import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createDoorman, type DoormanStorage } from 'doorman-client';
import { restoreUser, suspendUser } from '../../../src/accounts/account-status.ts';
import { renewEpoch } from '../../../src/inbox/epoch.ts';
import { allButProofs } from '../../../test/client/device.ts';
import { onSqlite } from '../../../test/databases.ts';
import { noBrowserEnvironment } from '../data/browser-environment.ts';
import { createPage } from './create-stores.ts';
import { allSettled, settled, type TestPage, Town, until, untilEqual } from './test-stores.ts';

/** The page of the same device while the service is out of reach. */
async function startOffline(storage: DoormanStorage) {
  // Nothing listens on the discard port.
  const doorman = createDoorman({ baseUrl: 'http://127.0.0.1:9', storage });
  const page = createPage(doorman, noBrowserEnvironment());
  await page.start();
  return {
    page,
    close: async () => {
      await page.close();
      doorman.disconnect();
    },
  };
}

async function keys(storage: DoormanStorage): Promise<string[]> {
  return (await storage.all('page:')).map(([key]) => key);
}

/** Alice, who has a conversation with Bob on the screen, a friend, a block and a draft, all of it kept. */
async function aliceWithAll(town: Town) {
  const [alice, bob, carol] = [await town.join('alice'), await town.join('bob'), await town.join('carol')];
  await bob.page.own.updateProfile({ nickname: 'Bobby' });
  await town.writeMany(bob, alice.id, ['one', 'two']);
  await bob.page.friends.act('request', alice.id);
  await until(() => alice.page.friends.state(bob.id).getSnapshot() === 'asked');
  await alice.page.friends.act('accept', bob.id);
  await alice.page.blocks.block(carol.id);
  await alice.page.own.updateSettings({ pushPreview: 'none' });
  const person = alice.page.people.person(bob.id);
  const leave = [person.subscribe(() => {})];
  const thread = alice.page.chats.thread(bob.id);
  leave.push(thread.open());
  await until(
    () => thread.view.getSnapshot().messages.length === 2 && person.getSnapshot().state === 'known',
  );
  for (const end of leave) end();
  alice.page.chats.draft(bob.id).set('half a sentence');
  await until(() => alice.page.own.settings.getSnapshot()?.pushPreview === 'none');
  await alice.page.flush();
  return { alice, bob, carol };
}

onSqlite('what the page keeps', (database) => {
  test('all that was loaded is there without the service', async (t) => {
    const town = await Town.open(t, database);
    const { alice, bob, carol } = await aliceWithAll(town);
    const { page, close } = await startOffline(alice.storage);
    t.after(close);
    assert.equal(page.freshness.getSnapshot(), 'kept');
    assert.equal(page.own.profile.getSnapshot()?.username, 'alice');
    assert.equal(page.own.settings.getSnapshot()?.pushPreview, 'none');
    assert.deepEqual(
      page.chats.conversations.getSnapshot().map(({ peer, last, unread }) => [peer, last?.body, unread]),
      [[bob.id, 'two', 2]],
    );
    assert.deepEqual(
      page.chats
        .thread(bob.id)
        .view.getSnapshot()
        .messages.map(({ body }) => body),
      ['one', 'two'],
    );
    assert.equal(page.chats.draft(bob.id).getSnapshot(), 'half a sentence');
    assert.equal(page.people.person(bob.id).getSnapshot().name, 'Bobby');
    assert.equal(page.people.person(alice.id).getSnapshot().name, 'alice');
    assert.equal(page.friends.state(bob.id).getSnapshot(), 'friends');
    assert.equal(page.blocks.isBlocked(carol.id).getSnapshot(), true);
    assert.equal(page.presence.sight(bob.id).getSnapshot().state, 'unknown');
    const nothing = page.chats.thread('somebody-else').view;
    await until(() => nothing.getSnapshot().failure === 'unreachable');
    page.chats.thread(bob.id).send('written offline');
    assert.deepEqual(
      page.chats
        .thread(bob.id)
        .view.getSnapshot()
        .messages.map(({ body, state }) => `${body} ${state}`),
      ['one theirs', 'two theirs', 'written offline waiting'],
    );
  });

  test('changes are written by themselves, and when the page is hidden', async (t) => {
    const town = await Town.open(t, database);
    const alice = await town.join('alice');
    await until(() => alice.page.own.profile.getSnapshot() !== undefined);
    await alice.page.flush();
    const draft = alice.page.chats.draft('bob');
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

  test('what is written in two tabs is kept of both, and what was sent in one of none', async (t) => {
    const town = await Town.open(t, database);
    const alice = await town.join('alice');
    const other = town.newPage(alice.storage);
    await other.page.start();
    await settled(other);
    alice.page.chats.draft('bob').set('begun here');
    alice.page.chats.draft('carol').set('to be sent');
    await alice.page.flush();
    other.page.chats.draft('dave').set('begun there');
    await other.page.flush();
    alice.page.chats.draft('carol').set('');
    await alice.page.flush();
    const { page } = await alice.reload();
    assert.deepEqual(
      ['bob', 'carol', 'dave'].map((peer) => page.chats.draft(peer).getSnapshot()),
      ['begun here', '', 'begun there'],
    );
  });

  test('signing out leaves nothing, in memory and in storage', async (t) => {
    const town = await Town.open(t, database);
    const { alice, bob } = await aliceWithAll(town);
    assert.ok((await keys(alice.storage)).length >= 4);
    alice.page.chats.draft(bob.id).set('written a moment before');
    await alice.page.session.signOut();
    await alice.page.flush();
    assert.deepEqual(await allButProofs(alice.storage), []);
    // Ends after every timer that was to write: those were set before, and none is longer.
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    await allSettled();
    assert.deepEqual(await allButProofs(alice.storage), [], 'nothing is written afterwards');
    nothingOfAlice(alice, bob.id);
    assert.deepEqual(alice.page.session.getSnapshot(), { state: 'signed_out', end: 'signed_out' });
  });

  test('the next person on the same device sees nothing of the one before', async (t) => {
    const town = await Town.open(t, database);
    const { alice, bob } = await aliceWithAll(town);
    await town.join('dora');
    const before = await alice.storage.all('page:');
    await alice.page.session.signIn({ username: 'dora', password: 'password-of-dora' });
    await settled(alice);
    nothingOfAlice(alice, bob.id);
    assert.equal(alice.page.own.profile.getSnapshot()?.username, 'dora');
    // Even what was put back behind the page's back, or pretends to be hers, is not shown but removed.
    for (const [key, value] of before) {
      await alice.storage.set(key, value);
      await alice.storage.set(key.replace(/^page:[^:]+/, `page:${alice.id}`), value);
    }
    const reloaded = await alice.reload();
    nothingOfAlice(reloaded, bob.id, 'dora');
    await settled(reloaded);
    nothingOfAlice(reloaded, bob.id, 'dora');
    await until(() => reloaded.page.own.profile.getSnapshot()?.username === 'dora');
    await reloaded.page.flush();
    for (const [key, value] of await reloaded.storage.all('page:')) {
      assert.ok(key.startsWith(`page:${reloaded.id}:`), key);
      assert.ok(!JSON.stringify(value).includes('two'), key);
    }
  });

  test('an answer that comes after signing out reaches nobody', async (t) => {
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
    alice.page.people.profile(carol.id).subscribe(() => {});
    const asked = answer;
    await until(() => answer !== asked);
    await alice.page.session.signOut();
    answer();
    await allSettled();
    assert.equal(alice.page.people.person(carol.id).getSnapshot().state, 'unknown');
    assert.equal(alice.page.people.profile(carol.id).getSnapshot().profile, undefined);
  });

  test('who was kept out finds his drafts when he comes back, and nothing else was kept', async (t) => {
    const town = await Town.open(t, database);
    const { alice, bob } = await aliceWithAll(town);
    const { id } = alice;
    const { db, events } = town.service.services;
    alice.page.chats.draft(bob.id).set('half a sentence more');
    const sessionIds = await db.transaction((tx) => suspendUser(tx, id));
    events.publish({ type: 'sessions-ended', sessionIds, reason: 'suspended' });
    await until(() => alice.page.session.getSnapshot().state === 'signed_out');
    await alice.page.flush();
    assert.deepEqual(await keys(alice.storage), [`page:${id}:draft:${bob.id}`]);
    nothingOfAlice(alice, bob.id);
    await db.transaction((tx) => restoreUser(tx, id));
    await alice.page.session.signIn({ username: 'alice', password: 'password-of-alice' });
    await until(() => alice.page.chats.draft(bob.id).getSnapshot() === 'half a sentence more');
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
    test(`what was kept and is ${what} is thrown away, and the page goes on`, async (t) => {
      const town = await Town.open(t, database);
      const { alice, bob } = await aliceWithAll(town);
      for (const [key, value] of await alice.storage.all('page:'))
        await alice.storage.set(key, spoil(value as object)); // written by seal
      const offline = await startOffline(alice.storage);
      assert.deepEqual(offline.page.chats.conversations.getSnapshot(), []);
      assert.deepEqual(offline.page.chats.thread(bob.id).view.getSnapshot().messages, []);
      assert.equal(offline.page.freshness.getSnapshot(), 'none');
      await offline.close();
      const left = (await keys(alice.storage)).filter((key) => !key.includes(':draft:'));
      assert.deepEqual(left, []);
      const reloaded = await alice.reload();
      await settled(reloaded);
      await untilEqual(() => reloaded.page.chats.unreadTotal.getSnapshot(), 2);
    });

  test('threads of a database that was restored since are not shown', async (t) => {
    const town = await Town.open(t, database);
    const { alice, bob } = await aliceWithAll(town);
    alice.doorman.disconnect();
    await renewEpoch(town.service.services.db);
    await town.restart();
    const reloaded = await alice.reload();
    await settled(reloaded);
    await reloaded.page.flush();
    const offline = await startOffline(alice.storage);
    t.after(offline.close);
    assert.equal(offline.page.chats.conversations.getSnapshot().length, 1);
    assert.deepEqual(offline.page.chats.thread(bob.id).view.getSnapshot().messages, []);
  });

  test('thirty threads are kept, those used last', async (t) => {
    const town = await Town.open(t, database);
    const alice = await town.join('alice');
    const crowd = [];
    for (let i = 0; i < 33; i++) crowd.push(await town.service.join(`writer${i}`));
    for (const { id, token } of crowd) {
      const message = { to: alice.id, cid: `first-${id}`, body: 'hi' };
      await town.service.post('/api/messages', message, { token });
    }
    await until(() => alice.page.chats.unreadTotal.getSnapshot() === 33);
    await alice.page.flush();
    const threads = (await keys(alice.storage)).filter((key) => key.includes(':thread:'));
    assert.deepEqual(
      threads.map((key) => key.slice(key.lastIndexOf(':') + 1)).sort(),
      crowd
        .slice(3)
        .map(({ id }) => id)
        .sort(),
    );
  });

  test('a storage that fails costs nothing but what it would have kept', async (t) => {
    const town = await Town.open(t, database);
    const { alice, bob } = await aliceWithAll(town);
    const fail = () => Promise.reject(new DOMException('full', 'QuotaExceededError'));
    alice.storage.set = fail;
    alice.storage.all = fail;
    alice.page.chats.draft(bob.id).set('still here');
    await alice.page.flush();
    assert.equal(alice.page.chats.draft(bob.id).getSnapshot(), 'still here');
    assert.equal(alice.page.chats.conversations.getSnapshot().length, 1);
  });

  test('a storage that cannot be read keeps nobody out', async (t) => {
    const town = await Town.open(t, database);
    const { alice } = await aliceWithAll(town);
    const fail = () => Promise.reject(new DOMException('Internal error', 'UnknownError'));
    alice.storage.all = fail;
    const known = await alice.reload();
    await untilEqual(() => known.page.session.getSnapshot().state, 'signed_in');
    alice.storage.get = fail;
    const unknown = await alice.reload();
    await untilEqual(() => unknown.page.session.getSnapshot().state, 'signed_out');
  });

  test('a storage that never answers keeps no user out: they sign in, write and sign out', async (t) => {
    const town = await Town.open(t, database);
    const bob = await town.join('bob');
    await town.join('alice');
    const never = () => new Promise<never>(() => {});
    const one = town.newPage({ get: never, set: never, delete: never, all: never, clear: never });
    await one.page.start();
    assert.equal(one.page.session.getSnapshot().state, 'signed_out');
    await one.page.session.signIn({ username: 'alice', password: 'password-of-alice' });
    await settled(one);
    one.page.chats.draft(bob.id).set('half a');
    await one.page.flush();
    assert.equal((await one.doorman.send(bob.id, 'hello')).state, 'stored');
    await one.page.session.signOut();
    assert.equal(one.page.session.getSnapshot().state, 'signed_out');
    assert.deepEqual(await allButProofs(one.doorman.storage), []);
  });
});

function nothingOfAlice({ page }: TestPage, peer: string, now?: string): void {
  assert.deepEqual(page.chats.conversations.getSnapshot(), []);
  assert.deepEqual(page.chats.thread(peer).view.getSnapshot().messages, []);
  assert.equal(page.chats.draft(peer).getSnapshot(), '');
  assert.equal(page.chats.unreadTotal.getSnapshot(), 0);
  assert.equal(page.people.person(peer).getSnapshot().state, 'unknown');
  assert.equal(page.friends.state(peer).getSnapshot(), 'none');
  assert.deepEqual(page.blocks.all.getSnapshot(), []);
  if (now === undefined) assert.notEqual(page.own.profile.getSnapshot()?.username, 'alice');
  else assert.ok([now, undefined].includes(page.own.profile.getSnapshot()?.username));
}
