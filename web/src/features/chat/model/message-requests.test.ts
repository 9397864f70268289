import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MemoryStorage } from 'doorman-client/testing';
import { onSqlite } from '../../../../../test/databases.ts';
import { settled, type TestClient, Town, until, untilEqual } from '../../../../test/stores.ts';

const listed = ({ stores }: TestClient) =>
  stores.chats.conversations.getSnapshot().map(({ peer, last, unread }) => [peer, last?.body, unread]);

const waiting = ({ stores }: TestClient) => {
  const { count, rows } = stores.chats.requests.view.getSnapshot();
  return [count, ...rows.map(({ peer, last, unread }) => [peer, last?.body, unread])];
};

const bodies = ({ stores }: TestClient, peer: string) =>
  stores.chats
    .thread(peer)
    .view.getSnapshot()
    .messages.map(({ body }) => body);

const states = ({ stores }: TestClient, peer: string) =>
  stores.chats
    .thread(peer)
    .view.getSnapshot()
    .messages.map(({ state }) => state);

/** Alice takes message requests, and Bob is a stranger. */
async function meet(town: Town) {
  const [alice, bob] = [await town.join('alice'), await town.join('bob')];
  await alice.doorman.api.setPrivacy({ messages: 'requests' });
  return { alice, bob };
}

function write({ stores }: TestClient, to: TestClient, ...texts: string[]): void {
  for (const text of texts) stores.chats.thread(to.id).send(text);
}

