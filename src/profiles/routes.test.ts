import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEachDatabase } from '../../test/databases.ts';
import { startService } from '../../test/harness.ts';
import { PRESENT } from '../../test/present.ts';

onEachDatabase('profile routes', (database) => {
  test('a cached public profile changes with its user and their presence', async (t) => {
    const service = await startService(t, database);
    const { id, token } = await service.join('alice');
    const profile = async () => (await service.get(`/api/user/profile/${id}`)).body.data;
    assert.equal((await profile()).bio, '');
    assert.equal((await profile()).isOnline, 0);
    await service.post('/api/user/profile', { bio: 'new' }, { token });
    assert.equal((await profile()).bio, 'new');
    service.services.presence.online.add(id, PRESENT);
    assert.equal((await profile()).isOnline, 1);
    service.services.presence.online.remove(id, PRESENT);
    assert.equal((await profile()).isOnline, 0);
  });

  test('a profile that was not found is found once its user registered', async (t) => {
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

  test('a nickname with invisible characters is refused when it is set, and a stored one stays', async (t) => {
    const service = await startService(t, database);
    const register = (username: string, nickname: string) =>
      service.post('/api/register', { username, password: 'secret1', nickname });
    const refused = await register('mallory', 'alice\u3164');
    assert.deepEqual(
      [refused.status, refused.body.error, refused.body.msg],
      [400, 'nickname_invalid', '昵称包含不支持的字符'],
    );
    assert.equal((await register('alice\u3164', '')).body.error, 'username_invalid');
    assert.equal((await register('anna', 'Anna ❤️')).status, 200);
    const { id, token } = await service.join('alice');
    await service.services.db.run`update users set nickname = ${'al\u3164'} where id = ${id}`;
    const update = (fields: object) => service.post('/api/user/profile', fields, { token });
    assert.equal((await update({ bio: 'new', nickname: '\u2800' })).body.error, 'nickname_invalid');
    const { data } = (await update({ bio: 'newer' })).body;
    assert.deepEqual([data.bio, data.nickname], ['newer', 'al\u3164']);
    assert.equal((await update({ nickname: '👨\u200d👩\u200d👧' })).body.data.nickname, '👨\u200d👩\u200d👧');
  });

  test('an unsafe avatar is refused where it is set, and nothing is stored', async (t) => {
    const service = await startService(t, database);
    const avatar = 'javascript:alert(1)';
    const mallory = { username: 'mallory', password: 'secret1', avatar };
    assert.equal((await service.post('/api/register', mallory)).body.error, 'avatar_invalid');
    assert.deepEqual(await service.services.db.all`select id from users`, []);
    const { token } = await service.join('alice');
    const update = (fields: object) => service.post('/api/user/profile', fields, { token });
    assert.equal((await update({ bio: 'b', avatar })).body.error, 'avatar_invalid');
    assert.equal((await update({})).body.data.bio, '');
  });

  test('markup in a profile is returned as text, unchanged', async (t) => {
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
