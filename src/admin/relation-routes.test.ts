import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { makeKey } from '../../test/api-key.ts';
import { onEachDatabase, onEachDeployment, type TestDatabase } from '../../test/databases.ts';
import type { Answer, Person } from '../../test/harness.ts';
import { startSockets } from '../../test/sockets.ts';
import { eraseUser, suspendUser } from '../accounts/account-status.ts';
import { readLog } from '../accounts/log/read-log.ts';
import { readEvents } from '../inbox/stored-events.ts';

async function start(t: TestContext, database: TestDatabase) {
  const service = await startSockets(t, database);
  const { db } = service.services;
  const key = await makeKey(service);
  const [alice, bob] = [await service.join('alice'), await service.join('bob')];
  const post = (path: string, body: object) => service.post(path, body, key);
  return {
    service,
    db,
    alice,
    bob,
    set: (friends: boolean, userId = alice.id, peerId = bob.id) =>
      post('/api/admin/friends/set', { userId, peerId, friends }),
    block: (userId = alice.id, blockedId = bob.id) => post('/api/admin/block', { userId, blockedId }),
    unblock: (userId = alice.id, blockedId = bob.id) => post('/api/admin/unblock', { userId, blockedId }),
    act: (who: Person, action: string, { id: userId }: Person) =>
      service.post(`/api/friends/${action}`, { userId }, who),
    statesOf: async (who: Person) =>
      (await service.get('/api/friends', who)).body.data.map(
        ({ id, state }: { id: string; state: string }) => [id, state],
      ),
    eventsOf: async ({ id }: Person) =>
      (await readEvents(db, id, 0, 100)).map(({ event, data }) => [event, data]),
  };
}

const wordOf = ({ status, body }: Answer) => [status, body.error];

onEachDeployment('friends by API key', (database) => {
  test('both become friends and strangers again, with an event each on their devices; a repeat changes nothing', async (t) => {
    const { service, alice, bob, set, statesOf, eventsOf } = await start(t, database);
    const sockets = [await service.enter(alice, { node: 1 }), await service.enter(bob, { node: 2 })];
    for (const friends of [true, true])
      assert.deepEqual((await set(friends)).body.data, { state: 'friends' });
    assert.deepEqual(await statesOf(alice), [[bob.id, 'friends']]);
    assert.deepEqual(await statesOf(bob), [[alice.id, 'friends']]);
    assert.deepEqual((await set(true, bob.id, alice.id)).body.data, { state: 'friends' });
    for (const friends of [false, false]) assert.deepEqual((await set(friends)).body.data, { state: 'none' });
    assert.deepEqual([await statesOf(alice), await statesOf(bob)], [[], []]);
    for (const [user, peer, socket] of [
      [alice, bob, sockets[0]],
      [bob, alice, sockets[1]],
    ] as const) {
      const expected = ['friends', 'none'].map((state) => ['friend', { userId: peer.id, state }]);
      assert.deepEqual(await eventsOf(user), expected);
      for (const [event, data] of expected) {
        const frame = await socket?.first(({ type }) => type === 'event');
        assert.deepEqual([frame.event, frame.data], [event, data]);
      }
    }
  });

  test('set and unset at once leave the same on both sides', async (t) => {
    const { alice, bob, set, statesOf, eventsOf } = await start(t, database);
    const answers = await Promise.all(
      Array.from({ length: 16 }, (_, i) =>
        i % 4 < 2 ? set(i % 2 === 0) : set(i % 2 === 0, bob.id, alice.id),
      ),
    );
    assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]));
    const [ofAlice, ofBob] = [await statesOf(alice), await statesOf(bob)];
    assert.equal(ofAlice.length, ofBob.length);
    const states = async (who: Person) => (await eventsOf(who)).map(([, data]) => data);
    assert.deepEqual(
      (await states(alice)).map((data) => ({ ...Object(data), userId: alice.id })),
      await states(bob),
    );
    assert.deepEqual((await eventsOf(alice)).at(-1), [
      'friend',
      { userId: bob.id, state: ofAlice.length === 1 ? 'friends' : 'none' },
    ]);
  });
});

