import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEachDatabase } from '../../test/databases.ts';
import { startService } from '../../test/harness.ts';

onEachDatabase('block routes', (database) => {
  test('a blocked user is in the list until unblocked', async (t) => {
    const service = await startService(t, database);
    const [alice, bob] = [await service.join('alice'), await service.join('bob')];
    const call = { token: alice.token };
    const blocked = await service.post('/api/user/block', { blockedId: bob.id }, call);
    assert.deepEqual([blocked.body.message, blocked.body.data.username], ['已拉黑该用户', 'bob']);
    assert.deepEqual((await service.get('/api/user/blocked', call)).body.data, [blocked.body.data]);
    const again = await service.post('/api/user/block', { blockedId: bob.id }, call);
    assert.deepEqual([again.status, again.body], [200, blocked.body]);
    const lifted = await service.post('/api/user/unblock', { blockedId: bob.id }, call);
    assert.deepEqual(lifted.body, { code: 200, message: '已取消拉黑' });
    assert.deepEqual((await service.get('/api/user/blocked', call)).body.data, []);
    const repeated = await service.post('/api/user/unblock', { blockedId: bob.id }, call);
    assert.deepEqual([repeated.status, repeated.body], [200, lifted.body]);
  });

  test('a list shows the name and avatar that the blocked user has now', async (t) => {
    const service = await startService(t, database);
    const [alice, bob] = [await service.join('alice'), await service.join('bob')];
    const call = { token: alice.token };
    assert.deepEqual((await service.get('/api/user/blocked', call)).body.data, []);
    await service.post('/api/user/block', { blockedId: bob.id }, call);
    const listed = await service.get('/api/user/blocked', call);
    assert.equal(listed.body.data[0].avatar, '');
    await service.post('/api/user/profile', { avatar: '/new.png' }, { token: bob.token });
    const { data } = (await service.get('/api/user/blocked', call)).body;
    assert.deepEqual(data, [{ ...listed.body.data[0], avatar: '/new.png' }]);
  });

  test('a repeated read gets the same answer, from the user and the query it comes with', async (t) => {
    const service = await startService(t, database);
    const [alice, bob, carol] = [
      await service.join('alice'),
      await service.join('bob'),
      await service.join('carol'),
    ];
    const call = { token: alice.token };
    for (const { id } of [bob, carol]) await service.post('/api/user/block', { blockedId: id }, call);
    const first = await service.get('/api/user/blocked', call);
    const second = await service.get('/api/user/blocked', call);
    assert.deepEqual([second.status, second.text], [200, first.text]);
    const typeOf = ({ headers }: typeof first) => headers['content-type'];
    assert.deepEqual([typeOf(first), typeOf(second)], Array(2).fill('application/json; charset=utf-8'));
    assert.equal(second.headers['cache-control'], 'no-store');
    const page = await service.get('/api/user/blocked?limit=1', call);
    assert.deepEqual([page.body.data, typeof page.body.next], [first.body.data.slice(0, 1), 'string']);
    assert.equal((await service.get('/api/user/blocked?limit=x', call)).status, 400);
    assert.deepEqual((await service.get('/api/user/blocked', { token: bob.token })).body.data, []);
    assert.equal((await service.get('/api/user/blocked')).status, 401);
  });

  test('blocking oneself is refused with its own message', async (t) => {
    const service = await startService(t, database);
    const { id, token } = await service.join('alice');
    const { status, body } = await service.post('/api/user/block', { blockedId: id }, { token });
    assert.deepEqual([status, body], [400, { code: 400, error: 'block_self', msg: '不能拉黑自己' }]);
  });

  test('every block route answers 401 without a token (interface 5.5)', async (t) => {
    const service = await startService(t, database);
    assert.equal((await service.post('/api/user/block', { blockedId: 'x' })).status, 401);
    assert.equal((await service.post('/api/user/unblock', { blockedId: 'x' })).status, 401);
    assert.equal((await service.get('/api/user/blocked')).status, 401);
  });
});
