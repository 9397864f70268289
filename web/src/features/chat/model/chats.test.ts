import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onSqlite } from '../../../../../test/databases.ts';
import { settled, type TestClient, Town, until, untilEqual } from '../../../../test/stores.ts';

/** The rows of the list: peer, last text and unread count. */
function rows({ stores }: TestClient) {
  return stores.chats.conversations.getSnapshot().map(({ peer, last, pending, unread }) => {
    return [peer, pending?.body ?? last?.body, unread];
  });
}

function bodies({ stores }: TestClient, peer: string) {
  return stores.chats
    .thread(peer)
    .view.getSnapshot()
    .messages.map(({ body }) => body);
}

onSqlite('conversations of the page', (database) => {
  test('the latest comes first, own messages are not counted, and the total is that of all', async (t) => {
    const town = await Town.open(t, database);
    const [alice, bob, carol] = [await town.join('alice'), await town.join('bob'), await town.join('carol')];
    bob.stores.chats.thread(alice.id).send('one');
    bob.stores.chats.thread(alice.id).send('two');
    await untilEqual(() => rows(alice), [[bob.id, 'two', 2]]);
    await untilEqual(() => rows(bob), [[alice.id, 'two', 0]]);
    carol.stores.chats.thread(alice.id).send('hello');
    await untilEqual(
      () => rows(alice),
      [
        [carol.id, 'hello', 1],
        [bob.id, 'two', 2],
      ],
    );
    assert.equal(alice.stores.chats.unreadTotal.getSnapshot(), 3);
    alice.stores.chats.thread(bob.id).send('three');
    await untilEqual(
      () => rows(alice),
      [
        [bob.id, 'three', 2],
        [carol.id, 'hello', 1],
      ],
    );
  });

  test('what was read on one device is read on the other', async (t) => {
    const town = await Town.open(t, database);
    const [phone, bob] = [await town.join('alice'), await town.join('bob')];
    const laptop = await town.another('alice');
    for (const body of ['one', 'two', 'three']) bob.stores.chats.thread(phone.id).send(body);
    await untilEqual(() => [rows(phone), rows(laptop)], [[[bob.id, 'three', 3]], [[bob.id, 'three', 3]]]);
    laptop.doorman.markRead(bob.id, 2);
    await untilEqual(() => [rows(phone), rows(laptop)], [[[bob.id, 'three', 1]], [[bob.id, 'three', 1]]]);
    assert.equal(phone.stores.chats.unreadTotal.getSnapshot(), 1);
    laptop.doorman.markRead(bob.id, 3);
    await until(() => phone.stores.chats.unreadTotal.getSnapshot() === 0);
  });

  test('unread messages are counted in the history if own ones are among them', async (t) => {
    const town = await Town.open(t, database);
    const [phone, bob] = [await town.join('alice'), await town.join('bob')];
    await town.writeMany(bob, phone.id, ['1', '2']);
    await town.writeMany(phone, bob.id, ['3', '4', '5']);
    await town.writeMany(bob, phone.id, ['6']);
    const laptop = await town.another('alice');
    assert.deepEqual(rows(laptop), [[bob.id, '6', 3]]);
    phone.doorman.markRead(bob.id, 1);
    // The estimate would be three: four messages come after the first.
    await untilEqual(() => rows(laptop), [[bob.id, '6', 2]]);
  });

  test('a mark counts here at once, also before the connection is back', async (t) => {
    const town = await Town.open(t, database);
    const [alice, bob] = [await town.join('alice'), await town.join('bob')];
    bob.stores.chats.thread(alice.id).send('one');
    await until(() => alice.stores.chats.unreadTotal.getSnapshot() === 1);
    const thread = alice.stores.chats.thread(bob.id);
    thread.open();
    await until(() => thread.view.getSnapshot().messages.length === 1);
    alice.doorman.disconnect();
    thread.setAtEnd(1);
    assert.equal(alice.stores.chats.unreadTotal.getSnapshot(), 0);
    await alice.stores.flush();
    const reloaded = await alice.reload();
    await settled(reloaded);
    assert.equal(
      reloaded.stores.chats.unreadTotal.getSnapshot(),
      0,
      'though the service has not heard of it yet',
    );
    const bobs = bob.stores.chats.thread(alice.id).view;
    await until(() => bobs.getSnapshot().messages.at(-1)?.state === 'read', 'marked once it could be');
  });

  test('the icon shows the total, and a notification goes when its conversation is read', async (t) => {
    const town = await Town.open(t, database);
    const [alice, bob, carol] = [await town.join('alice'), await town.join('bob'), await town.join('carol')];
    bob.stores.chats.thread(alice.id).send('one');
    carol.stores.chats.thread(alice.id).send('two');
    await until(() => alice.browser.badges.at(-1) === 2);
    alice.browser.notified = new Set([bob.id, carol.id]);
    alice.doorman.markRead(bob.id, 1);
    await until(() => alice.browser.badges.at(-1) === 1);
    assert.deepEqual([...alice.browser.notified], [carol.id]);
    await alice.stores.session.signOut();
    assert.equal(alice.browser.badges.at(-1), 0);
    assert.equal(alice.browser.notified.size, 0);
  });

  test('a conversation begins with what waits to be sent, and its draft is gone', async (t) => {
    const town = await Town.open(t, database);
    const [alice, bob] = [await town.join('alice'), await town.join('bob')];
    alice.doorman.disconnect();
    const draft = alice.stores.chats.drafts.of(bob.id);
    draft.set('hi there');
    assert.equal(draft.getSnapshot(), 'hi there');
    alice.stores.chats.thread(bob.id).send('hi there');
    assert.equal(draft.getSnapshot(), '');
    assert.deepEqual(rows(alice), [[bob.id, 'hi there', 0]]);
    assert.equal(alice.stores.chats.conversations.getSnapshot()[0]?.pending?.state, 'waiting');
    alice.doorman.connect();
    await untilEqual(() => alice.stores.chats.conversations.getSnapshot()[0]?.pending, undefined);
    assert.deepEqual(rows(alice), [[bob.id, 'hi there', 0]]);
    assert.deepEqual(bodies(alice, bob.id), ['hi there']);
  });

  test('a message that the service had already, as its answer was lost, is not shown as waiting', async (t) => {
    const town = await Town.open(t, database);
    const [alice, bob] = [await town.join('alice'), await town.join('bob')];
    await alice.doorman.api.sendMessage({ to: bob.id, cid: 'sent before', body: 'hi' });
    await untilEqual(() => rows(alice), [[bob.id, 'hi', 0]]);
    await alice.doorman.send(bob.id, 'hi', 'sent before');
    assert.equal(alice.stores.chats.conversations.getSnapshot()[0]?.pending, undefined);
  });

  test('views stay the same objects while nothing of them changes', async (t) => {
    const town = await Town.open(t, database);
    const [alice, bob, carol] = [await town.join('alice'), await town.join('bob'), await town.join('carol')];
    for (const body of ['one', 'two']) bob.stores.chats.thread(alice.id).send(body);
    await until(() => alice.stores.chats.unreadTotal.getSnapshot() === 2);
    const before = alice.stores.chats.conversations.getSnapshot();
    assert.equal(alice.stores.chats.conversations.getSnapshot(), before);
    carol.stores.chats.thread(alice.id).send('hello');
    await until(() => alice.stores.chats.unreadTotal.getSnapshot() === 3);
    const after = alice.stores.chats.conversations.getSnapshot();
    assert.equal(after[1], before[0]);
    const thread = alice.stores.chats.thread(bob.id);
    thread.open();
    await until(() => thread.view.getSnapshot().messages.length === 2);
    const [first] = thread.view.getSnapshot().messages;
    bob.stores.chats.thread(alice.id).send('three');
    await until(() => thread.view.getSnapshot().messages.length === 3);
    assert.equal(thread.view.getSnapshot().messages[0], first);
  });
});
