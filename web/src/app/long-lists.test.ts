import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { Doorman } from 'doorman-client';
import { onSqlite } from '../../../test/databases.ts';
import { addBlocks, addConversations, addFriends } from '../../../test/long-lists.ts';
import { addCrowd } from '../../../test/people.ts';
import { settled, type TestClient, Town, until, untilEqual } from '../../test/stores.ts';

/** Alice's account, Bob's page, and more users than two pages have. */
async function start(t: TestContext, database: Parameters<typeof Town.open>[1]) {
  const town = await Town.open(t, database);
  const { db } = town.service.services;
  const [first, bob] = [await town.join('alice'), await town.join('bob')];
  return { town, db, aliceId: first.id, bob, crowd: await addCrowd(db, 450) };
}

function peers({ stores }: TestClient): string[] {
  return stores.chats.conversations.getSnapshot().map(({ peer }) => peer);
}

function row({ stores }: TestClient, peer: string) {
  const found = stores.chats.conversations.getSnapshot().find((one) => one.peer === peer);
  return found && { body: found.last?.body, unread: found.unread };
}

/** Holds the answers of one method back. @returns releases them */
function hold(api: Doorman['api'], method: 'conversations' | 'friends'): { asked: number; release(): void } {
  const original = api[method].bind(api);
  const held: (() => void)[] = [];
  const state = {
    asked: 0,
    release: () => {
      Object.assign(api, { [method]: original });
      for (const letGo of held.splice(0)) letGo();
    },
  };
  const holding = async (query: object) => {
    const answer = await original(query);
    state.asked++;
    await new Promise<void>((resolve) => held.push(resolve));
    return answer;
  };
  Object.assign(api, { [method]: holding });
  return state;
}

