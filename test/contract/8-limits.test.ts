import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { onEachDatabase, onEachDeployment, type TestDatabase } from '../databases.ts';
import { type Call, startService } from '../harness.ts';

const MINUTE_MS = 60_000;

/** A service with the printed limits, and a clock that stands still until `pass`. */
async function startLimited(t: TestContext, database: TestDatabase, env: Record<string, string> = {}) {
  let ms = 1_000_000;
  const service = await startService(t, database, {
    env: { RATE_LIMIT_API: '', RATE_LIMIT_AUTH: '', ...env },
    world: { monotonicMs: () => ms },
  });
  let address = 0;
  return {
    service,
    pass: (milliseconds: number) => {
      ms += milliseconds;
    },
    /** How many of `count` calls were accepted; the others were 429. */
    async passed(count: number, path: string, call: Call = {}): Promise<number> {
      let passed = 0;
      for (let i = 0; i < count; i++) {
        const { status, body } = await service.get(path, call);
        assert.equal(status, body.code);
        if (status !== 429) passed++;
      }
      return passed;
    },
    async signIns(count: number, call: Call = {}): Promise<number> {
      let passed = 0;
      for (let i = 0; i < count; i++) {
        const path = i % 2 ? '/api/register' : '/api/login';
        const { status } = await service.post(path, { username: 'nobody', password: 'x' }, call);
        assert.ok(status === 400 || status === 429);
        if (status === 400) passed++;
      }
      return passed;
    },
    /** A user with an address of their own. */
    join: async (username: string) => {
      const from = `198.51.100.${++address}`;
      const body = { username, password: 'secret1' };
      return (await service.post('/api/register', body, { from })).body.data;
    },
  };
}

onEachDatabase('8 Limits', (database) => {
  test('8 General endpoints: 60 requests per minute, the 61st is 429 with Retry-After', async (t) => {
    const { service, pass } = await startLimited(t, database);
    for (let i = 1; i <= 60; i++) {
      const { status, headers } = await service.get('/api/push/public-key');
      assert.equal(status, 200);
      assert.equal(headers['ratelimit-policy'], '"api";q=60;w=60');
      assert.equal(headers.ratelimit, `"api";r=${60 - i};t=60`);
      assert.equal(headers['retry-after'], undefined);
    }
    pass(15_500);
    const { status, body, headers } = await service.get('/api/push/public-key');
    assert.equal(status, 429);
    assert.deepEqual([body.code, body.error, typeof body.msg], [429, 'rate_limited', 'string']);
    assert.equal(headers['retry-after'], '45');
    assert.equal(headers.ratelimit, '"api";r=0;t=45');
    pass(44_499);
    assert.equal((await service.get('/api/push/public-key')).status, 429);
    pass(1);
    assert.equal((await service.get('/api/push/public-key')).status, 200);
  });

  test('8 General endpoints: never more than 60 in any 60 s; refused calls do not count', async (t) => {
    const { passed, pass } = await startLimited(t, database);
    assert.equal(await passed(20, '/api/push/public-key'), 20);
    pass(50_000);
    assert.equal(await passed(50, '/api/push/public-key'), 40);
    pass(9_999);
    assert.equal(await passed(5, '/api/push/public-key'), 0);
    pass(1);
    assert.equal(await passed(50, '/api/push/public-key'), 20);
    pass(50_000);
    assert.equal(await passed(50, '/api/push/public-key'), 40);
  });

  test('8 General endpoints: all paths under /api/ share one count, unknown ones and refusals too', async (t) => {
    const { service, passed } = await startLimited(t, database);
    const calls = [
      () => service.get('/api/nothing'),
      () => service.get('/api/users'),
      () => service.post('/api/user/profile', {}),
      () => service.get('/api/user/profile/nobody'),
      () => service.post('/api/push/subscribe', undefined, { raw: '{' }),
      () => service.call('DELETE', '/api/users'),
    ];
    for (let i = 0; i < 60; i++) assert.notEqual((await calls[i % calls.length]?.())?.status, 429);
    for (const call of calls) {
      const { status, headers } = await call();
      assert.deepEqual([status, headers['retry-after']], [429, '60']);
    }
    assert.equal((await service.get('/healthz')).status, 200);
    assert.equal((await service.get('/.well-known/jwks.json')).status, 200);
    assert.equal(await passed(1, '/api/push/public-key', { from: '203.0.113.9' }), 1);
  });

  test('8 /api/register and /api/login: 20 requests per 15 minutes together, in a count of their own', async (t) => {
    const { service, signIns, passed, pass } = await startLimited(t, database);
    assert.equal(await signIns(25), 20);
    const refused = await service.post('/api/login', { username: 'nobody', password: 'x' });
    assert.deepEqual([refused.status, refused.body.code], [429, 429]);
    assert.equal(refused.headers['retry-after'], '900');
    assert.equal(refused.headers['ratelimit-policy'], '"auth";q=20;w=900');
    assert.equal(refused.headers.ratelimit, '"auth";r=0;t=900');
    const invalid = await service.post('/api/register', undefined, { raw: 'not json' });
    assert.equal(invalid.status, 429);
    assert.equal(await passed(61, '/api/push/public-key'), 60);
    pass(15 * MINUTE_MS - 1);
    assert.equal(await signIns(1), 0);
    pass(1);
    assert.equal(await signIns(25), 20);
  });

  test('8 Counted per user once a token is valid, and per address otherwise', async (t) => {
    const { service, join, passed } = await startLimited(t, database);
    const [alice, bob] = [await join('alice'), await join('bob')];
    // Both have the same address; then alice moves to another.
    assert.equal(await passed(61, '/api/user/blocked', { token: alice.token }), 60);
    assert.equal(await passed(1, '/api/user/blocked', { token: alice.token, from: '203.0.113.1' }), 0);
    const login = await service.post(
      '/api/login',
      { username: 'alice', password: 'secret1' },
      { from: '203.0.113.1' },
    );
    assert.equal(await passed(1, '/api/user/blocked', { token: login.body.data.token }), 0);
    assert.equal(await passed(61, '/api/user/blocked', { token: bob.token }), 60);
    assert.equal(await passed(30, '/api/push/public-key'), 30);
    assert.equal(await passed(31, '/api/user/blocked', { token: 'nonsense' }), 30);
  });

  test('8 Counted per address: IPv6 by /64, mapped IPv4 as IPv4, forwarded headers only from TRUST_PROXY', async (t) => {
    const { passed } = await startLimited(t, database, { TRUST_PROXY: '10.0.0.0/8' });
    const path = '/api/push/public-key';
    assert.equal(await passed(40, path, { from: '2001:db8:1:2::1' }), 40);
    assert.equal(await passed(40, path, { from: '2001:db8:1:2:ffff::9' }), 20);
    assert.equal(await passed(1, path, { from: '2001:db8:1:3::1' }), 1);
    assert.equal(await passed(40, path, { from: '192.0.2.1' }), 40);
    assert.equal(await passed(40, path, { from: '::ffff:192.0.2.1' }), 20);
    const forwarded = (value: string, from: string) => ({ from, headers: { 'x-forwarded-for': value } });
    assert.equal(await passed(1, path, forwarded('203.0.113.7', '192.0.2.1')), 0);
    assert.equal(await passed(1, path, forwarded('192.0.2.1', '10.1.2.3')), 0);
    assert.equal(await passed(1, path, forwarded('203.0.113.7, 192.0.2.1', '10.1.2.3')), 0);
    assert.equal(await passed(61, path, forwarded('203.0.113.7', '10.1.2.3')), 60);
  });
});

