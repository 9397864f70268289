import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEachDatabase } from '../../test/databases.ts';
import { startService } from '../../test/harness.ts';

onEachDatabase('friends', (database) => {
  async function startTwo(t: Parameters<typeof startService>[0]) {
    const service = await startService(t, database);
    const [alice, bob] = [await service.join('alice'), await service.join('bob')];
    const action = async (who: typeof alice, op: string, other: typeof alice) => {
      const { body } = await service.post(`/api/friends/${op}`, { userId: other.id }, { token: who.token });
      return body.code === 200 ? body.data.state : body.error;
    };
    const states = async (who: typeof alice) => {
      const { body } = await service.get('/api/friends', { token: who.token });
      return body.data.map((one: { username: string; state: string }) => [one.username, one.state]);
    };
    return { ...service, alice, bob, action, states };
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
});
