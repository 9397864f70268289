import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEachDeployment } from '../databases.ts';
import { startService, type TestService } from '../harness.ts';
import { startPushService } from '../push-service.ts';
import { startSockets } from '../sockets.ts';

/** Hashes of `correct horse`, by scheme. */
const STORED = {
  'bcrypt $2b$': '$2b$04$abcdefghijklmnopqrstuujydOTSfIH/d5oUHpsygqV5X9xJLQc6e',
  'bcrypt $2a$': '$2a$04$abcdefghijklmnopqrstuujydOTSfIH/d5oUHpsygqV5X9xJLQc6e',
  'bcrypt $2y$': '$2y$04$abcdefghijklmnopqrstuujydOTSfIH/d5oUHpsygqV5X9xJLQc6e',
  'SHA-256': '4104d36f8da2c254349f85836793ebe029e0c957063a34c91c2e9203187b5631',
  'SHA-256 in capitals': '4104D36F8DA2C254349F85836793EBE029E0C957063A34C91C2E9203187B5631',
  'SHA-256 with a salt': 'sha256$pepper$869a1fa0609a1d15a5c3eb891428b7a6c8395b2ee10c4762e97ffca0ebe8c0b5',
};

onEachDeployment('2 Resources and their fields', (database) => {
  const changeProfile = (service: TestService, token: string, body: object) =>
    service.post('/api/user/profile', body, { token });

  test('2.1 id: a string that the service assigns, the same in every answer', async (t) => {
    const service = await startService(t, database);
    const { body } = await service.post('/api/register', {
      id: 'mine',
      username: 'alice',
      password: 'secret1',
    });
    const { id, token } = body.data;
    assert.equal(typeof id, 'string');
    assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    const login = await service.post('/api/login', { username: 'alice', password: 'secret1' });
    assert.equal(login.body.data.id, id);
    assert.equal((await service.get('/api/users', { token })).body.data[0].id, id);
    assert.equal((await service.get(`/api/user/profile/${id}`)).body.data.id, id);
    assert.equal((await changeProfile(service, token, { id: 'other' })).body.data.id, id);
    assert.equal((await service.post('/api/user/settings', {}, { token })).body.data.id, id);
  });

  test('2.1 username: unique, 2 to 32 characters', async (t) => {
    const service = await startService(t, database);
    const register = (username: unknown) => service.post('/api/register', { username, password: 'secret1' });
    for (const username of ['ab', '小明', 'a'.repeat(32), '😀'.repeat(32), '名'.repeat(32)]) {
      const { body } = await register(username);
      assert.deepEqual([body.code, body.data?.username], [200, username]);
    }
    for (const username of ['', 'a', '😀', 'a'.repeat(33), '😀'.repeat(33)])
      assert.equal((await register(username)).body.msg, '用户名长度需在2-32之间', username);
    assert.equal((await register('ab')).body.msg, '用户名已存在');
  });

  test('2.1 password: 6 to 128 characters at registration, never returned', async (t) => {
    const service = await startService(t, database);
    const register = (username: string, password: unknown) =>
      service.post('/api/register', { username, password });
    const seen: string[] = [];
    for (const [i, password] of ['pass56', 'p'.repeat(128), '密码密码密码', '😀'.repeat(128)].entries()) {
      const answer = await register(`user${i}`, password);
      assert.equal(answer.body.code, 200);
      seen.push(answer.text);
    }
    assert.equal((await register('short', 'pass5')).body.msg, '密码长度不能少于6位');
    assert.equal((await register('short', '😀'.repeat(5))).body.msg, '密码长度不能少于6位');
    const tooLong = await register('long', 'p'.repeat(129));
    assert.deepEqual([tooLong.status, tooLong.body.code], [400, 400]);
    assert.notEqual(tooLong.body.msg, '密码长度不能少于6位');

    const login = await service.post('/api/login', { username: 'user0', password: 'pass56' });
    const { id, token } = login.body.data;
    seen.push(login.text);
    for (const path of ['/api/users', `/api/user/profile/${id}`, '/api/user/blocked', '/api/sessions'])
      seen.push((await service.get(path, { token })).text);
    seen.push((await changeProfile(service, token, { nickname: 'n' })).text);
    seen.push((await service.post('/api/user/settings', { dndEnabled: true }, { token })).text);
    const { password_hash } = (await service.services.db.get<{
      password_hash: string;
    }>`select password_hash from users where id = ${id}`) ?? { password_hash: '' };
    assert.ok(password_hash.length > 20);
    for (const text of seen) {
      assert.ok(!text.includes('pass56') && !text.includes(password_hash), text);
      assert.doesNotMatch(text, /"password/);
    }
  });

  test('2.1 password: one stored as bcrypt or as legacy SHA-256 is accepted at login', async (t) => {
    const service = await startService(t, database);
    const { id } = await service.join('alice');
    const logIn = (password: string) => service.post('/api/login', { username: 'alice', password });
    for (const [scheme, stored] of Object.entries(STORED))
      await t.test(`2.1 password: one stored as ${scheme} is accepted, and no other`, async () => {
        await service.services.db.run`update users set password_hash = ${stored} where id = ${id}`;
        assert.equal((await logIn('wrong horse')).body.msg, '密码错误');
        assert.equal((await logIn('correct horse')).body.code, 200);
        // By then the first login has replaced the stored form.
        assert.equal((await logIn('correct horse')).body.code, 200);
        assert.equal((await logIn('wrong horse')).body.msg, '密码错误');
      });
  });

  test('2.1 nickname, email, avatar, gender, bio, phone: the value of an unset one', async (t) => {
    const service = await startService(t, database);
    const { id, token, username, password } = await service.join('Alice');
    const unset = { nickname: 'Alice', email: '', avatar: '', gender: '', bio: '', phone: '' };
    const { body: login } = await service.post('/api/login', { username, password });
    const { token: _token, ...user } = login.data;
    assert.deepEqual(user, { id, username: 'Alice', ...unset, push_enabled: 1, dnd_enabled: 0 });
    const { email: _email, ...open } = unset;
    const profile = (await service.get(`/api/user/profile/${id}`)).body.data;
    assert.deepEqual(profile, { id, username: 'Alice', ...open, isOnline: 0 });
    const changed = (await changeProfile(service, token, {})).body.data;
    assert.deepEqual(changed, { id, username: 'Alice', ...unset, push_enabled: 1, dnd_enabled: 0 });
  });

  test('2.1 gender: one of "", male, female and secret', async (t) => {
    const service = await startService(t, database);
    const { token } = await service.join('alice');
    for (const gender of ['male', 'female', 'secret', ''])
      assert.equal((await changeProfile(service, token, { gender })).body.data.gender, gender);
    await changeProfile(service, token, { gender: 'female' });
    for (const gender of ['Male', 'other', ' ', null, 1, true, ['male']])
      assert.equal((await changeProfile(service, token, { gender })).body.code, 400, JSON.stringify(gender));
    assert.equal((await changeProfile(service, token, {})).body.data.gender, 'female');
  });

  test('2.1 phone: whole for its owner, masked with asterisks in the public profile', async (t) => {
    const service = await startService(t, database);
    const { id, token, username, password } = await service.join('alice');
    assert.equal(
      (await changeProfile(service, token, { phone: '13812345678' })).body.data.phone,
      '13812345678',
    );
    const login = await service.post('/api/login', { username, password });
    assert.equal(login.body.data.phone, '13812345678');
    const own = await service.get(`/api/user/profile/${id}`, { token });
    assert.equal(own.body.data.phone, '138****5678');
    assert.equal((await service.get(`/api/user/profile/${id}`)).body.data.phone, '138****5678');
  });

  test('2.1 push_enabled, dnd_enabled: integers 1 or 0', async (t) => {
    const service = await startService(t, database);
    const { token, username, password } = await service.join('alice');
    for (const [pushEnabled, dndEnabled, expected] of [
      [false, true, [0, 1]],
      [true, false, [1, 0]],
    ] as const) {
      await service.post('/api/user/settings', { pushEnabled, dndEnabled }, { token });
      const { data } = (await service.post('/api/login', { username, password })).body;
      assert.deepEqual([data.push_enabled, data.dnd_enabled], expected);
      const { data: own } = (await changeProfile(service, token, {})).body;
      assert.deepEqual([own.push_enabled, own.dnd_enabled], expected);
    }
  });

  test('2.1 isOnline: 1 when the user has an active WebSocket connection, else 0, in the list and the public profile', async (t) => {
    const service = await startSockets(t, database);
    const [alice, bob] = [await service.join('alice'), await service.join('bob')];
    const seen = async () => {
      await service.settled();
      const list = (await service.get('/api/users', { token: bob.token })).body.data;
      return [await service.isOnline(alice), ...list.map((one: { isOnline: number }) => one.isOnline)];
    };
    assert.deepEqual(await seen(), [0, 0, 0]);
    const phone = await service.enter(alice);
    assert.deepEqual(await seen(), [1, 1, 0]);
    const laptop = await service.enter(alice);
    phone.ws.close();
    await phone.ended;
    assert.deepEqual(await seen(), [1, 1, 0]);
    laptop.ws.close();
    await laptop.ended;
    assert.deepEqual(await seen(), [0, 0, 0]);
  });

  test('2.1 isOnline: not stored by clients', async (t) => {
    const service = await startService(t, database);
    const { body } = await service.post('/api/register', {
      username: 'alice',
      password: 'secret1',
      isOnline: 1,
      push_enabled: 0,
    });
    const { id, token } = body.data;
    await changeProfile(service, token, { isOnline: 1, push_enabled: 0 });
    assert.equal((await service.get(`/api/user/profile/${id}`)).body.data.isOnline, 0);
    assert.equal((await service.get('/api/users', { token })).body.data[0].isOnline, 0);
    assert.equal((await changeProfile(service, token, {})).body.data.push_enabled, 1);
  });

  test('2.1 token: a JWT, present only in register and login responses', async (t) => {
    const service = await startService(t, database);
    const registered = await service.post('/api/register', { username: 'alice', password: 'secret1' });
    const loggedIn = await service.post('/api/login', { username: 'alice', password: 'secret1' });
    for (const { body } of [registered, loggedIn]) assert.match(body.data.token, /^[\w-]+\.[\w-]+\.[\w-]+$/);
    const { id, token } = registered.body.data;
    const others = [
      await service.get('/api/users', { token }),
      await service.get(`/api/user/profile/${id}`, { token }),
      await changeProfile(service, token, { bio: 'b' }),
      await service.post('/api/user/settings', {}, { token }),
      await service.post(
        '/api/user/change-password',
        { oldPassword: 'secret1', newPassword: 'secret2' },
        { token },
      ),
    ];
    for (const { text, status } of others) assert.ok(status === 200 && !text.includes('token'), text);
  });

  test('2.2 id, username, avatar, create_time: the blocked user, and the moment in epoch milliseconds', async (t) => {
    const now = 1_760_000_000_123;
    const service = await startService(t, database, { world: { now: () => now } });
    const alice = await service.join('alice');
    const bob = await service.join('bob');
    await changeProfile(service, bob.token, { avatar: 'https://pictures.example/bob.png' });
    await service.post('/api/user/block', { blockedId: bob.id }, { token: alice.token });
    assert.deepEqual((await service.get('/api/user/blocked', { token: alice.token })).body.data, [
      { id: bob.id, username: 'bob', avatar: 'https://pictures.example/bob.png', create_time: now },
    ]);
  });

  test('2.3 userId, subscription: all of it is required, the subscription an object or its serialized string', async (t) => {
    await using push = await startPushService();
    const service = await startService(t, database);
    const { id: userId } = await service.join('alice');
    const subscribe = (body: unknown) => service.post('/api/push/subscribe', body);
    const subscription = push.subscribe();
    assert.equal((await subscribe({ userId, subscription })).body.code, 200);
    assert.equal((await subscribe({ userId, subscription: JSON.stringify(subscription) })).body.code, 200);

    const { endpoint, keys } = subscription;
    const wrong: unknown[] = [
      undefined,
      null,
      7,
      '',
      'not json',
      '[]',
      'null',
      [],
      {},
      { keys },
      { endpoint },
      { endpoint, keys: null },
      { endpoint, keys: 'p256dh' },
      { endpoint, keys: { auth: keys.auth } },
      { endpoint, keys: { p256dh: keys.p256dh } },
      { endpoint, keys: { ...keys, auth: 5 } },
      { endpoint, keys: { ...keys, p256dh: '' } },
      { endpoint, keys: { ...keys, p256dh: 'not base64!' } },
      { endpoint, keys: { ...keys, auth: 'ä' } },
      { endpoint: '', keys },
      { endpoint: 5, keys },
      { endpoint: 'no url', keys },
    ];
    for (const one of wrong) {
      const { status, body } = await subscribe({ userId, subscription: one });
      assert.deepEqual([status, body.code], [400, 400], JSON.stringify(one));
    }
    for (const one of [undefined, null, '', 5, [userId]])
      assert.equal((await subscribe({ userId: one, subscription })).body.code, 400, JSON.stringify(one));
  });
});