onSqlite('lists of the page that are longer than a page of the service', (database) => {
  test('conversations come page by page, with names, and count as unread from then on', async (t) => {
    const { town, db, aliceId, crowd } = await start(t, database);
    const latestFirst = await addConversations(db, aliceId, crowd);
    const alice = await town.another('alice');
    const { chats, people } = alice.stores;
    for (const size of [200, 400, 450]) {
      await until(
        () => chats.conversations.getSnapshot().length === size && !chats.more.view.getSnapshot().isLoading,
      );
      assert.deepEqual(peers(alice), latestFirst.slice(0, size));
      assert.equal(chats.unreadTotal.getSnapshot(), size);
      assert.equal(chats.more.view.getSnapshot().hasMore, size < 450);
      alice.doorman.disconnect();
      alice.doorman.connect();
      await settled(alice);
      chats.more.loadMore();
      chats.more.loadMore();
    }
    assert.equal(people.person(crowd[0] ?? '').getSnapshot().username, 'crowd1');
    await alice.stores.flush();
    const again = await alice.reload();
    assert.equal(peers(again).length, 450, 'what was loaded is stored');
    await settled(again);
    assert.equal(peers(again).length, 200, 'the service has sent no more yet');
    again.stores.chats.more.loadMore();
    await untilEqual(() => peers(again), latestFirst.slice(0, 400));
  });

  test('a next page comes below the rows before it, also if all are of one millisecond', async (t) => {
    const { town, db, aliceId, crowd } = await start(t, database);
    await addConversations(db, aliceId, crowd);
    await addFriends(db, aliceId, crowd, 'asked');
    await db.run`update messages set at = 1000`;
    await db.run`update conversations set last_at = 1000`;
    await db.run`update friends set at = 1000`;
    const alice = await town.another('alice');
    const { chats, friends } = alice.stores;
    const asked = () => friends.all.getSnapshot().asked.map(({ id }) => id);
    const firstPages = [peers(alice), asked()];
    assert.deepEqual(
      firstPages.map((page) => page.length),
      [200, 200],
    );
    chats.more.loadMore();
    friends.moreRequests.loadMore();
    await until(() => peers(alice).length === 400 && asked().length === 400);
    assert.deepEqual([peers(alice).slice(0, 200), asked().slice(0, 200)], firstPages);
  });

  test('a conversation on a later page is loaded when a message comes', async (t) => {
    const { town, db, aliceId, bob, crowd } = await start(t, database);
    await addConversations(db, aliceId, [bob.id, ...crowd]);
    const alice = await town.another('alice');
    assert.equal(row(alice, bob.id), undefined);
    await town.writeMany(bob, aliceId, ['two']);
    await untilEqual(() => row(alice, bob.id), { body: 'two', unread: 2 });
    assert.equal(peers(alice)[0], bob.id);
    assert.equal(alice.stores.people.person(bob.id).getSnapshot().name, 'bob');
    assert.equal(alice.stores.chats.unreadTotal.getSnapshot(), 202);
  });

  test('a page that was read before a message came does not undo the message', async (t) => {
    const { town, db, aliceId, bob, crowd } = await start(t, database);
    await addConversations(db, aliceId, [...crowd.slice(0, 50), bob.id, ...crowd.slice(50, 300)]);
    const alice = await town.another('alice');
    const held = hold(alice.doorman.api, 'conversations');
    alice.stores.chats.more.loadMore();
    await until(() => held.asked === 1);
    await town.writeMany(bob, aliceId, ['two']);
    await until(() => row(alice, bob.id) !== undefined);
    held.release();
    await until(() => !alice.stores.chats.more.view.getSnapshot().hasMore);
    await untilEqual(() => row(alice, bob.id), { body: 'two', unread: 2 });
    assert.deepEqual([peers(alice).length, alice.stores.chats.unreadTotal.getSnapshot()], [301, 302]);
  });

  test('a conversation on a later page can be opened by its address, and is read there', async (t) => {
    const { town, db, aliceId, bob, crowd } = await start(t, database);
    await addConversations(db, aliceId, [bob.id, ...crowd]);
    const alice = await town.another('alice');
    const thread = alice.stores.chats.thread(bob.id);
    assert.equal(thread.view.getSnapshot().messages.length, 0);
    thread.open();
    assert.equal(thread.view.getSnapshot().isLoading, true);
    await untilEqual(() => thread.view.getSnapshot().messages.map(({ body }) => body), ['hi 0']);
    assert.deepEqual(row(alice, bob.id), { body: 'hi 0', unread: 1 });
    assert.equal(thread.view.getSnapshot().unreadAfter, 0);
    thread.setAtEnd(1);
    await untilEqual(() => row(alice, bob.id), { body: 'hi 0', unread: 0 });
    await until(
      async () => (await alice.doorman.api.conversations({ peer: bob.id })).conversations[0]?.unread === 0,
    );
  });

  test('every blocked user is known, and one who is unblocked elsewhere is removed', async (t) => {
    const { town, db, aliceId, crowd } = await start(t, database);
    const latestFirst = await addBlocks(db, aliceId, crowd);
    const alice = await town.another('alice');
    const oldest = latestFirst.at(-1) ?? '';
    await until(() => alice.stores.blocks.isBlocked(oldest).getSnapshot());
    assert.deepEqual(
      alice.stores.blocks.all.getSnapshot().map(({ id }) => id),
      latestFirst,
    );
    await alice.stores.flush();
    await db.run`delete from blocks where blocked_id = ${oldest}`;
    const again = await alice.reload();
    assert.equal(
      again.stores.blocks.isBlocked(oldest).getSnapshot(),
      true,
      'stored, until the service says otherwise',
    );
    await until(() => !again.stores.blocks.isBlocked(oldest).getSnapshot());
    assert.equal(again.stores.blocks.all.getSnapshot().length, 449);
  });

  test('all friends load in the background, requests page by page', async (t) => {
    const { town, db, aliceId, crowd } = await start(t, database);
    const friends = await addFriends(db, aliceId, crowd.slice(0, 225), 'friends');
    const asked = await addFriends(db, aliceId, crowd.slice(225), 'asked');
    const alice = await town.another('alice');
    const { all, moreFriends, moreRequests } = alice.stores.friends;
    const ids = () => [
      all.getSnapshot().friends.map(({ id }) => id),
      all.getSnapshot().asked.map(({ id }) => id),
    ];
    await until(() => !moreFriends.view.getSnapshot().hasMore);
    assert.deepEqual(ids(), [friends, asked.slice(0, 200)]);
    assert.equal(alice.stores.friends.state(friends.at(-1) ?? '').getSnapshot(), 'friends');
    moreRequests.loadMore();
    await until(() => !moreRequests.view.getSnapshot().hasMore);
    assert.deepEqual(ids(), [friends, asked]);
  });

  test('a page of requests that was read before an event does not undo the event', async (t) => {
    const { town, db, aliceId, bob, crowd } = await start(t, database);
    await addFriends(db, aliceId, [bob.id, ...crowd.slice(0, 220)], 'asked');
    const alice = await town.another('alice');
    const held = hold(alice.doorman.api, 'friends');
    alice.stores.friends.moreRequests.loadMore();
    await until(() => held.asked === 1);
    await bob.stores.friends.act('cancel', aliceId);
    await (await town.join('carol')).stores.friends.act('request', aliceId);
    await until(() => alice.stores.friends.all.getSnapshot().asked.length === 201);
    held.release();
    await until(() => !alice.stores.friends.moreRequests.view.getSnapshot().hasMore);
    assert.equal(alice.stores.friends.all.getSnapshot().asked.length, 221);
    assert.equal(alice.stores.friends.state(bob.id).getSnapshot(), 'none');
  });
});
