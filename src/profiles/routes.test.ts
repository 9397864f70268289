import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEachDatabase } from '../../test/databases.ts';
import { startService } from '../../test/harness.ts';

onEachDatabase('profile routes', (database) => {
  test('a kept public profile changes with its user, and with who is online', async (t) => {
    const service = await startService(t, database);
    const { id, token } = await service.join('alice');
    const profile = async () => (await service.get(`/api/user/profile/${id}`)).body.data;
    assert.equal((await profile()).bio, '');
    assert.equal((await profile()).isOnline, 0);
    await service.post('/api/user/profile', { bio: 'new' }, { token });
    assert.equal((await profile()).bio, 'new');
    service.services.presence.connected(id);
    assert.equal((await profile()).isOnline, 1);
    service.services.presence.disconnected(id);
    assert.equal((await profile()).isOnline, 0);
  });

  test('a profile that came after it was asked for in vain is there', async (t) => {
    const service = await startService(t, database);
    const { id } = await service.join('alice');
    await service.services.db.run`update users set status = 'deleted' where id = ${id}`;
    assert.equal((await service.get(`/api/user/profile/${id}`)).status, 404);
    await service.services.db.run`update users set status = 'active' where id = ${id}`;
    assert.equal((await service.get(`/api/user/profile/${id}`)).status, 200);
  });

  test('an id with U+0000 is 400, as in any text of a client', async (t) => {
    const service = await startService(t, database);
    const { status, body } = await service.get('/api/user/profile/a%00b');
    assert.deepEqual([status, body.code], [400, 400]);
  });

  test('what one wrote as markup comes back as text, unchanged', async (t) => {
    const service = await startService(t, database);
    const { id, token } = await service.join('<b>alice</b>');
    const bio = '<script>alert(1)</script>\u2028"\\ & 你好';
    await service.post('/api/user/profile', { bio, nickname: '<img>' }, { token });
    const { headers, body } = await service.get(`/api/user/profile/${id}`);
    assert.deepEqual([body.data.bio, body.data.nickname, body.data.username], [bio, '<img>', '<b>alice</b>']);
    assert.equal(headers['content-type'], 'application/json; charset=utf-8');
    assert.equal(headers['x-content-type-options'], 'nosniff');
  });
});
