import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEachDeployment } from '../databases.ts';
import { shareService, startService } from '../harness.ts';

/** The whole table of interface 4.2. */
const SUMMARY = [
  ['POST', '/api/register', 'public'],
  ['POST', '/api/login', 'public'],
  ['POST', '/api/user/change-password', 'JWT'],
  ['GET', '/api/users', 'JWT'],
  ['GET', '/api/user/profile/:userId', 'public'],
  ['POST', '/api/user/profile', 'JWT'],
  ['POST', '/api/user/settings', 'JWT'],
  ['POST', '/api/user/block', 'JWT'],
  ['POST', '/api/user/unblock', 'JWT'],
  ['GET', '/api/user/blocked', 'JWT'],
  ['GET', '/api/push/public-key', 'public'],
  ['POST', '/api/push/subscribe', 'public'],
  ['GET', '/api/push/test-send', 'JWT'],
] as const;

onEachDeployment('4 Endpoints: envelope and summary', (database) => {
  const shared = shareService(database);

  test('4.1 Envelope: every answer is JSON, its code the HTTP status; errors carry msg', async () => {
    const {
      service,
      alice: { id, token },
    } = await shared();
    const wrong = { headers: { authorization: 'Bearer nonsense' } };
    const calls = [
      ...SUMMARY.map(([method, path]) => service.call(method, path.replace(':userId', id), { token })),
      ...SUMMARY.map(([method, path]) => service.call(method, path.replace(':userId', 'nobody'), wrong)),
      ...SUMMARY.filter(([method]) => method === 'POST').map(([method, path]) =>
        service.call(method, path, { token, raw: '{"broken' }),
      ),
      service.get('/api/nothing'),
      service.get('/elsewhere'),
      service.call('DELETE', '/api/users', { token }),
      service.call('PATCH', '/api/login'),
      service.get('/api/user/profile/%zz'),
      service.get(`/api/user/profile/${'x'.repeat(500)}`),
    ];
    const codes = new Set<number>();
    for (const { status, headers, body, text } of await Promise.all(calls)) {
      assert.equal(headers['content-type'], 'application/json; charset=utf-8');
      assert.equal(headers['x-content-type-options'], 'nosniff');
      assert.ok(headers['x-request-id']);
      assert.equal(body.code, status);
      codes.add(status);
      if (status === 200) assert.equal(body.msg, undefined, text);
      else if (text !== '{"code":404,"message":"No push subscription found"}') {
        assert.ok(typeof body.msg === 'string' && body.msg !== '', text);
        assert.deepEqual(Object.keys(body).sort(), ['code', 'error', 'msg']);
        assert.match(body.error, /^[a-z]+(_[a-z]+)*$/);
      }
    }
    assert.deepEqual([...codes].sort(), [200, 400, 401, 404]);
  });

  test('4.1 Envelope: unknown routes and methods are 404', async () => {
    const { service } = await shared();
    const calls: [string, string][] = [
      ['GET', '/api'],
      ['GET', '/api/'],
      ['GET', '/api/nothing'],
      ['GET', '/api/register'],
      ['PUT', '/api/login'],
      ['HEAD', '/api/login'],
      ['POST', '/api/users'],
      ['GET', '/api/user/profile'],
      ['GET', '/API/users'],
      ['GET', '/api/users/'],
      ['GET', '//api/users'],
    ];
    for (const [method, path] of calls) {
      const { status } = await service.call(method, path);
      assert.equal(status, 404, `${method} ${path}`);
    }
  });

  test('4.1 Envelope: data is present on results that return data, message on the named successes', async (t) => {
    const service = await startService(t, database);
    const bob = await service.join('bob');
    const registered = await service.post('/api/register', { username: 'alice', password: 'secret1' });
    const { id, token } = registered.body.data;
    const post = (path: string, body: object) => service.post(path, body, { token });
    const keysOf = async (answer: Promise<{ body: object }>) => Object.keys((await answer).body).sort();
    assert.deepEqual(Object.keys(registered.body).sort(), ['code', 'data', 'message']);
    const keys = {
      login: await keysOf(post('/api/login', { username: 'alice', password: 'secret1' })),
      users: await keysOf(service.get('/api/users', { token })),
      'public profile': await keysOf(service.get(`/api/user/profile/${id}`)),
      profile: await keysOf(post('/api/user/profile', {})),
      settings: await keysOf(post('/api/user/settings', {})),
      block: await keysOf(post('/api/user/block', { blockedId: bob.id })),
      blocked: await keysOf(service.get('/api/user/blocked', { token })),
      unblock: await keysOf(post('/api/user/unblock', { blockedId: bob.id })),
      'change-password': await keysOf(
        post('/api/user/change-password', { oldPassword: 'secret1', newPassword: 'secret2' }),
      ),
    };
    assert.deepEqual(keys, {
      login: ['code', 'data'],
      users: ['code', 'data'],
      'public profile': ['code', 'data'],
      profile: ['code', 'data', 'message'],
      settings: ['code', 'data', 'message'],
      block: ['code', 'data', 'message'],
      blocked: ['code', 'data'],
      unblock: ['code', 'message'],
      'change-password': ['code', 'message'],
    });
  });

  test('4.1 Envelope: bodies of POST endpoints are JSON objects of type application/json', async () => {
    const {
      service,
      alice: { token },
    } = await shared();
    const body = '{"username":"bob","password":"secret1"}';
    const types = ['application/json', 'application/json; charset=utf-8', 'Application/JSON;charset="UTF-8"'];
    for (const [i, type] of types.entries()) {
      const raw = body.replace('bob', `bob${i}`);
      const answer = await service.post('/api/register', undefined, {
        raw,
        headers: { 'content-type': type },
      });
      assert.equal(answer.status, 200, type);
    }
    const wrongTypes = [
      'text/plain',
      'application/x-www-form-urlencoded',
      'application/json; charset=gbk',
      'a/b/c',
    ];
    for (const type of wrongTypes) {
      const answer = await service.post('/api/register', undefined, {
        raw: body,
        headers: { 'content-type': type },
      });
      assert.equal(answer.status, 400, type);
    }
    for (const raw of [
      '',
      '[]',
      'null',
      '7',
      '"text"',
      '{"a":1',
      '{"a":1}}',
      `{"bio":"${'b'.repeat(70_000)}"}`,
    ])
      for (const [method, path] of SUMMARY)
        if (method === 'POST') {
          const { status } = await service.post(path, undefined, { token, raw });
          assert.equal(status, 400, `${path} ${raw.slice(0, 20)}`);
        }
    for (const [method, path] of SUMMARY)
      if (method === 'POST') assert.equal((await service.call('POST', path, { token })).status, 400, path);
  });

  test('4.2 Summary: every endpoint exists, public or with a JWT only', async (t) => {
    const {
      service,
      alice: { id, token },
    } = await shared();
    const tokens = [undefined, 'nonsense', `${token}x`, token.replace(/\.[^.]+$/, '.AAAA')];
    for (const [method, path, auth] of SUMMARY)
      await t.test(`4.2 ${method} ${path}: ${auth}`, async () => {
        const url = path.replace(':userId', id);
        const body = method === 'POST' ? { body: {} } : {};
        for (const one of tokens) {
          const answer = await service.call(method, url, {
            ...body,
            ...(one === undefined ? {} : { token: one }),
          });
          if (auth === 'JWT') assert.deepEqual([answer.status, answer.body.code], [401, 401], `${one}`);
          else assert.ok(answer.status === 200 || answer.status === 400, answer.text);
        }
        const answer = await service.call(method, url, { ...body, token });
        assert.ok(answer.status === 200 || answer.status === 400, answer.text);
      });
  });
});
