import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEachDatabase } from '../../test/databases.ts';
import { startService } from '../../test/harness.ts';

onEachDatabase('the snapshot', (database) => {
  test('names the peers of the user’s conversations and no one else', async (t) => {
    const service = await startService(t, database);
    const [alice, bob, carol] = [
      await service.join('alice'),
      await service.join('bob'),
      await service.join('carol'),
    ];
    const profile = { nickname: 'Bob the Builder', avatar: '/bob.png', phone: '13812345678' };
    await service.post('/api/user/profile', profile, { token: bob.token });
    await service.post('/api/messages', { to: alice.id, cid: '1', body: 'hi' }, { token: bob.token });
    const sync = async () => (await service.get('/api/sync', { token: alice.token })).body.data.people;
    assert.deepEqual(await sync(), [
      { id: bob.id, username: 'bob', nickname: 'Bob the Builder', avatar: '/bob.png' },
    ]);
    await service.post('/api/messages', { to: carol.id, cid: '1', body: 'hi' }, { token: alice.token });
    assert.deepEqual(
      (await sync()).map((person: { username: string }) => person.username),
      ['bob', 'carol'],
    );
    await service.services.db.run`update users set status = 'deleted' where id = ${carol.id}`;
    assert.deepEqual(
      (await sync()).map((person: { username: string }) => person.username),
      ['bob'],
    );
  });
});
