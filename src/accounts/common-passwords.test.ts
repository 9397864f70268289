import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEachDatabase } from '../../test/databases.ts';
import { startService } from '../../test/harness.ts';
import { loadCommonPasswords } from './common-passwords.ts';
import { createPasswordLink } from './password-links.ts';

test('the list has 10,000 passwords that a registration would accept, in lower case, each once', async () => {
  const words = await loadCommonPasswords();
  assert.equal(words.size, 10_000);
  for (const word of words) assert.match(word, /^[^A-Z\s]{6,128}$/);
  for (const word of ['123456', 'password', 'qwerty', 'iloveyou', '5201314', 'abc123'])
    assert.ok(words.has(word), word);
  for (const word of ['12345', 'wonderland-of-alice', '#', '']) assert.ok(!words.has(word), word);
});

onEachDatabase('A common password', (database) => {
  const refused = [400, 'password_common', '密码过于常见，请换一个'];
  const change = (oldPassword: string, newPassword: string) => ({ oldPassword, newPassword });

  test('is accepted by default, and with PASSWORD_LIST=off', async (t) => {
    for (const PASSWORD_LIST of ['', 'off']) {
      const service = await startService(t, database, { env: { PASSWORD_LIST } });
      const { body } = await service.post('/api/register', { username: 'alice', password: '123456' });
      assert.equal(body.message, '注册成功');
      const changed = await service.post('/api/user/change-password', change('123456', 'password'), {
        token: body.data.token,
      });
      assert.equal(changed.body.message, '密码修改成功');
    }
  });

  test('is refused with PASSWORD_LIST=refuse wherever a user sets one, in any letter case', async (t) => {
    const service = await startService(t, database, { env: { PASSWORD_LIST: 'refuse' } });
    const alice = await service.join('alice');
    for (const password of ['123456', 'password', 'PassWord'])
      for (const { status, body } of [
        await service.post('/api/register', { username: 'bob', password }),
        await service.post('/api/user/change-password', change(alice.password, password), alice),
      ])
        assert.deepEqual([status, body.error, body.msg], refused, password);
    const { body } = await service.post('/api/register', { username: 'bob', password: 'passwords of bob' });
    assert.equal(body.message, '注册成功');
  });

  test('is refused after the fields of the interface, and before the name and the old password', async (t) => {
    const service = await startService(t, database, { env: { PASSWORD_LIST: 'refuse' } });
    const alice = await service.join('alice');
    const register = async (fields: object) =>
      (await service.post('/api/register', { username: 'alice', password: '123456', ...fields })).body.error;
    assert.equal(await register({ username: 'x' }), 'username_length');
    assert.equal(await register({ avatar: 'javascript:alert(1)' }), 'avatar_invalid');
    assert.equal(await register({ password: '12345' }), 'password_too_short');
    assert.equal(await register({}), 'password_common');
    const wrong = await service.post('/api/user/change-password', change('a wrong one', '123456'), alice);
    assert.equal(wrong.body.error, 'password_common');
  });

  test('is refused behind a password link, which stays valid', async (t) => {
    const service = await startService(t, database, { env: { PASSWORD_LIST: 'refuse' } });
    const { id } = await service.join('alice');
    const link = await service.services.db.transaction((tx) => createPasswordLink(tx, id, Date.now()));
    const use = (token: string | undefined, newPassword: string) =>
      service.post('/api/password-link', { token, newPassword });
    assert.equal((await use('x'.repeat(43), '123456')).body.error, 'link_invalid');
    const { status, body } = await use(link?.token, '123456');
    assert.deepEqual([status, body.error, body.msg], refused);
    assert.equal((await use(link?.token, 'a new one of alice')).status, 200);
  });

  test('is no error without the right to register', async (t) => {
    const env = { PASSWORD_LIST: 'refuse', REGISTRATION: 'invite' };
    const service = await startService(t, database, { env });
    const { body } = await service.post('/api/register', { username: 'alice', password: '123456' });
    assert.equal(body.error, 'invite_required');
  });

  test('is what the options name, so that pages can warn', async (t) => {
    for (const [PASSWORD_LIST, passwordList] of [
      ['', 'warn'],
      ['refuse', 'refuse'],
      ['off', 'off'],
    ] as const) {
      const { body } = await (await startService(t, database, { env: { PASSWORD_LIST } })).get(
        '/api/options',
      );
      assert.equal(body.data.passwordList, passwordList);
    }
  });

  test('that a user has already goes on working', async (t) => {
    const settings = await database.create(t);
    const created = { ...database, create: async () => settings };
    const before = await startService(t, created);
    await before.post('/api/register', { username: 'alice', password: '123456' });
    for (const { [Symbol.asyncDispose]: dispose } of before.nodes) await dispose();
    const service = await startService(t, created, { env: { PASSWORD_LIST: 'refuse' } });
    const { body } = await service.post('/api/login', { username: 'alice', password: '123456' });
    assert.equal(body.code, 200);
  });
});
