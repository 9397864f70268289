import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openPasswords } from '../../src/accounts/passwords.ts';
import { onSqlite } from '../databases.ts';
import { type Call, startService, type TestService } from '../harness.ts';
import { addUser } from '../people.ts';
import { assertRefused } from './envelope.ts';
import { apiRoutes } from './surface.ts';

/** The limits of interface 8, on a clock that does not move. They do not use the database. */
onSqlite('Bad input: ways around the limits', (database) => {
  const env = { RATE_LIMIT_API: '60/1m', RATE_LIMIT_AUTH: '20/15m' };
  const world = { monotonicMs: () => 1_000_000 };

  /** Calls until a refusal, at most 80 times. @returns how many calls were accepted */
  async function countPassing(
    service: TestService,
    next: (n: number) => [path: string, call?: Call],
  ): Promise<number> {
    for (let passed = 0; passed < 80; passed++) {
      const [path, call] = next(passed);
      const answer = await service.call(call?.body ? 'POST' : 'GET', path, call);
      if (answer.status !== 429) continue;
      assertRefused(answer, 429, path, path.replace('%70ush', 'push'));
      assert.ok(Number(answer.headers['retry-after']) >= 1);
      return passed;
    }
    return 80;
  }

  test('all spellings of a path share one count, known or not', async (t) => {
    const service = await startService(t, database, { env, world });
    const { id, token } = await service.join('alice');
    const spellings = [
      '/api/users',
      '/%61pi/users',
      '/api/user%73',
      '/api/users?limit=1',
      '/api/users#x',
      '/api/users/',
      '/api/nothing',
      '/%61%70%69/nothing',
      '/api//users',
      '/api/push/%70ublic-key',
      `/api/user/profile/${id}`,
      '/api/user/profile/%zz',
      '/%61pi/user/profile/%ff',
      `/api/user/profile/${'x'.repeat(101)}`,
    ];
    assert.equal(await countPassing(service, (n) => [spellings[n % spellings.length] ?? '', { token }]), 60);
    for (const path of spellings) assert.equal((await service.get(path, { token })).status, 429, path);
  });

  test('a path outside /api/ reaches no route under /api/', async (t) => {
    const service = await startService(t, database, { env, world });
    const { token } = await service.join('alice');
    for (const path of ['//api/users', '/API/users', '/Api/users', '/api%2Fusers', '/x/../api%2fusers'])
      assert.equal((await service.get(path, { token })).body.error, 'route_not_found', path);
    assert.equal(await countPassing(service, () => ['/healthz']), 80);
  });

  test('a user whose id is an address is counted apart from that address', async (t) => {
    const service = await startService(t, database, { env, world });
    const { db } = service.services;
    const id = '203.0.113.5';
    await addUser(db, id, { id, password_hash: await openPasswords({ cost: 4 }).hash('password') });
    const { body } = await service.post('/api/login', { username: id, password: 'password' });
    const { token } = body.data;
    assert.equal(await countPassing(service, () => ['/api/options', { from: id }]), 60);
    assert.equal(await countPassing(service, () => ['/api/users', { token }]), 60);
  });

  test('X-Forwarded-For and similar headers from an untrusted peer are ignored', async (t) => {
    const service = await startService(t, database, { env, world });
    const forged = (n: number): Call => ({
      headers: {
        'x-forwarded-for': `203.0.113.${n}`,
        'x-real-ip': `203.0.113.${n}`,
        forwarded: `for=203.0.113.${n}`,
        'true-client-ip': `203.0.113.${n}`,
        'cf-connecting-ip': `203.0.113.${n}`,
      },
      from: '198.51.100.7',
    });
    assert.equal(await countPassing(service, (n) => ['/api/push/public-key', forged(n)]), 60);
  });

  test('behind a trusted proxy each client counts, and addresses it forged do not', async (t) => {
    const service = await startService(t, database, { env: { ...env, TRUST_PROXY: '10.0.0.0/8' }, world });
    const through =
      (client: string) =>
      (n: number): [string, Call] => [
        '/api/push/public-key',
        { headers: { 'x-forwarded-for': `203.0.113.${n}, ${client}` }, from: '10.0.0.1' },
      ];
    assert.equal(await countPassing(service, through('198.51.100.7')), 60);
    assert.equal(await countPassing(service, through('198.51.100.8')), 60);
  });

  test('all addresses of one IPv6 /64 count as one, and mapped IPv4 as IPv4', async (t) => {
    const service = await startService(t, database, { env, world });
    const get = (from: string): [string, Call] => ['/api/push/public-key', { from }];
    assert.equal(await countPassing(service, (n) => get(`2001:db8:1:2:${n.toString(16)}::${n + 1}`)), 60);
    assert.equal(await countPassing(service, () => get('2001:db8:1:3::1')), 60);
    const both = (n: number) => get(n % 2 ? '198.51.100.9' : '::ffff:198.51.100.9');
    assert.equal(await countPassing(service, both), 60);
  });

  test('an invalid token gives no count of its own', async (t) => {
    const service = await startService(t, database, { env, world });
    const { token } = await service.join('alice');
    const forged = (n: number): Call => ({
      headers: { authorization: `Bearer ${token}${n}` },
      from: '198.51.100.7',
    });
    assert.equal(await countPassing(service, (n) => ['/api/users', forged(n)]), 60);
  });

  test('each signed-in user has a count of their own, whatever their address', async (t) => {
    const service = await startService(t, database, { env, world });
    const [alice, bob] = [await service.join('alice'), await service.join('bob')];
    assert.equal(
      await countPassing(service, (n) => ['/api/users', { token: alice.token, from: `198.51.100.${n}` }]),
      60,
    );
    assert.equal(
      await countPassing(service, () => ['/api/users', { token: bob.token, from: '198.51.100.1' }]),
      60,
    );
    const { body } = await service.post('/api/login', { username: 'alice', password: alice.password });
    const second = await service.get('/api/users', { token: body.data.token });
    assert.equal(second.status, 429, 'another session is the same user');
  });

  test('registrations and logins share one count for each address, apart from the others', async (t) => {
    const service = await startService(t, database, { env, world });
    const { token } = await service.join('alice');
    const from = '198.51.100.7';
    const tries = (n: number): [string, Call] =>
      n % 2
        ? ['/api/login', { body: { username: 'alice', password: `wrong ${n}` }, token, from }]
        : [n % 4 ? '/api/register' : '/api/%72egister', { body: { username: 'x' }, from }];
    assert.equal(await countPassing(service, tries), 20);
    assert.equal(await countPassing(service, () => ['/api/push/public-key', { from }]), 60);
    const elsewhere = { username: 'alice', password: 'password-of-alice' };
    assert.equal((await service.post('/api/login', elsewhere, { from: '198.51.100.8' })).status, 200);
  });

  test('a refused call does not count, and waiting for Retry-After is enough', async (t) => {
    let now = 0;
    const service = await startService(t, database, { env, world: { monotonicMs: () => now } });
    const get = () => service.get('/api/push/public-key');
    for (let n = 0; n < 60; n++) {
      assert.equal((await get()).status, 200);
      now += 500;
    }
    for (let n = 0; n < 20; n++) {
      const { status, headers } = await get();
      assert.deepEqual([status, headers['retry-after']], [429, '30']);
    }
    now += 30_000;
    assert.equal((await get()).status, 200);
    assert.equal((await get()).status, 429, 'only one was over');
  });

  test('every answer under /api/ has the headers of the limits', async (t) => {
    const service = await startService(t, database, {
      env: { RATE_LIMIT_API: '900/1m', RATE_LIMIT_AUTH: '90/15m' },
      world,
    });
    const { id, token } = await service.join('alice');
    const calls: [method: string, path: string, call: Call][] = [
      ['GET', '/api/nothing', {}],
      ['GET', '/api/user/profile/%zz', {}],
      ['GET', `/api/user/profile/${'x'.repeat(101)}`, { token }],
      ['DELETE', '/api/users', { token }],
    ];
    for (const { method, path } of apiRoutes(service.app))
      for (const call of [{}, { token }, { token, raw: '{' }])
        calls.push([method, path.replace(':userId', id), call]);
    for (const [method, path, call] of calls) {
      const { headers } = await service.call(method, path, call);
      const seen = `${method} ${path} ${headers.ratelimit}`;
      if (/register|login|password-link|forgot|keep/.test(path))
        assert.match(String(headers['ratelimit-policy']), /^"auth";q=90;w=900$/, seen);
      else assert.match(String(headers['ratelimit-policy']), /^"api";q=900;w=60$/, seen);
      assert.match(String(headers.ratelimit), /^"(api|auth)";r=\d+;t=\d+$/, seen);
    }
  });
});
