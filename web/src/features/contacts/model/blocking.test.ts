import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DoormanError } from 'doorman-client';
import { onSqlite } from '../../../../../test/databases.ts';
import { type TestClient, Town, until, untilEqual } from '../../../../test/stores.ts';
import type { People } from './people.ts';

/** Everything that the stores show of a user. */
function seen({ stores }: TestClient, peer: string) {
  const row = stores.chats.conversations.getSnapshot().find((one) => one.peer === peer);
  return {
    isBlocked: stores.blocks.isBlocked(peer).getSnapshot(),
    typing: stores.chats.thread(peer).typing.getSnapshot(),
    sight: stores.presence.of(peer).getSnapshot().state,
    unread: row?.unread,
    total: stores.chats.unreadTotal.getSnapshot(),
    friend: stores.friends.state(peer).getSnapshot(),
  };
}

const OPEN: ReturnType<typeof seen> = {
  isBlocked: false,
  typing: true,
  sight: 'online',
  unread: 2,
  total: 2,
  friend: 'asked',
};
const HIDDEN: ReturnType<typeof seen> = {
  isBlocked: true,
  typing: false,
  sight: 'unknown',
  unread: 0,
  total: 0,
  friend: 'none',
};

async function meet(town: Town) {
  const [alice, bob] = [await town.join('alice'), await town.join('bob')];
  alice.stores.presence.watch([bob.id]);
  await bob.stores.friends.act('request', alice.id);
  await town.writeMany(bob, alice.id, ['one', 'two']);
  bob.stores.chats.thread(alice.id).sendTyping();
  await untilEqual(() => seen(alice, bob.id), OPEN);
  return { alice, bob };
}