onEachDatabase('friends by API key', (database) => {
  test('what the two take from others is not asked, and no limit of theirs counts', async (t) => {
    const { service, bob, set } = await start(t, database);
    await service.post('/api/user/privacy', { friendRequests: 'nobody', messages: 'friends' }, bob);
    for (let i = 0; i < 20; i++) {
      assert.deepEqual((await set(true)).body.data, { state: 'friends' });
      assert.deepEqual((await set(false)).body.data, { state: 'none' });
    }
  });

  test('an open request of either becomes the friendship, and `false` leaves it open', async (t) => {
    const { service, alice, bob, set, act, statesOf } = await start(t, database);
    const carol = await service.join('carol');
    await act(alice, 'request', bob);
    await act(carol, 'request', alice);
    assert.deepEqual((await set(false)).body.data, { state: 'requested' });
    assert.deepEqual((await set(false, alice.id, carol.id)).body.data, { state: 'asked' });
    assert.equal((await statesOf(alice)).length, 2);
    assert.deepEqual((await set(true)).body.data, { state: 'friends' });
    assert.deepEqual((await set(true, alice.id, carol.id)).body.data, { state: 'friends' });
    assert.deepEqual(await statesOf(bob), [[alice.id, 'friends']]);
    assert.deepEqual(await statesOf(carol), [[alice.id, 'friends']]);
  });

  for (const isReversed of [false, true])
    test(`what waits of the ${isReversed ? 'user' : 'peer'} among the message requests is accepted`, async (t) => {
      const { service, db, alice, bob, set } = await start(t, database);
      await service.post('/api/user/privacy', { messages: 'requests' }, alice);
      await service.post('/api/messages', { to: alice.id, cid: '1', body: 'hi' }, bob);
      assert.equal((await db.all`select peer_id from message_requests`).length, 1);
      assert.equal((await (isReversed ? set(true, bob.id, alice.id) : set(true))).status, 200);
      assert.deepEqual(await db.all`select peer_id from message_requests`, []);
    });

  test('a block of either refuses both directions as it refuses users, and nothing changes', async (t) => {
    const { alice, bob, set, block, unblock, statesOf } = await start(t, database);
    await set(true);
    for (const [by, of, ofUser, ofPeer] of [
      [alice, bob, 'unblock_first', 'not_accepting'],
      [bob, alice, 'not_accepting', 'unblock_first'],
    ] as const) {
      await block(by.id, of.id);
      for (const friends of [true, false]) {
        assert.deepEqual(wordOf(await set(friends)), [403, ofUser]);
        assert.deepEqual(wordOf(await set(friends, bob.id, alice.id)), [403, ofPeer]);
      }
      await unblock(by.id, of.id);
    }
    assert.deepEqual(await statesOf(alice), [[bob.id, 'friends']]);
  });

  test('suspended users may be friends, as after their time; unknown and deleted ones are not found', async (t) => {
    const { db, alice, bob, set } = await start(t, database);
    await db.transaction((tx) => suspendUser(tx, bob.id));
    assert.deepEqual((await set(true)).body.data, { state: 'friends' });
    assert.deepEqual((await set(false, bob.id, alice.id)).body.data, { state: 'none' });
    assert.deepEqual(wordOf(await set(true, alice.id, alice.id)), [400, 'friend_self']);
    await db.transaction((tx) => eraseUser(tx, bob.id));
    for (const id of [bob.id, 'nobody', '__proto__'])
      for (const [one, other] of [
        [alice.id, id],
        [id, alice.id],
      ] as const)
        for (const friends of [true, false])
          assert.deepEqual(wordOf(await set(friends, one, other)), [404, 'user_not_found']);
    assert.deepEqual(await db.all`select user_id from friends`, []);
  });
});

