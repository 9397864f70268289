import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { rmSync } from 'node:fs';
import { test } from 'node:test';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { onEachDatabase, onPostgres, onSqlite } from '../../test/databases.ts';
import { eventually } from '../../test/eventually.ts';
import { startService } from '../../test/harness.ts';
import { settingsOf, startServer } from '../../test/processes.ts';
import { fillDisk, findSmallDisk } from '../../test/small-disk.ts';

onEachDatabase('Whether the service is alive and ready', (database) => {
  test('it is both, without a token or a limit', async (t) => {
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
    service.app.lifecycle.phase = 'draining';
    const { status, text } = await service.get('/readyz');
    assert.deepEqual([status, text], [503, '{"code":503,"error":"draining","msg":"服务未就绪"}']);
    assert.equal((await service.get('/healthz')).status, 200);
  });

  test('without its database it is alive and not ready', async (t) => {
    const service = await startService(t, database);
    await service.services.db[Symbol.asyncDispose]();
    const { status, text } = await service.get('/readyz');
    assert.deepEqual([status, text], [503, '{"code":503,"error":"database","msg":"服务未就绪"}']);
    assert.equal((await service.get('/healthz')).status, 200);
    const warned = service.logLines.map((line) => JSON.parse(line)).filter(({ level }) => level === 40);
    assert.equal(warned.at(-1).msg, 'not ready: the database cannot be used');
  });
});

onPostgres('Whether the service is ready', (database) => {
  for (const [fault, code] of [
    ['the disk is full', '53100'],
    ['the disk fails', '58030'],
    ['it is read-only', '25006'],
  ] as const)
    test(`when ${fault} it is not, until one of its own probes is written`, async (t) => {
      const service = await startService(t, database);
      const { db } = service.services;
      const { token } = await service.join('alice');
      // A trigger raises the server's error when a table is written.
      await db.changeSchema(async (tx) => {
        await tx.script(`create function refuse() returns trigger language plpgsql as
          $$ begin raise exception 'no write' using errcode = '${code}'; end $$`);
        for (const table of ['users', 'service'])
          await tx.script(
            `create trigger refuse before insert or update on ${table} execute function refuse()`,
          );
      });
      assert.equal((await service.get('/readyz')).status, 200, 'nothing has failed yet');
      assert.equal((await service.post('/api/user/profile', { bio: 'new' }, { token })).status, 500);
      const { status, text } = await service.get('/readyz');
      assert.deepEqual([status, text], [503, '{"code":503,"error":"database","msg":"服务未就绪"}']);
      assert.equal((await service.get('/api/users', { token })).status, 200);

      await db.changeSchema(async (tx) => {
        for (const table of ['users', 'service']) await tx.script(`drop trigger refuse on ${table}`);
      });
      await eventually(async () => (await service.get('/readyz')).status === 200, 30_000);
      assert.equal((await service.post('/api/user/profile', { bio: 'new' }, { token })).status, 200);
    });

  test('it stays ready after refusals and violated constraints', async (t) => {
    const service = await startService(t, database);
    const { db } = service.services;
    await service.join('alice');
    const again = { username: 'alice', password: 'password' };
    assert.equal((await service.post('/api/register', again)).status, 400);
    await db.run`insert into service (name, value) values ('twice', '')`;
    await assert.rejects(db.run`insert into service (name, value) values ('twice', '')`, { code: '23505' });
    assert.equal((await service.get('/readyz')).status, 200);
  });
});

const disk = findSmallDisk();
onSqlite('Whether the service is ready', () => {
  test('on a full disk it is not, until there is space again, and reads are served meanwhile', {
    skip: disk.skip,
  }, async () => {
    const within = [
      'unshare',
      ...disk.args,
      'sh',
      '-c',
      'mount -t tmpfs -o size=12m none /mnt && exec "$@"',
      'sh',
    ];
    await using server = await startServer(settingsOf({ dataDir: '/mnt/data' }), within);
    const filler = `/proc/${server.child.pid}/root/mnt/filler`;
    const alice = { username: 'alice', password: 'password' };
    const { token } = (await server.post('/api/register', alice)).body.data;
    assert.equal((await server.get('/readyz')).status, 200);

    fillDisk(filler);
    const write = (n: number) => server.post('/api/user/profile', { bio: `${n}`.repeat(200) }, token);
    for (let n = 0; (await write(n)).status === 200; n++);
    const { status, body } = await server.get('/readyz');
    assert.deepEqual([status, body], [503, { code: 503, error: 'database', msg: '服务未就绪' }]);
    assert.equal((await server.get('/api/users', token)).status, 200);

    rmSync(filler);
    await eventually(async () => (await server.get('/readyz')).status === 200, 30_000);
    await server.logged('the database takes writes again');
    assert.equal((await write(1)).status, 200);
  });
});

onSqlite('The reference page', (database) => {
  test('it loads only files of this service, and may load nothing else', async (t) => {
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

  test('its address with a slash leads to it', async (t) => {
    const service = await startService(t, database);
    const { statusCode, headers } = await service.app.inject('/docs/');
    assert.deepEqual([statusCode, headers.location], [308, '/docs']);
  });

  test('its script and the description are sent compressed, and once to a client that keeps them', async (t) => {
    const service = await startService(t, database);
    const get = (url: string, headers = {}) => service.app.inject({ url, headers });
    for (const url of ['/openapi.json', '/docs/reference.js']) {
      const plain = await get(url);
      assert.equal(plain.headers['content-encoding'], undefined);
      for (const [accepted, coding, expand] of [
        ['gzip, deflate, br, zstd', 'br', brotliDecompressSync],
        ['gzip;q=0.5, br;q=0', 'gzip', gunzipSync],
      ] as const) {
        const small = await get(url, { 'accept-encoding': accepted });
        assert.equal(small.headers['content-encoding'], coding);
        assert.equal(small.headers.vary, 'Accept-Encoding');
        assert.equal(expand(small.rawPayload).equals(plain.rawPayload), true);
        assert.ok(small.rawPayload.length < plain.rawPayload.length / 3);
      }
      const etag = String(plain.headers.etag);
      assert.equal(plain.headers['cache-control'], 'no-cache');
      for (const known of [etag, `"other", ${etag}`, '*']) {
        const again = await get(url, { 'if-none-match': known, 'accept-encoding': 'br' });
        assert.deepEqual([again.statusCode, again.payload, again.headers.etag], [304, '', etag]);
      }
      assert.equal((await get(url, { 'if-none-match': 'W/"other"' })).statusCode, 200);
    }
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
