import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { onSqlite, type TestDatabase } from '../../../../../test/databases.ts';
import { settled, type TestClient, Town, until, untilEqual } from '../../../../test/stores.ts';

const HOUR_MS = 3_600_000;

function rows({ stores }: TestClient) {
  return stores.chats.conversations.getSnapshot();
}

function peers(client: TestClient): string[] {
  return rows(client).map(({ peer }) => peer);
}

function bodies({ stores }: TestClient, peer: string): string[] {
  return stores.chats
    .thread(peer)
    .view.getSnapshot()
    .messages.map(({ body }) => body);
}

/** Alice on a phone and a laptop, and Bob, Carol and Dan, each of whom has written to her. */
async function meet(t: TestContext, database: TestDatabase) {
  const town = await Town.open(t, database);
  const phone = await town.join('alice');
  const laptop = await town.another('alice');
  const friends: TestClient[] = [];
  for (const name of ['bob', 'carol', 'dan']) {
    const one = await town.join(name);
    await town.writeMany(one, phone.id, [`${name} 1`, `${name} 2`]);
    friends.push(one);
  }
  const [bob, carol, dan] = friends as [TestClient, TestClient, TestClient];
  await untilEqual(() => [peers(phone), peers(laptop)], Array(2).fill([dan.id, carol.id, bob.id]));
  const set = (peer: TestClient, settings: object) =>
    phone.doorman.api.setConversation({ peer: peer.id, ...settings });
  return { town, phone, laptop, bob, carol, dan, set };
}

