import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openConnection } from '../../test/bad-input/raw-connection.ts';
import { onSqlite } from '../../test/databases.ts';
import { startService } from '../../test/harness.ts';

onSqlite('Pages of other origins', (database) => {
  const env = { ORIGINS: 'https://app.example.com,http://localhost:5173', RATE_LIMIT_API: '3/1m' };
  const cors = (headers: Record<string, unknown>) =>
    Object.fromEntries(Object.entries(headers).filter(([name]) => name.startsWith('access-control')));

  test('a page of an allowed origin may call, and read the headers', async (t) => {
    const service = await startService(t, database, { env });
    for (const origin of ['https://app.example.com', 'http://localhost:5173']) {
      const { status, headers } = await service.get('/api/push/public-key', { headers: { origin } });
      assert.equal(status, 200);
      assert.deepEqual(cors(headers), {
        'access-control-allow-origin': origin,
        'access-control-expose-headers':
          'Device-Proof, RateLimit, RateLimit-Policy, Retry-After, X-Request-Id',
      });
      assert.equal(headers.vary, 'Origin');
    }
  });

  test('it may read refusals too', async (t) => {
    const service = await startService(t, database, { env });
    const headers = { origin: 'https://app.example.com' };
    const paths = ['/api/users', '/api/nothing', '/api/user/profile/unknown', '/api/users'];
    for (const [n, path] of paths.entries()) {
      const answer = await service.get(path, { headers });
      assert.equal(answer.status, [401, 404, 404, 429][n]);
      assert.equal(answer.headers['access-control-allow-origin'], 'https://app.example.com');
    }
  });

  test('it may read the answer where a path cannot be decoded', async (t) => {
    const service = await startService(t, database, { env });
    for (const [origin, allowed] of [
      ['https://app.example.com', 'https://app.example.com'],
      ['https://evil.example', undefined],
    ]) {
      const headers = { ...(origin && { origin }) };
      const answer = await service.get('/api/user/profile/%ff', { headers });
      assert.equal(answer.status, 400);
      assert.equal(answer.headers['access-control-allow-origin'], allowed);
      assert.equal(answer.headers.vary, 'Origin');
    }
  });

  test('it may read the answer to a head that is too large, wherever its origin is', async (t) => {
    const service = await startService(t, database, { env });
    const url = new URL(await service.app.listen({ port: 0, host: '127.0.0.1' }));
    const start = 'GET /api/users HTTP/1.1\r\nHost: localhost\r\n';
    const large = `X: ${'x'.repeat(20_000)}\r\n`;
    const second = 'http://localhost:5173';
    for (const [parts, allowed] of [
      [[`${start}origin:${second}\r\n${large}\r\n`], second],
      [[`${start}${large}Origin: ${second}\r\n\r\n`], second],
      [[`${start}Origin: https://evil.example\r\n${large}\r\n`], undefined],
      [[`${start}X: ${'x'.repeat(10_000)}\r\n`, `${large}\r\n`], 'https://app.example.com'],
    ] as const) {
      using connection = await openConnection(Number(url.port));
      for (const part of parts) {
        connection.write(part);
        await new Promise((resolve) => setImmediate(resolve));
      }
      const answer = await connection.answer();
      assert.equal(answer.status, 400);
      assert.equal(answer.headers['access-control-allow-origin'], allowed);
      assert.equal(answer.headers.vary, 'Origin');
    }
  });

  test('its preflight request is answered, and does not count', async (t) => {
    const service = await startService(t, database, { env });
    for (let n = 0; n < 5; n++) {
      const answer = await service.call('OPTIONS', '/api/user/profile', {
        headers: {
          origin: 'https://app.example.com',
          'access-control-request-method': 'POST',
          'access-control-request-headers': 'authorization,content-type',
        },
      });
      assert.deepEqual([answer.status, answer.body], [200, { code: 200 }]);
      assert.deepEqual(cors(answer.headers), {
        'access-control-allow-origin': 'https://app.example.com',
        'access-control-expose-headers':
          'Device-Proof, RateLimit, RateLimit-Policy, Retry-After, X-Request-Id',
        'access-control-allow-methods': 'GET, HEAD, POST',
        'access-control-allow-headers': 'Authorization, Content-Type, Device-Proof',
        'access-control-max-age': '600',
      });
      assert.ok(answer.headers['x-request-id']);
      assert.equal(answer.headers['x-content-type-options'], 'nosniff');
    }
  });

  test('a page of any other origin gets no headers, in any spelling of its origin', async (t) => {
    const service = await startService(t, database, { env: { ...env, RATE_LIMIT_API: 'off' } });
    const others = [
      'https://app.example.com.evil.example',
      'https://evil.example',
      'http://app.example.com',
      'https://APP.example.com',
      'https://app.example.com/',
      'https://app.example.com:444',
      'null',
      '*',
      '',
    ];
    for (const origin of others) {
      const answer = await service.get('/api/push/public-key', { headers: { origin } });
      assert.deepEqual(cors(answer.headers), {}, origin);
      assert.equal(answer.headers.vary, 'Origin');
      const preflight = await service.call('OPTIONS', '/api/login', {
        headers: { origin, 'access-control-request-method': 'POST' },
      });
      assert.deepEqual([preflight.status, cors(preflight.headers)], [404, {}], origin);
    }
  });

  test('without ORIGINS no page may call', async (t) => {
    const service = await startService(t, database);
    const headers = { origin: 'https://app.example.com', 'access-control-request-method': 'POST' };
    const answer = await service.call('OPTIONS', '/api/login', { headers });
    assert.deepEqual([answer.status, cors(answer.headers), answer.headers.vary], [404, {}, undefined]);
  });
});