onSqlite('blocks of the page', (database) => {
  test('a block hides everything at once, before the service has answered', async (t) => {
    const town = await Town.open(t, database);
    const { alice, bob } = await meet(town);
    const carol = await town.join('carol');
    // Each of Bob's devices may send one typing frame a second.
    const [phone, desk] = [await town.another('bob'), await town.another('bob')];
    const answered = alice.stores.blocks.block(bob.id);
    assert.deepEqual(seen(alice, bob.id), HIDDEN);
    phone.stores.chats.thread(alice.id).sendTyping();
    await answered;
    // Frames of a connection are carried out in their order: what Carol sees comes after what Alice does not.
    desk.stores.chats.thread(alice.id).sendTyping();
    desk.stores.chats.thread(carol.id).sendTyping();
    await until(() => carol.stores.chats.thread(bob.id).typing.getSnapshot());
    carol.stores.chats.thread(alice.id).sendTyping();
    await until(() => alice.stores.chats.thread(carol.id).typing.getSnapshot());
    assert.deepEqual(seen(alice, bob.id), HIDDEN);
    assert.deepEqual(
      alice.stores.blocks.all.getSnapshot().map(({ id }) => id),
      [bob.id],
    );
    assert.deepEqual(alice.stores.friends.all.getSnapshot().asked, []);
  });

  test("a block closes the user's notification, here or on another device", async (t) => {
    const town = await Town.open(t, database);
    const { alice, bob } = await meet(town);
    const carol = await town.join('carol');
    const other = await town.another('alice');
    for (const { browser } of [alice, other]) browser.notified = new Set([bob.id, carol.id]);
    const answered = alice.stores.blocks.block(bob.id);
    assert.deepEqual([...alice.browser.notified], [carol.id]);
    await answered;
    await untilEqual(() => [...other.browser.notified], [carol.id]);
  });

  test('typing is hidden before the service knows of the block', async (t) => {
    const town = await Town.open(t, database);
    const { alice, bob } = await meet(town);
    const { block } = alice.doorman.api;
    let goOn = () => {};
    alice.doorman.api.block = async (id) => {
      await new Promise<void>((resolve) => {
        goOn = resolve;
      });
      return block(id);
    };
    const answered = alice.stores.blocks.block(bob.id);
    let heard = 0;
    alice.doorman.on('typing', () => heard++);
    // A kit sends it once a second.
    await until(() => {
      bob.stores.chats.thread(alice.id).sendTyping();
      return heard > 0;
    });
    assert.deepEqual(seen(alice, bob.id), HIDDEN);
    goOn();
    await answered;
  });

  test('a block on one device hides on the other, and an unblock loads the true state', async (t) => {
    const town = await Town.open(t, database);
    const { alice, bob } = await meet(town);
    const laptop = await town.another('alice');
    laptop.stores.presence.watch([bob.id]);
    await until(() => seen(laptop, bob.id).sight === 'online');
    await alice.stores.blocks.block(bob.id);
    await untilEqual(() => seen(laptop, bob.id), HIDDEN);
    // A device that connects during the block does not get the unread count.
    const tablet = await town.another('alice');
    tablet.stores.presence.watch([bob.id]);
    assert.deepEqual(seen(tablet, bob.id), HIDDEN);
    await laptop.stores.blocks.unblock(bob.id);
    const lifted: ReturnType<typeof seen> = { ...OPEN, typing: false, friend: 'none' };
    for (const one of [alice, laptop, tablet]) await untilEqual(() => seen(one, bob.id), lifted);
  });

  test('a blocked user is shown by their nickname, which no list of blocks has', async (t) => {
    const town = await Town.open(t, database);
    const [alice, bob] = [await town.join('alice'), await town.join('bob')];
    await bob.stores.ownAccount.updateProfile({ nickname: 'Bobby' });
    await alice.stores.blocks.block(bob.id);
    // The stores are made of it; its interface for components has no cache.
    const people = (await town.another('alice')).stores.people as People;
    // The second page of blocks, for example, names this user again.
    people.names.add([{ id: bob.id, username: 'bob', avatar: '' }]);
    people.person(bob.id).subscribe(() => {});
    await untilEqual(() => people.person(bob.id).getSnapshot().name, 'Bobby');
  });

  test('a refused block hides no user', async (t) => {
    const town = await Town.open(t, database);
    const alice = await town.join('alice');
    const nobody = '00000000-0000-7000-8000-000000000000';
    const refused = alice.stores.blocks.block(nobody);
    assert.equal(alice.stores.blocks.isBlocked(nobody).getSnapshot(), true);
    await assert.rejects(refused, (error) => error instanceof DoormanError && error.code === 404);
    assert.equal(alice.stores.blocks.isBlocked(nobody).getSnapshot(), false);
    assert.deepEqual(alice.stores.blocks.all.getSnapshot(), []);
  });

  test('actions on the same user run in their order', async (t) => {
    const town = await Town.open(t, database);
    const [alice, bob] = [await town.join('alice'), await town.join('bob')];
    const { blocks } = alice.stores;
    await Promise.all([
      blocks.block(bob.id),
      blocks.unblock(bob.id),
      blocks.block(bob.id),
      blocks.unblock(bob.id),
    ]);
    // The event of this message comes after all that those actions caused.
    await town.writeMany(bob, alice.id, ['hi']);
    await until(() => alice.stores.chats.unreadTotal.getSnapshot() === 1);
    assert.equal(blocks.isBlocked(bob.id).getSnapshot(), false);
    assert.deepEqual(await alice.doorman.api.blocked(), []);
  });

  test('a blocked user sees neither typing nor presence of the blocker, and is refused', async (t) => {
    const town = await Town.open(t, database);
    const { alice, bob } = await meet(town);
    bob.stores.presence.watch([alice.id]);
    await until(() => seen(bob, alice.id).sight === 'online');
    await alice.stores.blocks.block(bob.id);
    await until(() => seen(bob, alice.id).sight === 'offline');
    await assert.rejects(bob.stores.friends.act('request', alice.id), /not_accepting/);
  });
});
