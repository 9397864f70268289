import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { onEachDatabase, onSqlite } from '../../test/databases.ts';
import { startService } from '../../test/harness.ts';

onEachDatabase('Whether the service is alive and ready', (database) => {
  test('it is both, for anybody, uncounted', async (t) => {
    const service = await startService(t, database, { env: { RATE_LIMIT_API: '1/1m' } });
    for (let n = 0; n < 3; n++)
      for (const path of ['/healthz', '/readyz']) {
        const { status, text, headers } = await service.get(path);
        assert.deepEqual([status, text], [200, '{"code":200}']);
        assert.equal(headers.ratelimit, undefined);
      }
  });

  test('while it stops it is alive and not ready', async (t) => {
    const service = await startService(t, database);
    service.services.readiness.draining = true;
    const { status, text } = await service.get('/readyz');
    assert.deepEqual([status, text], [500, '{"code":500,"error":"draining","msg":"服务未就绪"}']);
    assert.equal((await service.get('/healthz')).status, 200);
  });

  test('without its database it is alive and not ready', async (t) => {
    const service = await startService(t, database);
    await service.services.db[Symbol.asyncDispose]();
    const { status, text } = await service.get('/readyz');
    assert.deepEqual([status, text], [500, '{"code":500,"error":"database","msg":"服务未就绪"}']);
    assert.equal((await service.get('/healthz')).status, 200);
    const warned = service.logLines.map((line) => JSON.parse(line)).filter(({ level }) => level === 40);
    assert.equal(warned.at(-1).msg, 'not ready: the database does not answer');
  });
});

onSqlite('The reference page', (database) => {
  test('everything that it loads comes from here, and it may load nothing else', async (t) => {
    const service = await startService(t, database);
    const { statusCode, headers, payload } = await service.app.inject('/docs');
    assert.equal(statusCode, 200);
    assert.equal(headers['content-type'], 'text/html; charset=utf-8');
    const loaded = [...payload.matchAll(/\s(?:src|href)="([^"]*)"/g)].map(([, url]) => url);
    assert.deepEqual(loaded, ['/docs/reference.js']);
    assert.doesNotMatch(payload, /https?:/);
    assert.match(payload, /"url": "\/openapi\.json"/);

    const policy = String(headers['content-security-policy']);
    const inline = /<script type="text\/javascript">([\s\S]*?)<\/script>/.exec(payload)?.[1] ?? '';
    const hash = createHash('sha256').update(inline).digest('base64');
    assert.deepEqual(policy.split('; '), [
      "default-src 'none'",
      `script-src 'self' 'sha256-${hash}'`,
      "style-src 'unsafe-inline'",
      "img-src 'self' data:",
      "font-src 'self' data:",
      "connect-src 'self'",
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
    ]);
  });

  test('its script comes with the package', async (t) => {
    const service = await startService(t, database);
    const { statusCode, headers, payload } = await service.app.inject('/docs/reference.js');
    assert.equal(statusCode, 200);
    assert.equal(headers['content-type'], 'text/javascript; charset=utf-8');
    assert.ok(payload.includes('createApiReference') && payload.length > 1_000_000);
    for (const name of ['x-request-id', 'x-content-type-options']) assert.ok(headers[name], name);
  });
});