// The other limits may admit up to a tenth more over several nodes, and their tests move a clock that is not Redis'.
onEachDeployment('8 Limits that are exact on any number of nodes', (database) => {
  test('8 /api/register and /api/login: successes count as well', async (t) => {
    const { service } = await startLimited(t, database);
    const body = { username: 'alice', password: 'secret1' };
    assert.equal((await service.post('/api/register', body)).status, 200);
    for (let i = 0; i < 19; i++) assert.equal((await service.post('/api/login', body)).status, 200);
    assert.equal((await service.post('/api/login', body)).status, 429);
    assert.equal((await service.post('/api/register', { ...body, username: 'bob' })).status, 429);
  });

  test('8 Counted per address: a token gives no further login attempts', async (t) => {
    const { join, signIns } = await startLimited(t, database);
    const alice = await join('alice');
    assert.equal(await signIns(15), 15);
    assert.equal(await signIns(15, { token: alice.token }), 5);
    assert.equal(await signIns(21, { from: '203.0.113.1' }), 20);
  });

  test('8 Lengths: username 2 to 32, password 6 to 128 at registration, new password at least 6', async (t) => {
    const service = await startService(t, database);
    const register = async (username: string, password: string) =>
      (await service.post('/api/register', { username, password })).status;
    assert.equal(await register('a', 'secret'), 400);
    assert.equal(await register('ab', 'secret'), 200);
    assert.equal(await register('b'.repeat(32), 'secret'), 200);
    assert.equal(await register('b'.repeat(33), 'secret'), 400);
    assert.equal(await register('carol', '12345'), 400);
    assert.equal(await register('carol', '1'.repeat(129)), 400);
    assert.equal(await register('carol', '1'.repeat(128)), 200);
    const { token, password: oldPassword } = await service.join('dave');
    const change = async (newPassword: string) =>
      (await service.post('/api/user/change-password', { oldPassword, newPassword }, { token })).status;
    assert.equal(await change('12345'), 400);
    assert.equal(await change('123456'), 200);
  });
});
