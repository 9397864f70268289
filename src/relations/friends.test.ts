import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEachDatabase, onPostgres } from '../../test/databases.ts';
import { startService } from '../../test/harness.ts';
import { lockElsewhere } from '../../test/locked-inbox.ts';
import { addCrowd } from '../../test/people.ts';
import { readHead } from '../inbox/inbox.ts';
import { changeFriendship } from './friends.ts';

onEachDatabase('friends', (database) => {
  async function startTwo(t: Parameters<typeof startService>[0]) {
    const settings = await database.create(t);
    const service = await startService(t, { ...database, create: async () => settings });
    const [alice, bob] = [await service.join('alice'), await service.join('bob')];
    const action = async (who: typeof alice, op: string, other: typeof alice) => {
      const { body } = await service.post(`/api/friends/${op}`, { userId: other.id }, { token: who.token });
      return body.code === 200 ? body.data.state : body.error;
    };
    const states = async (who: typeof alice) => {
      const { body } = await service.get('/api/friends', { token: who.token });
      return body.data.map((one: { username: string; state: string }) => [one.username, one.state]);
    };
    return { ...service, settings, alice, bob, action, states };
  }

  test('both see a request, and accepting it makes them friends', async (t) => {
    const { alice, bob, action, states } = await startTwo(t);
    assert.equal(await action(alice, 'request', bob), 'requested');
    assert.deepEqual(
      [await states(alice), await states(bob)],
      [[['bob', 'requested']], [['alice', 'asked']]],
    );
    assert.equal(await action(bob, 'accept', alice), 'friends');
    assert.deepEqual(
      [await states(alice), await states(bob)],
      [[['bob', 'friends']], [['alice', 'friends']]],
    );
    assert.equal(await action(alice, 'remove', bob), 'none');
    assert.deepEqual([await states(alice), await states(bob)], [[], []]);
  });

  test('a request to a user who already sent one makes both friends', async (t) => {
    const { alice, bob, action } = await startTwo(t);
    await action(alice, 'request', bob);
    assert.equal(await action(bob, 'request', alice), 'friends');
  });

  test('accepting without a request is refused, and a repeated action changes nothing', async (t) => {
    const { services, alice, bob, action } = await startTwo(t);
    assert.equal(await action(alice, 'accept', bob), 'friend_state');
    assert.equal(await action(alice, 'request', alice), 'friend_self');
    assert.equal(await action(alice, 'request', { ...bob, id: 'unknown' }), 'user_not_found');
    await action(alice, 'request', bob);
    assert.equal(await action(alice, 'accept', bob), 'friend_state');
    assert.equal(await action(alice, 'request', bob), 'requested');
    assert.equal(await action(bob, 'decline', alice), 'none');
    assert.equal(await action(bob, 'decline', alice), 'none');
    const heads = await services.db.all<{ seq: number }>`select seq from inbox_heads`;
    assert.deepEqual(
      heads.map((head) => head.seq),
      [2, 2],
    );
  });

  test('a block cancels requests and keeps a friendship, without further actions', async (t) => {
    const { post, alice, bob, action, states } = await startTwo(t);
    await action(bob, 'request', alice);
    await post('/api/user/block', { blockedId: bob.id }, { token: alice.token });
    assert.deepEqual([await states(alice), await states(bob)], [[], []]);
    assert.equal(await action(bob, 'request', alice), 'not_accepting');
    assert.equal(await action(alice, 'request', bob), 'unblock_first');
    await post('/api/user/unblock', { blockedId: bob.id }, { token: alice.token });
    await action(bob, 'request', alice);
    await action(alice, 'accept', bob);
    await post('/api/user/block', { blockedId: bob.id }, { token: alice.token });
    assert.equal(await action(bob, 'remove', alice), 'not_accepting');
    assert.deepEqual(await states(alice), [['bob', 'friends']]);
  });

  test('a suspended account accepts no action', async (t) => {
    const { services, alice, bob, action } = await startTwo(t);
    await services.db.run`update users set status = 'suspended' where id = ${bob.id}`;
    assert.equal(await action(alice, 'request', bob), 'not_accepting');
    assert.equal(await action(alice, 'cancel', bob), 'not_accepting');
  });

  test('an action that changes nothing or is refused waits for no inbox that is locked elsewhere', async (t) => {
    const { settings, services, post, join, alice, bob, action } = await startTwo(t);
    const [blocked, blocker, busy] = [await join('blocked'), await join('blocker'), await join('busy')];
    await post('/api/user/block', { blockedId: blocked.id }, { token: bob.token });
    await post('/api/user/block', { blockedId: bob.id }, { token: blocker.token });
    for (let i = 0; i < 3; i++) {
      assert.equal(await action(busy, 'request', bob), 'requested');
      assert.equal(await action(busy, 'cancel', bob), 'none');
    }
    await using _ = await lockElsewhere(settings, bob.id);
    for (const op of ['cancel', 'decline', 'remove']) assert.equal(await action(alice, op, bob), 'none');
    assert.equal(await action(alice, 'accept', bob), 'friend_state');
    assert.equal(await action(alice, 'request', { ...bob, id: 'unknown' }), 'user_not_found');
    for (const op of ['request', 'accept', 'remove']) {
      assert.equal(await action(blocked, op, bob), 'not_accepting');
      assert.equal(await action(blocker, op, bob), 'unblock_first');
    }
    assert.equal(await action(busy, 'request', bob), 'too_many_requests_to_user');
    const { db, events, limits } = services;
    const change = (peerId: string) =>
      changeFriendship(
        { db, events, friendLimits: limits.friends },
        { userId: blocked.id, sessionId: 'ended' },
        'accept',
        peerId,
        1,
      );
    await assert.rejects(change(bob.id), { word: 'unauthenticated' });
    await assert.rejects(change('unknown'), { word: 'user_not_found' });
  });

  test('a request beyond 200 open ones is refused while the other inbox is locked elsewhere', async (t) => {
    const { settings, services, alice, bob, action } = await startTwo(t);
    const crowd = await addCrowd(services.db, 200);
    for (const id of crowd)
      await services.db
        .run`insert into friends (user_id, peer_id, state, at) values (${alice.id}, ${id}, 'requested', 1)`;
    await using _ = await lockElsewhere(settings, bob.id);
    assert.equal(await action(alice, 'request', bob), 'too_many_open_requests');
  });
});

onPostgres('friend actions at once', (database) => {
  test('of parallel requests to a user each counts once, and one changes the state', async (t) => {
    const { services, join, post } = await startService(t, database);
    const [alice, bob] = [await join('alice'), await join('bob')];
    const request = () => post('/api/friends/request', { userId: bob.id }, { token: alice.token });
    const states = (await Promise.all(Array.from({ length: 20 }, request))).map(
      ({ body }) => body.data?.state,
    );
    assert.deepEqual(states, Array(20).fill('requested'));
    assert.equal(await readHead(services.db, bob.id), 1);
  });
});
