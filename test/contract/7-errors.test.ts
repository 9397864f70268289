import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEachDeployment } from '../databases.ts';
import { shareService, startService } from '../harness.ts';

onEachDeployment('7 Errors', (database) => {
  const shared = shareService(database);

  test('7 Codes: 200, 400, 401, 403, 404 and 429, each as code and as HTTP status', async (t) => {
    const service = await startService(t, database, { env: { RATE_LIMIT_API: '5/1m' } });
    const alice = await service.join('alice');
    const bob = await service.join('bob');
    const call = { token: alice.token };
    const answers = {
      200: await service.get('/api/users', call),
      400: await service.post('/api/user/block', {}, call),
      401: await service.get('/api/users'),
      403: await service.get(`/api/push/test-send?userId=${bob.id}`, call),
      404: await service.post('/api/user/block', { blockedId: 'nobody' }, call),
      '200 again': await service.get('/api/users', call),
      429: await service.get('/api/users', call),
    };
    for (const [expected, { status, body }] of Object.entries(answers)) {
      const code = Number.parseInt(expected, 10);
      assert.deepEqual([status, body.code], [code, code]);
      assert.equal(typeof body.msg, code === 200 ? 'undefined' : 'string');
    }
  });

  test('7 Code 500: a fault shows as a bare 500, and is logged', async (t) => {
    const service = await startService(t, database);
    const { token } = await service.join('alice');
    await service.get('/api/users', { token });
    for (const { services } of service.nodes) await services.db[Symbol.asyncDispose]();
    for (const { status, body } of [
      await service.get('/api/user/blocked', { token }),
      await service.post('/api/user/profile', { bio: 'b' }, { token }),
      await service.post('/api/login', { username: 'alice', password: 'secret1' }),
    ])
      assert.deepEqual([status, body], [500, { code: 500, error: 'internal', msg: '服务器内部错误' }]);
    assert.ok(service.logLines.some((line) => line.includes('"msg":"fault"')));
  });

  test('7 Fixed messages: each case with its text and code 400', async () => {
    const { service } = await shared();
    const register = (username: string, password: string) =>
      service.post('/api/register', { username, password });
    const logIn = (username: string, password: string) => service.post('/api/login', { username, password });
    const rows = [
      [await register('alice', 'secret1'), '用户名已存在'],
      [await register('a', 'secret1'), '用户名长度需在2-32之间'],
      [await register('a'.repeat(33), 'secret1'), '用户名长度需在2-32之间'],
      [await register('bob', 'abcde'), '密码长度不能少于6位'],
      [await logIn('nobody', 'secret1'), '用户不存在'],
      [await logIn('alice', 'secret1'), '密码错误'],
    ] as const;
    for (const [{ status, body }, msg] of rows)
      assert.deepEqual([status, body.code, body.msg], [400, 400, msg]);
  });

  test('7 Fixed messages: each as printed for callers of any language', async () => {
    const {
      service,
      alice: { token },
    } = await shared();
    const headers = { 'accept-language': 'en-GB,en;q=0.9' };
    const post = (path: string, body: object) => service.post(path, body, { headers });
    const register = { username: 'alice', password: 'secret1' };
    const rows = [
      [await post('/api/register', register), '用户名已存在'],
      [await post('/api/register', { ...register, username: 'a' }), '用户名长度需在2-32之间'],
      [await post('/api/register', { ...register, password: 'abcde' }), '密码长度不能少于6位'],
      [await post('/api/login', { ...register, username: 'nobody' }), '用户不存在'],
      [await post('/api/login', { ...register, password: 'secret2' }), '密码错误'],
    ] as const;
    for (const [{ status, body }, msg] of rows)
      assert.deepEqual([status, body.code, body.msg], [400, 400, msg]);
    const others = { token, headers };
    const unknown = await service.get('/api/push/test-send?userId=x', others);
    assert.deepEqual(unknown.body, { code: 404, message: 'No push subscription found' });
    const short = await service.post(
      '/api/user/change-password',
      { oldPassword: 'secret1', newPassword: 'a' },
      others,
    );
    assert.deepEqual(short.body, {
      code: 400,
      error: 'password_too_short',
      msg: 'The password must have at least 6 characters',
    });
  });
});
