import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Snapshot } from 'doorman-client';
import { onSqlite } from '../../../../../test/databases.ts';
import { pngOf } from '../../../../../test/pictures-of-noise.ts';
import { type TestClient, Town, until, untilEqual } from '../../../../test/stores.ts';
import { edit, react, unsend } from '../messages/message-changes.ts';

function views({ stores }: TestClient, peer: string) {
  return stores.chats.thread(peer).view.getSnapshot().messages;
}

function bodies(one: TestClient, peer: string) {
  return views(one, peer).map(({ body, isEdited, isUnsent }) => {
    if (isUnsent) return '(unsent)';
    return isEdited ? `${body} (edited)` : body;
  });
}

function row({ stores }: TestClient, peer: string) {
  return stores.chats.conversations.getSnapshot().find((one) => one.peer === peer);
}

async function meet(town: Town) {
  const [alice, bob] = [await town.join('alice'), await town.join('bob')];
  await town.writeMany(bob, alice.id, ['one', 'two', 'three']);
  for (const [one, peer] of [
    [alice, bob],
    [bob, alice],
  ] as const) {
    one.stores.chats.thread(peer.id).open();
    await untilEqual(() => bodies(one, peer.id), ['one', 'two', 'three']);
  }
  return { alice, bob, hers: alice.stores.chats.thread(bob.id), his: bob.stores.chats.thread(alice.id) };
}