onSqlite('message requests on the page', (database) => {
  test('what a stranger writes waits beside the conversations, and neither counts as unread nor is read', async (t) => {
    const town = await Town.open(t, database);
    const { alice, bob } = await meet(town);
    write(bob, alice, 'one', 'two');
    await untilEqual(() => waiting(alice), [1, [bob.id, 'two', 0]]);
    assert.deepEqual(listed(alice), []);
    assert.equal(alice.stores.chats.unreadTotal.getSnapshot(), 0);
    assert.deepEqual(
      alice.browser.badges.filter((count) => count > 0),
      [],
    );
    const thread = alice.stores.chats.thread(bob.id);
    const close = thread.open();
    await untilEqual(() => bodies(alice, bob.id), ['one', 'two']);
    thread.setAtEnd(2);
    close();

    // Nothing of it was read: as soon as she accepts it, it is unread on every device, and Bob learns that it has arrived.
    const phone = await town.another('alice');
    await untilEqual(() => waiting(phone), [1, [bob.id, 'two', 0]]);
    assert.deepEqual(states(bob, alice.id), ['stored', 'stored']);
    await alice.stores.chats.requests.answer(bob.id, 'accept');
    for (const device of [alice, phone]) {
      await untilEqual(() => waiting(device), [0]);
      await untilEqual(() => listed(device), [[bob.id, 'two', 2]]);
    }
    await untilEqual(() => states(bob, alice.id), ['received', 'received']);
    write(bob, alice, 'three');
    await untilEqual(() => listed(phone), [[bob.id, 'three', 3]]);
    await untilEqual(() => alice.browser.badges.at(-1), 3);
  });

  test('a request is shown whole where the own receipt comes before the list of requests', async (t) => {
    const town = await Town.open(t, database);
    const { alice, bob } = await meet(town);
    write(bob, alice, 'one');
    await untilEqual(() => waiting(alice), [1, [bob.id, 'one', 0]]);
    const { chats } = (await town.another('alice')).stores;
    chats.requests.clear();
    chats.requests.onSnapshot(1);
    chats.onMark({ peer: bob.id, by: alice.id, received: 1, read: 0, seq: 99 });
    const thread = chats.thread(bob.id);
    t.after(thread.open());
    await untilEqual(() => thread.view.getSnapshot().messages.map(({ body }) => body), ['one']);
    assert.equal(chats.has(bob.id), false);
  });

  test('an open request that is accepted is read, as any conversation', async (t) => {
    const town = await Town.open(t, database);
    const { alice, bob } = await meet(town);
    write(bob, alice, 'one');
    await untilEqual(() => waiting(alice), [1, [bob.id, 'one', 0]]);
    const thread = alice.stores.chats.thread(bob.id);
    t.after(thread.open());
    await untilEqual(() => bodies(alice, bob.id), ['one']);
    thread.setAtEnd(1);
    await alice.stores.chats.requests.answer(bob.id, 'accept');
    await untilEqual(() => states(bob, alice.id), ['read']);
    assert.deepEqual(listed(alice), [[bob.id, 'one', 0]]);
  });

  test('a declined or blocked request is gone on every device, and comes back by no reload and no unblock', async (t) => {
    const town = await Town.open(t, database);
    const { alice, bob } = await meet(town);
    const carol = await town.join('carol');
    const phone = await town.another('alice');
    write(bob, alice, 'from bob');
    await untilEqual(() => waiting(phone), [1, [bob.id, 'from bob', 0]]);
    write(carol, alice, 'from carol');
    await untilEqual(() => waiting(alice), [2, [carol.id, 'from carol', 0], [bob.id, 'from bob', 0]]);
    await phone.stores.chats.requests.answer(bob.id, 'decline');
    for (const device of [alice, phone])
      await untilEqual(() => waiting(device), [1, [carol.id, 'from carol', 0]]);
    const block = alice.stores.blocks.block(carol.id);
    // The page shows a block at once.
    assert.deepEqual(waiting(alice), [0]);
    await block;
    await untilEqual(() => waiting(phone), [0]);
    await alice.stores.blocks.unblock(carol.id);
    await alice.stores.flush();
    const reloaded = await alice.reload();
    await settled(reloaded);
    for (const device of [phone, reloaded])
      assert.deepEqual([waiting(device), listed(device), bodies(device, bob.id)], [[0], [], []]);
    await assert.rejects(phone.stores.chats.requests.answer(bob.id, 'accept'), { error: 'no_request' });
    // The stranger learns of none of it.
    assert.deepEqual([states(bob, alice.id), states(carol, alice.id)], [['stored'], ['stored']]);
  });

  test('a reload shows what waits before the service answers, and then what the service has', async (t) => {
    const town = await Town.open(t, database);
    const { alice, bob } = await meet(town);
    const carol = await town.join('carol');
    write(bob, alice, 'hello');
    await untilEqual(() => waiting(alice), [1, [bob.id, 'hello', 0]]);
    await alice.stores.flush();
    const again = await alice.reload();
    assert.deepEqual(waiting(again), [1, [bob.id, 'hello', 0]]);
    await settled(again);
    assert.deepEqual(waiting(again), [1, [bob.id, 'hello', 0]]);
    // It is answered elsewhere while the device is off, and the log does not reach back.
    again.doorman.disconnect();
    write(carol, alice, 'hi');
    const phone = await town.another('alice');
    await until(() => waiting(phone)[0] === 2 && phone.stores.chats.requests.has(bob.id));
    await phone.stores.chats.requests.answer(bob.id, 'accept');
    const last = await again.reload();
    await untilEqual(() => waiting(last), [1, [carol.id, 'hi', 0]]);
    assert.deepEqual(listed(last), [[bob.id, 'hello', 1]]);
  });

  test('a change of one that is being loaded is in it, and its messages are there', async (t) => {
    const town = await Town.open(t, database);
    const { alice, bob } = await meet(town);
    write(bob, alice, 'one', 'two');
    await untilEqual(() => waiting(alice), [1, [bob.id, 'two', 0]]);
    await alice.stores.flush();
    const hold = ({ doorman }: TestClient) => {
      const { messageRequests } = doorman.api;
      const [asked, held] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      doorman.api.messageRequests = async (query) => {
        const page = await messageRequests(query);
        asked.resolve();
        await held.promise;
        return page;
      };
      return { asked: asked.promise, release: held.resolve };
    };
    // One device has it from before, the other one has nothing of it yet.
    await alice.stores.close();
    alice.doorman.disconnect();
    const [known, unknown] = [town.newClient(alice.storage), town.newClient(new MemoryStorage())];
    const [first, second] = [hold(known), hold(unknown)];
    await known.stores.start();
    await unknown.stores.start();
    await unknown.stores.session.signIn({ username: 'alice', password: 'password-of-alice' });
    await Promise.all([first.asked, second.asked]);
    const arrived = [known, unknown].map(
      ({ doorman }) => new Promise((resolve) => void doorman.on('unsent', resolve)),
    );
    bob.stores.chats.thread(alice.id).unsend(2);
    await Promise.all(arrived);
    for (const { release } of [first, second]) release();
    await until(() => unknown.stores.chats.requests.has(bob.id));
    await until(() => known.stores.chats.requests.isLoaded);
    assert.deepEqual(waiting(known), [1, [bob.id, '', 0]]);
    for (const device of [known, unknown]) {
      t.after(device.stores.chats.thread(bob.id).open());
      await untilEqual(() => bodies(device, bob.id), ['one', '']);
    }
  });

  test('an older stored state has no requests, and is shown', async (t) => {
    const town = await Town.open(t, database);
    const { alice, bob } = await meet(town);
    write(alice, bob, 'hi');
    await untilEqual(() => listed(alice), [[bob.id, 'hi', 0]]);
    await alice.stores.flush();
    const key = `page:${alice.id}:list`;
    const stored = JSON.parse(JSON.stringify(await alice.storage.get(key)));
    delete stored.value.requests;
    delete stored.value.requestCount;
    await alice.storage.set(key, stored);
    const again = await alice.reload();
    assert.deepEqual([waiting(again), listed(again)], [[0], [[bob.id, 'hi', 0]]]);
  });

  test('writing to a stranger who waits accepts them, and who declined them has the whole conversation', async (t) => {
    const town = await Town.open(t, database);
    const { alice, bob } = await meet(town);
    const phone = await town.another('alice');
    write(bob, alice, 'one');
    await until(() => phone.stores.chats.requests.has(bob.id));
    await alice.stores.chats.requests.answer(bob.id, 'decline');
    await untilEqual(() => waiting(phone), [0]);
    write(alice, bob, 'after all');
    for (const device of [alice, phone])
      await untilEqual(() => listed(device).map(([peer, body]) => [peer, body]), [[bob.id, 'after all']]);
    t.after(phone.stores.chats.thread(bob.id).open());
    await untilEqual(() => bodies(phone, bob.id), ['one', 'after all']);
  });
});
