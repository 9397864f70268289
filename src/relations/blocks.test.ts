import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEachDatabase, type TestDatabase } from '../../test/databases.ts';
import { addUser } from '../../test/people.ts';
import { ServiceError } from '../errors.ts';
import { Events } from '../events/hints.ts';
import { readEvents } from '../inbox/stored-events.ts';
import { blockUser, unblockUser } from './block-user.ts';
import { isKeptBack, listBlocked, listBlockedIds, readBlocksAmong } from './blocks.ts';

const START = 1_760_000_000_000;

function refusedAs(kind: string, word: string) {
  return (error: unknown) => {
    assert(error instanceof ServiceError, String(error));
    assert.deepEqual([error.kind, error.word], [kind, word]);
    return true;
  };
}

onEachDatabase('blocks', (database) => {
  async function start(t: Parameters<TestDatabase['open']>[0]) {
    const db = await database.open(t);
    const inboxes = { db, events: new Events() };
    const [alice, bob, carol] = [
      await addUser(db, 'alice'),
      await addUser(db, 'bob'),
      await addUser(db, 'carol'),
    ];
    return {
      db,
      alice,
      bob,
      carol,
      block: (blockerId: string, blockedId: string, now = START) =>
        blockUser(inboxes, blockerId, blockedId, now),
      unblock: (blockerId: string, blockedId: string, now = START) =>
        unblockUser(inboxes, blockerId, blockedId, now),
      list: async (by: string) =>
        (await listBlocked(db, by)).map((entry) => [entry.username, entry.create_time]),
      eventsOf: async (userId: string) =>
        (await readEvents(db, userId, 0, 100)).map((one) => [one.event, one.data]),
    };
  }

  test('blocking twice keeps one entry and its first time', async (t) => {
    const { alice, bob, block, list, eventsOf } = await start(t);
    const entry = { id: bob, username: 'bob', avatar: '', create_time: START };
    assert.deepEqual((await block(alice, bob)).value, entry);
    assert.deepEqual((await block(alice, bob, START + 5000)).value, entry);
    assert.deepEqual(await list(alice), [['bob', START]]);
    assert.deepEqual(await eventsOf(alice), [['block', { userId: bob }]]);
  });

  test('parallel blocks of one user make one entry', async (t) => {
    const { alice, bob, block, list, eventsOf } = await start(t);
    const all = await Promise.all(Array.from({ length: 10 }, (_, i) => block(alice, bob, START + i)));
    assert.equal(new Set(all.map(({ value }) => value.create_time)).size, 1);
    assert.equal((await list(alice)).length, 1);
    assert.equal((await eventsOf(alice)).length, 1);
  });

  test('a user cannot block or unblock themselves (interface 3.1) or an unknown user', async (t) => {
    const { db, alice, block, unblock, list } = await start(t);
    const dora = await addUser(db, 'dora', { status: 'deleted' });
    for (const action of [block, unblock]) {
      await assert.rejects(action(alice, alice), refusedAs('invalid', 'block_self'));
      await assert.rejects(action(alice, 'unknown'), refusedAs('not-found', 'user_not_found'));
      await assert.rejects(action(alice, dora), refusedAs('not-found', 'user_not_found'));
    }
    assert.deepEqual(await list(alice), []);
  });

  test('a suspended user can be blocked, and a deleted one unblocked', async (t) => {
    const { db, alice, bob, block, unblock, list } = await start(t);
    await db.run`update users set status = 'suspended' where id = ${bob}`;
    await block(alice, bob);
    assert.equal((await list(alice)).length, 1);
    await db.run`update users set status = 'deleted' where id = ${bob}`;
    await unblock(alice, bob);
    assert.deepEqual(await list(alice), []);
  });

  test('unblocking removes the block, and changes nothing without one', async (t) => {
    const { alice, bob, block, unblock, list, eventsOf } = await start(t);
    assert.equal(await unblock(alice, bob), 0);
    await block(alice, bob);
    await unblock(alice, bob);
    await unblock(alice, bob);
    assert.deepEqual(await list(alice), []);
    await block(alice, bob, START + 7);
    assert.deepEqual(await list(alice), [['bob', START + 7]]);
    const events = (await eventsOf(alice)).map(([name]) => name);
    assert.deepEqual(events, ['block', 'unblock', 'block']);
  });

  test('the newest block comes first, also among equal times (interface 4.12)', async (t) => {
    const { db, alice, block, list } = await start(t);
    const names = ['u1', 'u2', 'u3', 'u4', 'u5', 'u6'];
    const ids = [];
    for (const name of names) ids.push(await addUser(db, name));
    for (const i of [3, 0, 5, 1, 4, 2]) await block(alice, ids[i] ?? '');
    assert.deepEqual(
      (await list(alice)).map(([name]) => name),
      ['u3', 'u5', 'u2', 'u6', 'u1', 'u4'],
    );
  });

  test('the times of a blocker never decrease when the clock does, and do not depend on other blockers', async (t) => {
    const { db, alice, bob, carol, block, list } = await start(t);
    const dave = await addUser(db, 'dave');
    await block(alice, bob, START);
    await block(alice, carol, START - 60_000);
    await block(alice, dave, START + 1);
    assert.deepEqual(await list(alice), [
      ['dave', START + 1],
      ['carol', START],
      ['bob', START],
    ]);
    await block(bob, alice, START - 60_000);
    assert.deepEqual(await list(bob), [['alice', START - 60_000]]);
  });

  test('parallel blocks by one user get distinct positions, and times in the same order', async (t) => {
    const { db, alice, block } = await start(t);
    const ids = await Promise.all(Array.from({ length: 12 }, (_, i) => addUser(db, `user${i}`)));
    await Promise.all(ids.map((id, i) => block(alice, id, START + ((i * 5) % 12))));
    const rows = await db.all<{ position: number; created_at: number }>`
      select position, created_at from blocks where blocker_id = ${alice} order by position`;
    assert.deepEqual(
      rows.map((row) => row.position),
      [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12],
    );
    const times = rows.map((row) => row.created_at);
    assert.deepEqual(
      times,
      times.toSorted((a, b) => a - b),
    );
  });

  test('the blocked user gets no event', async (t) => {
    const { alice, bob, block, unblock, eventsOf, list } = await start(t);
    await block(alice, bob);
    await unblock(alice, bob);
    assert.deepEqual(await eventsOf(bob), []);
    assert.deepEqual(await list(bob), []);
  });

  test('a block has a direction', async (t) => {
    const { db, alice, bob, carol, block, unblock } = await start(t);
    await block(alice, bob);
    for (const [one, other] of [
      [alice, bob],
      [bob, alice],
    ] as const)
      assert.equal(await isKeptBack(db, one, other), true);
    assert.equal(await isKeptBack(db, alice, carol), false);
    assert.deepEqual([await listBlockedIds(db, alice), await listBlockedIds(db, bob)], [[bob], []]);
    const among = async (userId: string, peerIds: string[]) => {
      const { blocked, blockedBy } = await readBlocksAmong(db, userId, peerIds);
      return { blocked: [...blocked], blockedBy: [...blockedBy] };
    };
    assert.deepEqual(await among(alice, [bob, carol]), { blocked: [bob], blockedBy: [] });
    assert.deepEqual(await among(bob, [alice, carol]), { blocked: [], blockedBy: [alice] });
    assert.deepEqual(await among(alice, [carol]), { blocked: [], blockedBy: [] });
    await unblock(alice, bob);
    assert.equal(await isKeptBack(db, alice, bob), false);
  });
});
