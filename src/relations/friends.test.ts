import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEachDatabase } from '../../test/databases.ts';
import { startService } from '../../test/harness.ts';

onEachDatabase('friends', (database) => {
  async function startTwo(t: Parameters<typeof startService>[0]) {
    const service = await startService(t, database);
    const [alice, bob] = [await service.join('alice'), await service.join('bob')];
    const act = async (who: typeof alice, op: string, other: typeof alice) => {
      const { body } = await service.post(`/api/friends/${op}`, { userId: other.id }, { token: who.token });
      return body.code === 200 ? body.data.state : body.error;
    };
    const states = async (who: typeof alice) => {
      const { body } = await service.get('/api/friends', { token: who.token });
      return body.data.map((one: { username: string; state: string }) => [one.username, one.state]);
    };
    return { ...service, alice, bob, act, states };
  }

  test('a request is seen by both, and accepting makes friends', async (t) => {
    const { alice, bob, act, states } = await startTwo(t);
    assert.equal(await act(alice, 'request', bob), 'requested');
    assert.deepEqual(
      [await states(alice), await states(bob)],
      [[['bob', 'requested']], [['alice', 'asked']]],
    );
    assert.equal(await act(bob, 'accept', alice), 'friends');
    assert.deepEqual(
      [await states(alice), await states(bob)],
      [[['bob', 'friends']], [['alice', 'friends']]],
    );
    assert.equal(await act(alice, 'remove', bob), 'none');
    assert.deepEqual([await states(alice), await states(bob)], [[], []]);
  });

  test('who requests the one who asked him becomes his friend', async (t) => {
    const { alice, bob, act } = await startTwo(t);
    await act(alice, 'request', bob);
    assert.equal(await act(bob, 'request', alice), 'friends');
  });

  test('what was never asked cannot be accepted, and a step done twice changes nothing', async (t) => {
    const { services, alice, bob, act } = await startTwo(t);
    assert.equal(await act(alice, 'accept', bob), 'friend_state');
    assert.equal(await act(alice, 'request', alice), 'friend_self');
    assert.equal(await act(alice, 'request', { ...bob, id: 'nobody' }), 'user_not_found');
    await act(alice, 'request', bob);
    assert.equal(await act(alice, 'accept', bob), 'friend_state');
    assert.equal(await act(alice, 'request', bob), 'requested');
    assert.equal(await act(bob, 'decline', alice), 'none');
    assert.equal(await act(bob, 'decline', alice), 'none');
    const heads = await services.db.all<{ seq: number }>`select seq from inbox_heads`;
    assert.deepEqual(
      heads.map((head) => head.seq),
      [2, 2],
    );
  });

  test('a block cancels what was asked and keeps a friendship, resting', async (t) => {
    const { post, alice, bob, act, states } = await startTwo(t);
    await act(bob, 'request', alice);
    await post('/api/user/block', { blockedId: bob.id }, { token: alice.token });
    assert.deepEqual([await states(alice), await states(bob)], [[], []]);
    assert.equal(await act(bob, 'request', alice), 'not_accepting');
    assert.equal(await act(alice, 'request', bob), 'unblock_first');
    await post('/api/user/unblock', { blockedId: bob.id }, { token: alice.token });
    await act(bob, 'request', alice);
    await act(alice, 'accept', bob);
    await post('/api/user/block', { blockedId: bob.id }, { token: alice.token });
    assert.equal(await act(bob, 'remove', alice), 'not_accepting');
    assert.deepEqual(await states(alice), [['bob', 'friends']]);
  });
});
