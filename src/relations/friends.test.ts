import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEachDatabase, onPostgres } from '../../test/databases.ts';
import { eventually } from '../../test/eventually.ts';
import { startService } from '../../test/harness.ts';
import { countLockWaits, lockElsewhere } from '../../test/locked-inbox.ts';
import { addCrowd } from '../../test/people.ts';
import { readHead } from '../inbox/inbox.ts';
import { updatePrivacy } from '../settings/privacy.ts';
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

  test('a user who takes no requests is asked by no one, and everything else passes', async (t) => {
    const { post, alice, bob, join, action, states } = await startTwo(t);
    const carol = await join('carol');
    assert.equal(await action(carol, 'request', bob), 'requested');
    const refuse = (friendRequests: string) =>
      post('/api/user/privacy', { friendRequests }, { token: bob.token });
    await refuse('nobody');
    const { status, body } = await post('/api/friends/request', { userId: bob.id }, { token: alice.token });
    assert.deepEqual(
      [status, body],
      [403, { code: 403, error: 'not_accepting', msg: '对方暂不接收' }],
      'as after a block',
    );
    assert.deepEqual([await states(alice), await states(bob)], [[], [['carol', 'asked']]]);
    for (const op of ['cancel', 'decline', 'remove']) assert.equal(await action(alice, op, bob), 'none');
    assert.equal(await action(alice, 'accept', bob), 'friend_state');
    assert.equal(await action(carol, 'request', bob), 'requested', 'a repeat');
    assert.equal(await action(bob, 'accept', carol), 'friends');
    assert.equal(await action(carol, 'request', bob), 'friends');

    assert.equal(await action(bob, 'request', alice), 'requested');
    assert.equal(await action(alice, 'request', bob), 'friends', 'it answers theirs');
    assert.equal(await action(alice, 'remove', bob), 'none');
    assert.equal(await action(alice, 'request', bob), 'not_accepting');
    const crossing = [action(alice, 'request', bob), action(bob, 'request', alice)];
    const [asked, answered] = await Promise.all(crossing);
    assert.ok(['not_accepting requested', 'friends requested'].includes(`${asked} ${answered}`));
    await action(bob, 'cancel', alice);
    await action(bob, 'remove', alice);
    await refuse('everyone');
    assert.equal(await action(alice, 'request', bob), 'requested');
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

onPostgres('a friend request while its recipient refuses all', (database) => {
  test('a request that waits for the change is refused', async (t) => {
    const settings = await database.create(t);
    const { services, join } = await startService(t, { ...database, create: async () => settings });
    const [alice, bob] = [await join('alice'), await join('bob')];
    const caller = (await services.accounts.authentication.identify(alice.token)) ?? assert.fail();
    const deps = { ...services, friendLimits: services.limits.friends };
    const lock = await lockElsewhere(settings, bob.id);
    const changed = updatePrivacy(services, bob.id, { friendRequests: 'nobody' }, 1_000);
    await eventually(async () => (await countLockWaits(settings)) === 1);
    const refused = assert.rejects(changeFriendship(deps, caller, 'request', bob.id, 1_000), {
      word: 'not_accepting',
    });
    await eventually(async () => (await countLockWaits(settings)) === 2);
    await lock[Symbol.asyncDispose]();
    await Promise.all([changed, refused]);
    assert.deepEqual(await services.db.all`select state from friends`, []);
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
