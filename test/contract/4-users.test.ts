import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEachDeployment } from '../databases.ts';
import { shareService, startService } from '../harness.ts';
import { shapeOf } from '../shape.ts';

onEachDeployment('4 Endpoints: users, profiles and settings', (database) => {
  const shared = shareService(database);

  test('4.6 GET /api/users: all registered users as { id, username, avatar, nickname, gender, bio, isOnline }', async (t) => {
    const service = await startService(t, database);
    const alice = await service.join('alice');
    const bob = await service.join('bob');
    const carol = await service.join('carol');
    const changes = { nickname: 'Bobby', avatar: '/bob.png', gender: 'male', bio: '你好 "quoted" \\ \u2028' };
    await service.post('/api/user/profile', { ...changes, phone: '123456', email: 'b@example.com' }, bob);
    const { status, body } = await service.get('/api/users', { token: alice.token });
    assert.equal(status, 200);
    const unset = { avatar: '', gender: '', bio: '', isOnline: 0 };
    assert.deepEqual(body, {
      code: 200,
      data: [
        { id: alice.id, username: 'alice', nickname: 'alice', ...unset },
        { id: bob.id, username: 'bob', ...changes, isOnline: 0 },
        { id: carol.id, username: 'carol', nickname: 'carol', ...unset },
      ],
    });
  });

  test('4.6 GET /api/users?q=: people are found by the start of any word, as soon as a name is written', async (t) => {
    const service = await startService(t, database);
    const { token } = await service.join('alice');
    const bob = await service.join('bob');
    // Each call goes to the next node.
    const find = async (q: string) => {
      const found: string[][] = [];
      for (const path of ['', '&online=1', '&limit=1'])
        found.push(
          (await service.get(`/api/users?q=${encodeURIComponent(q)}${path}`, { token })).body.data.map(
            ({ username }: { username: string }) => username,
          ),
        );
      return found;
    };
    for (const [nickname, texts] of Object.entries({
      'Anna Maria Núñez': ['an nu', 'maria', 'NUN', 'núñ ann'],
      林小雨: ['小雨', '雨', '雨 林'],
      '김 민수': ['민수', '수 김'],
      'สมชาย ใจดี': ['ชาย', 'ใจ สม'],
      'مُحَمَّد علي': ['محمد', 'علي مح'],
      '!! 😀': [],
    })) {
      await service.post('/api/user/profile', { nickname }, bob);
      for (const q of ['bob', ...texts]) assert.deepEqual(await find(q), [['bob'], [], ['bob']], q);
    }
    assert.deepEqual(await find('anna'), [[], [], []]);
    const refusals = { en: 'A search needs a letter or a digit', zh: '搜索内容需包含文字或数字' };
    for (const [language, message] of Object.entries(refusals)) {
      const headers = { 'accept-language': language };
      const { status, body } = await service.get('/api/users?q=!!', { token, headers });
      assert.deepEqual([status, body.error, body.msg], [400, 'bad_query', message]);
    }
    for (const after of ['u:bob', 'n:bob:x', 'a:x', 'k:bob']) {
      const { status, body } = await service.get(`/api/users?q=bo&after=${after}`, { token });
      assert.deepEqual([status, body.error], [400, 'bad_cursor'], after);
    }
  });

  test('4.7 GET /api/user/profile/:userId: { id, username, avatar, nickname, gender, bio, phone, isOnline }, without a token', async (t) => {
    const service = await startService(t, database);
    const { id, token } = await service.join('alice');
    const changes = { nickname: 'Al', avatar: '/a.png', gender: 'secret', bio: 'b "q" \u2028' };
    await service.post(
      '/api/user/profile',
      { ...changes, phone: '13812345678', email: 'a@example.com' },
      { token },
    );
    const expected = {
      code: 200,
      data: { id, username: 'alice', ...changes, phone: '138****5678', isOnline: 0 },
    };
    // The second answer comes from the cache.
    for (const call of [{}, {}, { token }, { token: 'nonsense' }]) {
      const { status, body } = await service.get(`/api/user/profile/${id}`, call);
      assert.equal(status, 200);
      assert.deepEqual(body, expected);
    }
  });

  test('4.7 GET /api/user/profile/:userId: an unknown id is 404', async () => {
    const {
      service,
      alice: { id },
    } = await shared();
    for (const one of ['nobody', id.toUpperCase(), `${id}x`, '%E4%BD%A0', "'", '0', 'null']) {
      const { status, body } = await service.get(`/api/user/profile/${one}`);
      assert.deepEqual([status, body.code, body.error], [404, 404, 'user_not_found'], one);
    }
  });

  test('4.8 POST /api/user/profile: answers code, message and the updated user', async (t) => {
    const service = await startService(t, database);
    const { id, token } = await service.join('alice');
    const changes = {
      nickname: 'Al',
      avatar: 'https://pictures.example/a.png',
      gender: 'male',
      bio: 'line\nline',
      phone: '+49 (30) 123-456.7',
      email: 'alice@example.com',
    };
    const { status, body } = await service.post('/api/user/profile', changes, { token });
    assert.equal(status, 200);
    const { message, ...rest } = body;
    assert.ok(typeof message === 'string' && message !== '');
    const expected = { id, username: 'alice', ...changes, push_enabled: 1, dnd_enabled: 0 };
    assert.deepEqual(rest, { code: 200, data: expected });
  });

  test('4.8 POST /api/user/profile: only the fields sent are changed', async (t) => {
    const service = await startService(t, database);
    const { token } = await service.join('alice');
    const update = async (body: object) =>
      (await service.post('/api/user/profile', body, { token })).body.data;
    const all = {
      nickname: 'Al',
      avatar: '/a.png',
      gender: 'male',
      bio: 'b',
      phone: '123',
      email: 'a@example.com',
    };
    let expected = await update(all);
    for (const [field, value] of Object.entries({
      ...all,
      nickname: 'Bo',
      avatar: '',
      gender: '',
      bio: '',
      phone: '',
      email: '',
    })) {
      expected = { ...expected, [field]: value };
      assert.deepEqual(await update({ [field]: value }), expected);
    }
    assert.deepEqual(await update({}), expected);
    assert.deepEqual(await update({ username: 'bob', password: 'x', id: '1', unknown: [] }), expected);
  });

  test('4.8 POST /api/user/profile: an empty nickname is the username, as at registration', async (t) => {
    const service = await startService(t, database);
    const { id, token } = await service.join('alice');
    await service.post('/api/user/profile', { nickname: 'Al' }, { token });
    const { status, body } = await service.post('/api/user/profile', { nickname: '' }, { token });
    assert.deepEqual([status, body.data.nickname], [200, 'alice']);
    assert.equal((await service.get(`/api/user/profile/${id}`)).body.data.nickname, 'alice');
    assert.deepEqual((await service.get('/api/users?q=al&limit=5', { token })).body.data.length, 1);
  });

  test('4.8 POST /api/user/profile: values out of bounds are 400 and change nothing', async (t) => {
    const service = await startService(t, database);
    const { token } = await service.join('alice');
    const before = (await service.post('/api/user/profile', {}, { token })).body.data;
    const wrong = {
      nickname: ['n'.repeat(65), null, 5, ['a']],
      avatar: ['a'.repeat(2049), 'javascript:1', 'ftp://example.com/a', 'https://u@example.com/', null, 5],
      gender: ['Female', 'x', null, 0],
      bio: ['b'.repeat(1001), null, 5, {}],
      phone: ['1'.repeat(33), '123a', '１２３', null, 13812345678],
      email: ['e', '@', 'a@', '@b', 'a b@c', `a@${'b'.repeat(253)}`, null, 5],
    };
    for (const [field, values] of Object.entries(wrong))
      for (const value of values) {
        const sent = { gender: 'male', [field]: value };
        const { status, body } = await service.post('/api/user/profile', sent, { token });
        assert.deepEqual([status, body.code], [400, 400], JSON.stringify(sent));
      }
    assert.deepEqual((await service.post('/api/user/profile', {}, { token })).body.data, before);
    const bounds = {
      nickname: '😀'.repeat(64),
      avatar: 'a'.repeat(2048),
      bio: '😀'.repeat(1000),
      phone: '1'.repeat(32),
      email: `a@${'b'.repeat(252)}`,
    };
    const after = (await service.post('/api/user/profile', bounds, { token })).body.data;
    assert.deepEqual(after, { ...before, ...bounds });
  });

  test('4.9 POST /api/user/settings: answers code, message and { id, username, push_enabled, dnd_enabled }', async (t) => {
    const service = await startService(t, database);
    const { id, token } = await service.join('alice');
    const { status, body } = await service.post(
      '/api/user/settings',
      { pushEnabled: false, dndEnabled: true },
      { token },
    );
    assert.equal(status, 200);
    const data = { id: 'string', username: 'string', push_enabled: 'integer', dnd_enabled: 'integer' };
    assert.deepEqual(shapeOf(body), { code: 'integer', message: 'string', data });
    assert.deepEqual(body.data, { id, username: 'alice', push_enabled: 0, dnd_enabled: 1 });
    assert.equal(body.code, 200);
  });

  test('4.9 POST /api/user/settings: flags are booleans and nothing else', async () => {
    const {
      service,
      alice: { token },
    } = await shared();
    for (const field of ['pushEnabled', 'dndEnabled'])
      for (const value of [0, 1, 'true', '', null, [], {}]) {
        const { status, body } = await service.post('/api/user/settings', { [field]: value }, { token });
        assert.deepEqual([status, body.code], [400, 400], `${field} ${JSON.stringify(value)}`);
      }
    const { data } = (await service.post('/api/user/settings', { push_enabled: 0 }, { token })).body;
    assert.deepEqual([data.push_enabled, data.dnd_enabled], [1, 0]);
  });
});