onSqlite('changed messages of the page', (database) => {
  test('an edit, a reaction and an unsend are shown on both sides, and in the list', async (t) => {
    const town = await Town.open(t, database);
    const { alice, bob, hers, his } = await meet(town);
    his.edit(3, 'drei');
    await untilEqual(() => bodies(alice, bob.id), ['one', 'two', 'drei (edited)']);
    assert.equal(row(alice, bob.id)?.last?.body, 'drei');
    hers.react(2, '👍');
    await untilEqual(() => views(bob, alice.id)[1]?.reactions, { [alice.id]: '👍' });
    hers.react(2, '');
    await untilEqual(() => views(bob, alice.id)[1]?.reactions, undefined);
    alice.browser.notified.add(bob.id);
    his.unsend(3);
    await untilEqual(() => bodies(alice, bob.id), ['one', 'two', '(unsent)']);
    assert.equal(row(alice, bob.id)?.last?.body, '');
    assert.ok(!alice.browser.notified.has(bob.id), 'a notification may show the text');
    await until(() => views(bob, alice.id).every(({ changes }) => changes === undefined));
  });

  test('a picture is sent during an edit too, which goes on', async (t) => {
    const town = await Town.open(t, database);
    const { alice, bob, his } = await meet(town);
    const [, , third] = views(bob, alice.id);
    assert.ok(third);
    his.startEdit(third);
    const blob = new Blob([new Uint8Array(pngOf(20))], { type: 'image/png' });
    his.write('Look', { blob, width: 20, height: 20 });
    await untilEqual(() => bodies(alice, bob.id), ['one', 'two', 'three', 'Look']);
    assert.equal(views(alice, bob.id)[3]?.picture?.width, 20);
    assert.equal(his.composing.getSnapshot()?.text, 'three');
  });

  test('an unread message that is unsent is counted no more, a read one counts nothing', async (t) => {
    const town = await Town.open(t, database);
    const { alice, bob, hers, his } = await meet(town);
    hers.setAtEnd(2);
    alice.stores.chats.thread(bob.id).setAtEnd(3);
    await until(() => row(alice, bob.id)?.unread === 0);
    alice.browser.attend(false);
    await town.writeMany(bob, alice.id, ['four', 'five']);
    await until(() => row(alice, bob.id)?.unread === 2);
    his.unsend(1);
    his.unsend(4);
    await untilEqual(() => bodies(alice, bob.id), ['(unsent)', 'two', 'three', '(unsent)', 'five']);
    assert.equal(row(alice, bob.id)?.unread, 1);
    // A device that signs in now is told the same.
    const laptop = await town.another('alice');
    assert.equal(row(laptop, bob.id)?.unread, 1);
    his.unsend(5);
    await until(() => row(laptop, bob.id)?.unread === 0);
  });

  test('what was changed while the device was away replaces what it has, loaded or not', async (t) => {
    const town = await Town.open(t, database);
    const { alice, bob, his } = await meet(town);
    await alice.stores.flush();
    alice.doorman.disconnect();
    his.unsend(1);
    his.edit(2, 'zwei');
    await untilEqual(() => bodies(bob, alice.id), ['(unsent)', 'zwei (edited)', 'three']);
    const stale = await alice.reload();
    await untilEqual(() => bodies(stale, bob.id).length, 3);
    stale.stores.chats.thread(bob.id).open();
    await untilEqual(() => bodies(stale, bob.id), ['(unsent)', 'zwei (edited)', 'three']);
  });

  test('a changed conversation of a snapshot is loaded again when it is open, and else removed from the device', async (t) => {
    const town = await Town.open(t, database);
    const { alice, bob, his, hers } = await meet(town);
    his.unsend(1);
    await untilEqual(() => bodies(alice, bob.id)[0], '(unsent)');
    const [one] = (await alice.doorman.api.conversations()).conversations;
    assert.ok(one);
    const snapshotAt = (revision: number) =>
      // What the chats read of it.
      ({
        conversations: [{ ...one, revision }],
        pinned: [],
        messageRequests: 0,
        next: {},
      }) as unknown as Snapshot;
    let calls = 0;
    const { history } = alice.doorman.api;
    alice.doorman.api.history = (fields) => {
      calls++;
      return history(fields);
    };
    alice.stores.chats.onSnapshot(snapshotAt(8), false);
    await untilEqual(() => hers.range?.revision, 8);
    assert.deepEqual([calls, bodies(alice, bob.id)], [1, ['(unsent)', 'two', 'three']]);
    const laptop = await town.another('alice');
    const close = laptop.stores.chats.thread(bob.id).open();
    await untilEqual(() => bodies(laptop, bob.id).length, 3);
    close();
    laptop.stores.chats.onSnapshot(snapshotAt(99), false);
    assert.equal(laptop.stores.chats.thread(bob.id).range, undefined);
  });

  test('a change that comes while a page is loaded is in the page', async (t) => {
    const town = await Town.open(t, database);
    const { bob, his } = await meet(town);
    const laptop = await town.another('alice');
    const { history } = laptop.doorman.api;
    const asked = Promise.withResolvers<void>();
    const held = Promise.withResolvers<void>();
    laptop.doorman.api.history = async (fields) => {
      const page = await history(fields);
      asked.resolve();
      await held.promise;
      return page;
    };
    laptop.stores.chats.thread(bob.id).open();
    await asked.promise;
    his.unsend(2);
    await until(() => laptop.stores.chats.conversation(bob.id).revision === 1);
    held.resolve();
    await untilEqual(() => bodies(laptop, bob.id), ['one', '(unsent)', 'three']);
  });

  test('without a connection a change is shown at once, and it is stored later; a refused one says why', async (t) => {
    const town = await Town.open(t, database);
    const { alice, bob, hers } = await meet(town);
    alice.doorman.disconnect();
    hers.react(1, '😂');
    await untilEqual(() => views(alice, bob.id)[0]?.reactions, { [alice.id]: '😂' });
    assert.equal(views(alice, bob.id)[0]?.changes?.[0]?.state, 'waiting');
    alice.doorman.connect();
    await untilEqual(() => views(bob, alice.id)[0]?.reactions, { [alice.id]: '😂' });
    await until(() => views(alice, bob.id)[0]?.changes === undefined);

    await bob.stores.blocks.block(alice.id);
    hers.react(1, '');
    await until(() => views(alice, bob.id)[0]?.changes?.[0]?.error === 'not_accepting');
    assert.deepEqual(views(alice, bob.id)[0]?.reactions, { [alice.id]: '😂' });
    const [refused] = views(alice, bob.id)[0]?.changes ?? [];
    assert.ok(refused);
    hers.dismissChange(refused);
    await until(() => views(alice, bob.id)[0]?.changes === undefined);
  });

  test('previews of a conversation of a snapshot are removed if it changed, or is not known to the device', async (t) => {
    const town = await Town.open(t, database);
    const { alice, bob } = await meet(town);
    const forgotten: string[] = [];
    alice.stores.previews.forget = async (peer) => void forgotten.push(peer);
    const { chats } = alice.stores;
    const [one] = (await alice.doorman.api.conversations()).conversations;
    // What the chats read of it.
    const at = (revision: number) =>
      ({
        conversations: [{ ...one, revision }],
        pinned: [],
        messageRequests: 0,
        next: {},
      }) as unknown as Snapshot;
    chats.onSnapshot(at(0), false);
    assert.deepEqual(forgotten, []);
    chats.onSnapshot(at(8), false);
    chats.onSnapshot(at(8), false);
    assert.deepEqual(forgotten, [bob.id]);
    chats.known.all.clear();
    chats.onSnapshot(at(8), false);
    assert.deepEqual(forgotten, [bob.id, bob.id]);
  });

  test('a blocked user’s unsend has no event; a page of the history brings it', async (t) => {
    const town = await Town.open(t, database);
    const { alice, bob, his, hers } = await meet(town);
    await alice.stores.blocks.block(bob.id);
    his.unsend(1);
    await untilEqual(() => bodies(bob, alice.id)[0], '(unsent)');
    assert.equal(bodies(alice, bob.id)[0], 'one');
    await alice.stores.blocks.unblock(bob.id);
    await untilEqual(() => bodies(alice, bob.id)[0], '(unsent)');
    assert.equal(hers.range?.revision, 1);
  });

  test('what was unsent without an event is removed from a device on which the conversation is closed', async (t) => {
    const town = await Town.open(t, database);
    const { alice, bob, his } = await meet(town);
    const laptop = await town.another('alice');
    const close = laptop.stores.chats.thread(bob.id).open();
    await untilEqual(() => bodies(laptop, bob.id).length, 3);
    close();
    await laptop.stores.flush();
    const stored = () => laptop.storage.all(`page:${alice.id}:thread:`);
    assert.match(JSON.stringify(await stored()), /one/);
    await alice.stores.blocks.block(bob.id);
    await until(() => laptop.stores.blocks.has(bob.id));
    his.unsend(1);
    await untilEqual(() => bodies(bob, alice.id)[0], '(unsent)');
    await alice.stores.blocks.unblock(bob.id);
    await until(() => laptop.stores.chats.conversation(bob.id).revision === 1);
    await laptop.stores.flush();
    assert.deepEqual(await stored(), []);
  });

  test('an answer has the message that it answers, also one that is not loaded', async (t) => {
    const town = await Town.open(t, database);
    const { alice, bob, hers } = await meet(town);
    await town.writeMany(
      bob,
      alice.id,
      Array.from({ length: 60 }, (_, i) => `more ${i}`),
    );
    const laptop = await town.another('alice');
    laptop.stores.chats.thread(bob.id).open();
    await untilEqual(() => views(laptop, bob.id).length, 50);
    const phone = await town.another('alice');
    const close = phone.stores.chats.thread(bob.id).open();
    await untilEqual(() => views(phone, bob.id).length, 50);
    close();
    hers.send('to the first', 1);
    await until(() => phone.stores.chats.conversation(bob.id).counter.head === 64);
    t.after(phone.stores.chats.thread(bob.id).open());
    await untilEqual(() => views(phone, bob.id).at(-1)?.quoted?.body, 'one');
    await untilEqual(() => views(laptop, bob.id).at(-1)?.quoted?.body, 'one');
    await untilEqual(() => views(bob, alice.id).at(-1)?.quoted?.body, 'one');
    // The quote follows the message.
    bob.stores.chats.thread(alice.id).edit(1, 'eins');
    await untilEqual(() => views(laptop, bob.id).at(-1)?.quoted?.body, 'eins');
    await laptop.stores.flush();
    const reloaded = await laptop.reload();
    await untilEqual(() => views(reloaded, bob.id).at(-1)?.quoted?.body, 'eins');
  });
});

test('each change is absolute', () => {
  const message = { n: 1, from: 'bob', cid: 'c', body: 'one', at: 1 };
  for (const change of [edit('two', 2), unsend(3), react('alice', '👍')])
    assert.deepEqual(change(change(message)), change(message));
});
