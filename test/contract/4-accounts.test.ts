import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEachDeployment } from '../databases.ts';
import { shareService, startService } from '../harness.ts';
import { shapeOf } from '../shape.ts';

onEachDeployment('4 Endpoints: accounts', (database) => {
  const shared = shareService(database);

  test('4.3 POST /api/register: answers code, message and { id, username, nickname, email, token }', async (t) => {
    const service = await startService(t, database);
    const { status, body } = await service.post('/api/register', {
      username: 'Alice',
      password: 'secret1',
      nickname: '爱丽丝',
      email: 'alice@example.com',
      avatar: 'https://pictures.example/a.png',
    });
    const data = { id: 'string', username: 'string', nickname: 'string', email: 'string', token: 'string' };
    assert.deepEqual(shapeOf(body), { code: 'integer', message: 'string', data });
    assert.equal(status, 200);
    assert.equal(body.code, 200);
    assert.notEqual(body.message, '');
    const { id, token, ...rest } = body.data;
    assert.deepEqual(rest, { username: 'Alice', nickname: '爱丽丝', email: 'alice@example.com' });
    const profile = (await service.get(`/api/user/profile/${id}`)).body.data;
    assert.equal(profile.avatar, 'https://pictures.example/a.png');
    assert.equal((await service.get('/api/users', { token })).status, 200);
  });

  test('4.3 POST /api/register: nickname, email and avatar are optional, the nickname is the username by default', async (t) => {
    const service = await startService(t, database);
    const { body } = await service.post('/api/register', { username: 'alice', password: 'secret1' });
    assert.deepEqual([body.data.nickname, body.data.email], ['alice', '']);
    const empty = await service.post('/api/register', {
      username: 'bob',
      password: 'secret1',
      nickname: '',
      email: '',
      avatar: '',
    });
    assert.deepEqual([empty.body.data.nickname, empty.body.data.email], ['bob', '']);
    const profile = (await service.get(`/api/user/profile/${body.data.id}`)).body.data;
    assert.equal(profile.avatar, '');
  });

  test('4.3 POST /api/register: the fixed texts, in the order username, password, the rest, duplicate', async () => {
    const { service } = await shared();
    const register = async (body: object) => {
      const answer = await service.post('/api/register', body);
      assert.deepEqual([answer.status, answer.body.code], [400, 400], JSON.stringify(body));
      return answer.body.msg;
    };
    const length = '用户名长度需在2-32之间';
    const short = '密码长度不能少于6位';
    for (const username of [undefined, null, 5, true, ['alice'], {}, '', 'a', 'a'.repeat(33)]) {
      assert.equal(await register({ username, password: 'secret1' }), length);
      assert.equal(await register({ email: 'no address', password: 'x', username }), length);
    }
    for (const password of [undefined, null, 123456, true, ['secret1'], {}, '', 'abcde']) {
      assert.equal(await register({ username: 'bob', password }), short);
      assert.equal(await register({ email: 'no address', password, username: 'alice' }), short);
    }
    const rest = await register({ username: 'alice', password: 'secret1', email: 'no address' });
    assert.ok(rest.includes('email') && rest !== '用户名已存在', rest);
    assert.equal(await register({ username: 'alice', password: 'secret1' }), '用户名已存在');
  });

  test('4.3 POST /api/register: invalid values are 400, and store nothing', async () => {
    const {
      service,
      alice: { token },
    } = await shared();
    const wrong: object[] = [
      { nickname: 'n'.repeat(65) },
      { nickname: null },
      { nickname: 5 },
      { email: 'nobody' },
      { email: 'a b@example.com' },
      { email: `a@${'e'.repeat(253)}` },
      { email: null },
      { avatar: 'javascript:alert(1)' },
      { avatar: 'data:image/png;base64,AA' },
      { avatar: 'https://user:secret@example.com/a.png' },
      { avatar: 'a'.repeat(2049) },
      { avatar: false },
      { password: 'p'.repeat(129) },
      { username: ' bob' },
      { username: 'bob\n' },
      { username: 'b\u0007b' },
      { username: 'b\u200bb' },
    ];
    for (const one of wrong) {
      const { status, body } = await service.post('/api/register', {
        username: 'bob',
        password: 'secret1',
        ...one,
      });
      assert.deepEqual([status, body.code, typeof body.msg], [400, 400, 'string'], JSON.stringify(one));
    }
    assert.equal((await service.get('/api/users', { token })).body.data.length, 1);
  });

  test('4.4 POST /api/login: answers code and the eleven fields, never the password', async (t) => {
    const service = await startService(t, database);
    const { id, token } = await service.join('Alice');
    const changes = {
      nickname: '爱丽丝',
      email: 'alice@example.com',
      avatar: '/pictures/a.png',
      gender: 'female',
      bio: 'hello',
      phone: '13812345678',
    };
    await service.post('/api/user/profile', changes, { token });
    await service.post('/api/user/settings', { pushEnabled: false, dndEnabled: true }, { token });
    const { status, body } = await service.post('/api/login', {
      username: 'Alice',
      password: 'password-of-Alice',
    });
    assert.equal(status, 200);
    const { token: fresh, ...user } = body.data;
    assert.deepEqual(user, { id, username: 'Alice', ...changes, push_enabled: 0, dnd_enabled: 1 });
    assert.deepEqual(Object.keys(body).sort(), ['code', 'data']);
    assert.equal(body.code, 200);
    assert.deepEqual(shapeOf([user.push_enabled, user.dnd_enabled, fresh]), ['integer', 'integer', 'string']);
    assert.equal((await service.get('/api/users', { token: fresh })).status, 200);
  });

  test('4.4 POST /api/login: an unknown user and a wrong password, each with its text', async () => {
    const { service } = await shared();
    const logIn = async (body: object) => {
      const answer = await service.post('/api/login', body);
      assert.deepEqual([answer.status, answer.body.code], [400, 400], JSON.stringify(body));
      return answer.body.msg;
    };
    for (const username of ['nobody', '', 'a', 'a'.repeat(33), 'b\u200bb', ' alice'])
      assert.equal(await logIn({ username, password: 'password-of-alice' }), '用户不存在');
    for (const password of ['', 'short', 'password-of-bob', 'password-of-alice ', 'p'.repeat(1000)])
      assert.equal(await logIn({ username: 'alice', password }), '密码错误');
    const wrong = [{}, { username: 'alice' }, { password: 'p' }, { username: 5, password: 'p' }];
    for (const body of [...wrong, { username: 'alice', password: 5 }, { username: null, password: null }]) {
      const msg = await logIn(body);
      assert.ok(msg !== '用户不存在' && msg !== '密码错误', msg);
    }
  });

  test('4.5 POST /api/user/change-password: answers code and message, no data; from then on only the new one is valid', async (t) => {
    const service = await startService(t, database);
    const { username, password: oldPassword, token } = await service.join('alice');
    const { status, body } = await service.post(
      '/api/user/change-password',
      { oldPassword, newPassword: 'sixsix' },
      { token },
    );
    assert.equal(status, 200);
    assert.deepEqual(shapeOf(body), { code: 'integer', message: 'string' });
    assert.equal(body.code, 200);
    const logIn = async (password: string) => (await service.post('/api/login', { username, password })).body;
    assert.equal((await logIn(oldPassword)).msg, '密码错误');
    assert.equal((await logIn('sixsix')).code, 200);
  });

  test('4.5 POST /api/user/change-password: the new password has at least 6 characters, and the old one must be right', async (t) => {
    const service = await startService(t, database);
    const { username, password: oldPassword, token } = await service.join('alice');
    const change = async (body: object) => {
      const answer = await service.post('/api/user/change-password', body, { token });
      assert.deepEqual([answer.status, answer.body.code], [400, 400], JSON.stringify(body));
      return answer.body.msg;
    };
    assert.equal(await change({ oldPassword, newPassword: 'abcde' }), '密码长度不能少于6位');
    assert.equal(await change({ oldPassword }), '密码长度不能少于6位');
    assert.equal(await change({ oldPassword: 'wrong', newPassword: 'abcde' }), '密码长度不能少于6位');
    assert.equal(await change({ oldPassword: 'wrong one', newPassword: 'secret2' }), '旧密码错误');
    await change({ oldPassword, newPassword: 'p'.repeat(129) });
    await change({ newPassword: 'secret2' });
    await change({ oldPassword: 5, newPassword: 'secret2' });
    assert.equal((await service.post('/api/login', { username, password: oldPassword })).body.code, 200);
  });
});