onSqlite('How a user keeps conversations', (database) => {
  test('pinned ones are at the top, the latest pin first, on all devices and after a reload', async (t) => {
    const { town, phone, laptop, bob, carol, dan, set } = await meet(t, database);
    await set(carol, { pinned: 1 });
    await set(bob, { pinned: 1 });
    await untilEqual(() => [peers(phone), peers(laptop)], Array(2).fill([bob.id, carol.id, dan.id]));
    await town.writeMany(dan, phone.id, ['again']);
    await until(() => rows(laptop)[2]?.last?.body === 'again');
    assert.deepEqual(peers(laptop), [bob.id, carol.id, dan.id]);
    await phone.stores.flush();
    phone.doorman.disconnect();
    const reloaded = await phone.reload();
    assert.deepEqual(peers(reloaded), [bob.id, carol.id, dan.id], 'as stored on the device');
    await settled(reloaded);
    assert.deepEqual(peers(reloaded), [bob.id, carol.id, dan.id]);
    await set(bob, { pinned: 0 });
    await untilEqual(() => peers(reloaded), [carol.id, dan.id, bob.id]);
  });

  test('a muted one is not counted until its mute ends', async (t) => {
    const { phone, laptop, bob, set } = await meet(t, database);
    const total = (one: TestClient) => one.stores.chats.unreadTotal.getSnapshot();
    const isMuted = (one: TestClient) => rows(one).find(({ peer }) => peer === bob.id)?.isMuted;
    await untilEqual(() => [total(phone), total(laptop)], [6, 6]);
    await set(bob, { mutedUntil: 8.64e15 });
    await untilEqual(() => [total(phone), total(laptop), isMuted(phone)], [4, 4, true]);
    assert.equal(rows(phone).find(({ peer }) => peer === bob.id)?.unread, 2, 'its own count stays');
    await set(bob, { mutedUntil: Date.now() + 500 });
    await untilEqual(() => [total(phone), total(laptop), isMuted(phone)], [6, 6, false]);
    assert.equal(phone.browser.badges.at(-1), 6);
  });

  test('an archived one comes back with a message, but a muted one only when it is no longer muted', async (t) => {
    const { town, phone, laptop, bob, carol, set } = await meet(t, database);
    const archived = (one: TestClient) =>
      rows(one)
        .filter(({ isArchived }) => isArchived)
        .map(({ peer }) => peer);
    await set(bob, { archived: 1 });
    await set(carol, { archived: 1, mutedUntil: Date.now() + HOUR_MS });
    await untilEqual(() => [archived(phone), archived(laptop)], Array(2).fill([carol.id, bob.id]));
    for (const one of [bob, carol]) await town.writeMany(one, phone.id, ['again']);
    await until(() => rows(phone).filter(({ last }) => last?.body === 'again').length === 2);
    await untilEqual(() => [archived(phone), archived(laptop)], [[carol.id], [carol.id]]);
    await set(carol, { mutedUntil: Date.now() + 500 });
    await untilEqual(() => [archived(phone), archived(laptop)], [[], []]);
  });

  test('a mute that ended without a connection is noticed when it is back', async (t) => {
    const { town, phone, laptop, bob, set } = await meet(t, database);
    const bobs = () => rows(laptop).find(({ peer }) => peer === bob.id);
    const endsAt = Date.now() + 1_000;
    await set(bob, { archived: 1, mutedUntil: endsAt });
    await town.writeMany(bob, phone.id, ['again']);
    await until(() => bobs()?.last?.body === 'again' && bobs()?.isArchived === true);
    laptop.doorman.disconnect();
    await until(() => Date.now() > endsAt && bobs()?.isMuted === false);
    laptop.doorman.connect();
    await until(() => bobs()?.isArchived === false);
  });

  test('one that is marked as unread is no longer so once it is opened and looked at', async (t) => {
    const { phone, laptop, bob, carol, set } = await meet(t, database);
    const isMarked = (one: TestClient) => rows(one).find(({ peer }) => peer === bob.id)?.isMarkedUnread;
    /** Another event of the same log: what the laptop has called before it would have come by then. */
    const laterEvent = async () => {
      const pinned = rows(laptop).find(({ peer }) => peer === carol.id)?.pinnedAt === 0;
      await laptop.doorman.api.sessions();
      await set(carol, { pinned: pinned ? 1 : 0 });
      await until(() => (rows(laptop).find(({ peer }) => peer === carol.id)?.pinnedAt !== 0) === pinned);
    };
    phone.doorman.markRead(bob.id, 2);
    await set(bob, { markedUnread: 1 });
    await untilEqual(() => [isMarked(phone), isMarked(laptop)], [true, true]);
    laptop.browser.attend(false);
    const close = laptop.stores.chats.open(bob.id);
    await until(() => laptop.stores.chats.thread(bob.id).view.getSnapshot().messages.length === 2);
    await laterEvent();
    assert.equal(isMarked(laptop), true);
    laptop.browser.attend(true);
    await untilEqual(() => [isMarked(phone), isMarked(laptop)], [false, false]);
    // Marked while it is open, it stays so until it is opened again.
    await set(bob, { markedUnread: 1 });
    await untilEqual(() => [isMarked(phone), isMarked(laptop)], [true, true]);
    laptop.browser.attend(false);
    laptop.browser.attend(true);
    await laterEvent();
    close();
    assert.equal(isMarked(laptop), true);
    laptop.stores.chats.open(bob.id);
    await untilEqual(() => [isMarked(phone), isMarked(laptop)], [false, false]);
  });

  test('a deleted one is gone on all devices, and begins with what comes afterwards', async (t) => {
    const { town, phone, laptop, bob, carol, dan } = await meet(t, database);
    laptop.stores.chats.open(bob.id);
    await untilEqual(() => bodies(laptop, bob.id), ['bob 1', 'bob 2']);
    await laptop.stores.flush();
    laptop.browser.notified = new Set([bob.id, carol.id]);
    await phone.doorman.api.clearConversation({ peer: bob.id, n: 2 });
    await untilEqual(() => [peers(phone), peers(laptop)], Array(2).fill([dan.id, carol.id]));
    assert.deepEqual(bodies(laptop, bob.id), []);
    assert.equal(laptop.stores.chats.thread(bob.id).view.getSnapshot().isLoading, false);
    assert.equal(laptop.stores.chats.unreadTotal.getSnapshot(), 4);
    assert.deepEqual([...laptop.browser.notified], [carol.id]);
    await laptop.stores.flush();
    assert.doesNotMatch(JSON.stringify(await laptop.doorman.storage.all('page:')), /bob 1/);
    assert.deepEqual(rows(bob)[0]?.last?.body, 'bob 2', 'Bob keeps his');

    await town.writeMany(bob, phone.id, ['bob 3']);
    await untilEqual(() => [peers(phone)[0], peers(laptop)[0]], [bob.id, bob.id]);
    await untilEqual(() => bodies(laptop, bob.id), ['bob 3']);
    assert.equal(laptop.stores.chats.thread(bob.id).view.getSnapshot().hasOlder, false);
    assert.equal(laptop.stores.chats.conversations.getSnapshot()[0]?.unread, 1);
  });

  test('one that was deleted while a device was away is gone there too', async (t) => {
    const { town, phone, laptop, bob, carol, dan } = await meet(t, database);
    for (const one of [bob, carol]) laptop.stores.chats.open(one.id)();
    for (const one of [bob, carol]) {
      const close = laptop.stores.chats.open(one.id);
      await until(() => bodies(laptop, one.id).length === 2);
      close();
    }
    await laptop.stores.flush();
    laptop.doorman.disconnect();
    await laptop.stores.close();
    for (const one of [bob, carol]) await phone.doorman.api.clearConversation({ peer: one.id, n: 9 });
    await town.writeMany(carol, phone.id, ['carol 3']);
    const reloaded = await laptop.reload();
    await settled(reloaded);
    assert.deepEqual(peers(reloaded), [carol.id, dan.id]);
    for (const one of [bob, carol]) reloaded.stores.chats.open(one.id);
    await untilEqual(() => [bodies(reloaded, bob.id), bodies(reloaded, carol.id)], [[], ['carol 3']]);
    await reloaded.stores.flush();
    assert.doesNotMatch(JSON.stringify(await reloaded.doorman.storage.all('page:')), /(?:bob|carol) 1/);
  });

  test('of one that was deleted in part, the rest is there and its unread messages are counted', async (t) => {
    const { town, phone, bob, carol, dan } = await meet(t, database);
    await town.writeMany(phone, bob.id, ['mine']);
    await town.writeMany(bob, phone.id, ['bob 4']);
    phone.stores.chats.open(bob.id);
    await untilEqual(() => bodies(phone, bob.id), ['bob 1', 'bob 2', 'mine', 'bob 4']);
    await phone.doorman.api.clearConversation({ peer: bob.id, n: 2 });
    await untilEqual(() => bodies(phone, bob.id), ['mine', 'bob 4']);
    assert.deepEqual(peers(phone), [bob.id, dan.id, carol.id]);
    await untilEqual(() => rows(phone)[0]?.unread, 1);
  });
});