onEachDeployment('blocks by API key', (database) => {
  test('from the answer on every node refuses the blocked user, and the blocker’s devices have the event', async (t) => {
    const { service, alice, bob, block, unblock } = await start(t, database);
    const key = await makeKey(service, 'bot');
    const devices = [await service.enter(alice, { node: 0 }), await service.enter(alice, { node: 2 })];
    let cid = 0;
    const sendOn = async (node: (typeof service.nodes)[number]) => {
      const message = { to: alice.id, cid: `${++cid}`, body: 'hi' };
      const own = await node.post('/api/messages', message, bob);
      const messages = [{ ...message, from: bob.id, cid: `key ${cid}` }];
      const byKey = await node.post('/api/admin/messages', { messages }, key);
      return [own.body.error ?? own.status, byKey.body.data[0].error ?? byKey.status];
    };
    for (let round = 0; round < 3; round++) {
      assert.equal((await block()).status, 200);
      for (const node of service.nodes)
        assert.deepEqual(await sendOn(node), ['not_accepting', 'not_accepting']);
      for (const socket of devices) {
        const { event, data } = await socket.first(({ type }) => type === 'event');
        assert.deepEqual([event, data], ['block', { userId: bob.id }]);
      }
      assert.equal((await unblock()).status, 200);
      for (const socket of devices)
        assert.equal((await socket.first(({ type }) => type === 'event')).event, 'unblock');
    }
  });
});

onEachDatabase('blocks by API key', (database) => {
  test('a block is the user’s own: in their list and log, as answered to them; a repeat keeps the first', async (t) => {
    const { service, db, alice, bob, block, unblock, eventsOf } = await start(t, database);
    const blocked = await block();
    assert.deepEqual([blocked.status, blocked.body.message], [200, '已拉黑该用户']);
    const list = async () => (await service.get('/api/user/blocked', alice)).body.data;
    assert.deepEqual(await list(), [blocked.body.data]);
    assert.deepEqual((await block()).body, blocked.body);
    assert.deepEqual(
      (await service.post('/api/user/block', { blockedId: bob.id }, alice)).body,
      blocked.body,
    );
    const { body } = await unblock();
    assert.deepEqual(body, { code: 200, message: '已取消拉黑' });
    assert.deepEqual((await unblock()).body, body);
    assert.deepEqual(await list(), []);
    assert.deepEqual(
      (await eventsOf(alice)).map(([event]) => event),
      ['block', 'unblock'],
    );
    assert.deepEqual(await eventsOf(bob), []);
    const entries = (await readLog(db, alice.id, {})).items.slice(0, 2);
    assert.deepEqual(
      entries.map(({ what, device, detail }) => [what, device, detail]),
      ['unblocked', 'blocked'].map((what) => [
        what,
        'API key crm',
        { by: 'key', key: 'crm', user: bob.id, username: 'bob' },
      ]),
    );
  });

  test('oneself, and unknown and deleted users, are refused', async (t) => {
    const { db, alice, bob, block, unblock } = await start(t, database);
    assert.equal((await block()).status, 200);
    await db.transaction((tx) => eraseUser(tx, bob.id));
    for (const act of [block, unblock]) {
      assert.deepEqual(wordOf(await act(alice.id, alice.id)), [400, 'block_self']);
      for (const id of [bob.id, 'nobody']) {
        assert.deepEqual(wordOf(await act(alice.id, id)), [404, 'user_not_found']);
        assert.deepEqual(wordOf(await act(id, alice.id)), [404, 'user_not_found']);
      }
    }
    assert.deepEqual(await db.all`select blocked_id from blocks`, [{ blocked_id: bob.id }]);
  });

  test('a suspended user’s block stands when they come back', async (t) => {
    const { service, db, alice, bob, block } = await start(t, database);
    await db.transaction((tx) => suspendUser(tx, alice.id));
    assert.equal((await block()).status, 200);
    assert.equal((await db.all`select blocked_id from blocks`).length, 1);
    const sent = await service.post('/api/messages', { to: alice.id, cid: '1', body: 'hi' }, bob);
    assert.deepEqual(wordOf(sent), [403, 'not_accepting']);
  });

  test('the right `relations` is needed', async (t) => {
    const { service, alice, bob } = await start(t, database);
    const other = await makeKey(service, 'bot', ['users', 'sessions', 'messages']);
    const body = { userId: alice.id, peerId: bob.id, blockedId: bob.id, friends: true };
    for (const path of ['friends/set', 'block', 'unblock'])
      for (const [call, expected] of [
        [other, [403, 'key_not_allowed']],
        [alice, [401, 'key_required']],
      ] as const)
        assert.deepEqual(wordOf(await service.post(`/api/admin/${path}`, body, call)), expected);
  });
});
