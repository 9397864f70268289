import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { onEachDatabase, onSqlite } from '../../test/databases.ts';
import { startService } from '../../test/harness.ts';

/** An address that works once: HEAD is not answered, as it would use the download up. */
const WITHOUT_HEAD = '/api/account/export';
/** These differ between two answers, or describe how a body is sent. */
const UNCOMPARED_HEADERS = ['date', 'x-request-id', 'transfer-encoding'];

onEachDatabase('HEAD', (database) => {
  test('every route that answers GET, but for the download of data, answers HEAD with the same status and headers, and no body', async (t) => {
    const pageFolder = await mkdtemp(join(tmpdir(), 'doorman-page-'));
    t.after(() => rm(pageFolder, { recursive: true }));
    await writeFile(join(pageFolder, 'index.html'), '<!doctype html>');
    const { app, join: register } = await startService(t, database, { world: { pageFolder } });
    const { id, token } = await register('alice');
    const paths = app.definedRoutes
      .filter(({ route }) => route.method === 'GET' && ![WITHOUT_HEAD, '/ws'].includes(route.url))
      .map(({ route }) => route.url.replace(':userId', id));
    assert.ok(paths.includes('/api/users') && paths.includes('/docs') && paths.includes('/people'));
    for (const url of [...paths, '/api/users?limit=1', `/api/push/test-send?userId=${id}`])
      for (const headers of [{}, { authorization: `Bearer ${token}` }]) {
        const get = await app.inject({ url, headers });
        const head = await app.inject({ method: 'HEAD', url, headers });
        assert.equal(head.statusCode, get.statusCode, url);
        assert.equal(head.payload, '', url);
        for (const name of UNCOMPARED_HEADERS) {
          delete get.headers[name];
          delete head.headers[name];
        }
        assert.deepEqual(head.headers, get.headers, url);
      }
  });

  test('HEAD counts like GET', async (t) => {
    const service = await startService(t, database, { env: { RATE_LIMIT_API: '3/1m' } });
    const { token } = await service.join('alice');
    const statuses: number[] = [];
    for (const method of ['HEAD', 'GET', 'HEAD', 'HEAD'])
      statuses.push((await service.call(method, '/api/users', { token })).status);
    assert.deepEqual(statuses, [200, 200, 200, 429]);
  });
});

onSqlite('HEAD', (database) => {
  test('the socket answers no HEAD', async (t) => {
    const service = await startService(t, database);
    assert.equal((await service.call('HEAD', '/ws')).status, 404);
  });
});
