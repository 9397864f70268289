import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { brotliCompressSync, brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib';
import { onSqlite } from '../../test/databases.ts';
import { startService, type TestService } from '../../test/harness.ts';

const HTML = '<!doctype html><title>Doorman</title><script type="module" src="/assets/page-abc.js"></script>';
/** What browsers send when a user opens an address. */
const BROWSER = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' };
const SCRIPT = `console.log(${JSON.stringify('x'.repeat(2_000))});`;

onSqlite('The page', (database) => {
  test('each of its paths is the same document', async (t) => {
    const { app } = await startWithPage(t);
    const paths = ['/', '/?a=b', '/chat/0199', '/people', '/people/0199', '/settings', '/settings/log'];
    for (const url of [...paths, '/sign-in', '/sign-up', '/chat/%E4%BD%A0']) {
      const { statusCode, headers, payload } = await app.inject(url);
      assert.deepEqual([statusCode, payload], [200, HTML], url);
      assert.equal(headers['content-type'], 'text/html; charset=utf-8');
      assert.equal(headers['cache-control'], 'no-cache');
    }
  });

  test('where a password manager sends its user leads to the settings of sign-in', async (t) => {
    const { app } = await startWithPage(t);
    const { statusCode, headers } = await app.inject('/.well-known/change-password');
    assert.deepEqual([statusCode, headers.location], [302, '/settings/security']);
    assert.equal((await app.inject(String(headers.location))).statusCode, 200);
  });

  test('every other path is a 404, for programs in the envelope', async (t) => {
    const { app } = await startWithPage(t);
    const strange = [
      '/index.html',
      '/x',
      '/chat',
      '/chat/a/b',
      '/settings/a/b',
      '/settings/nowhere',
      '/sign-in/',
      '/people/',
      '/package.json',
    ];
    const files = ['/assets', '/assets/', '/assets/none.js', '/icons/none.png', '/favicon.ico', '/sw.js/'];
    const inside = ['/assets/../index.html', '/assets/.hidden.js', '/assets/deep/er.js', '/assets/deep'];
    for (const url of [...strange, ...files, ...inside])
      assertRefused(await app.inject(url), 404, 'route_not_found', url);
  });

  test('a browser that opens an unknown address gets the document with 404', async (t) => {
    const { app } = await startWithPage(t);
    const known = await app.inject({ url: '/people', headers: BROWSER });
    const unknown = [
      '/x',
      '/x?file=a.js',
      '/chat',
      '/chat/a/b',
      '/people/',
      '/settings/nowhere',
      '/apis',
      '/%61',
    ];
    // The router cannot decode these, or takes them for too long.
    const unreadable = ['/people/%ED%A0%80', '/chat/%zz', '/%ff', `/people/${'x'.repeat(101)}`];
    for (const url of [...unknown, ...unreadable]) {
      const answer = await app.inject({ url, headers: BROWSER });
      assert.deepEqual([answer.statusCode, answer.payload], [404, HTML], url);
      for (const name of PAGE_HEADERS)
        assert.equal(`${answer.headers[name]}`, `${known.headers[name]}`, `${name} of ${url}`);
      assert.ok(answer.headers['x-request-id']);
      assert.match(String(answer.headers.vary), /\bAccept\b/);
      const head = await app.inject({ method: 'HEAD', url, headers: BROWSER });
      assert.deepEqual([head.statusCode, head.payload], [404, ''], url);
      assert.equal(Number(head.headers['content-length']), HTML.length);
      // A 304 would stand for the answer that the browser has, of another path and with 200.
      const etag = String(known.headers.etag);
      const again = await app.inject({ url, headers: { ...BROWSER, 'if-none-match': etag } });
      assert.deepEqual([again.statusCode, again.payload, again.headers.etag], [404, HTML, undefined], url);
    }
  });

  test('programs, files and the paths of other rooms keep the envelope', async (t) => {
    const { app } = await startWithPage(t);
    const weights = [
      'text/html;q=0',
      'application/json, text/html',
      'text/html;q=0.5, application/json;q=0.9',
    ];
    for (const accept of [...weights, '*/*', 'application/json', 'text/*', 'text/htmlx', ''])
      assertRefused(await app.inject({ url: '/x', headers: { accept } }), 404, 'route_not_found', accept);
    for (const accept of ['application/json', undefined]) {
      const answer = await app.inject({ url: '/x', headers: { ...(accept && { accept }) } });
      assert.match(String(answer.headers.vary), /\bAccept\b/, 'a cache must not send it to a browser');
    }
    const rooms = [
      '/api',
      '/api/x',
      '/API/users',
      '//api/users',
      '/api%2Fusers',
      '/ws/x',
      '/docs/x',
      '/metrics',
    ];
    const files = [
      '/assets/none.js',
      '/assets/none',
      '/icons/none',
      '/index.html',
      '/a/b.txt',
      '/.well-known/x',
    ];
    for (const url of [...rooms, ...files])
      assertRefused(await app.inject({ url, headers: BROWSER }), 404, 'route_not_found', url);
    for (const url of ['/api/%zz', '/assets/%ff', '/docs/%zz'])
      assertRefused(await app.inject({ url, headers: BROWSER }), 400, 'malformed_request', url);
    for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS'] as const)
      assertRefused(
        await app.inject({ method, url: '/x', headers: BROWSER }),
        404,
        'route_not_found',
        method,
      );
  });

  test('no spelling of a path leaves its folder', async (t) => {
    const { app } = await startWithPage(t);
    const ways = ['..%2f..%2fsecret.txt', '%2e%2e%2f%2e%2e%2fsecret.txt', '..%5c..%5csecret.txt'];
    const odd = [
      '%2fetc%2fpasswd',
      '....//secret.txt',
      '..%252fsecret.txt',
      'page-abc.js%20',
      'C%3a%5csecret',
    ];
    for (const name of [...ways, ...odd])
      assertRefused(await app.inject(`/assets/${name}`), 404, 'route_not_found', name);
    for (const name of ['%zz', '%ff', '%c0%ae%c0%ae%2fsecret.txt', 'x'.repeat(101)])
      for (const folder of ['assets', 'icons', 'chat']) {
        const url = `/${folder}/${name}`;
        assertRefused(await app.inject(url), 400, 'malformed_request', url);
      }
  });

  test('it runs, loads and calls only its own origin, except pictures', async (t) => {
    const { app } = await startWithPage(t, { PUBLIC_URL: 'https://chat.example.org' });
    for (const url of ['/', '/chat/0199', '/sw.js']) {
      const { headers } = await app.inject(url);
      assert.deepEqual(String(headers['content-security-policy']).split('; '), [
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' blob: https:",
        "font-src 'self'",
        "connect-src 'self' wss://chat.example.org",
        "manifest-src 'self'",
        "worker-src 'self'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
      ]);
      assert.equal(headers['x-content-type-options'], 'nosniff');
      assert.equal(headers['referrer-policy'], 'no-referrer');
      assert.equal(headers['cross-origin-opener-policy'], 'same-origin');
      assert.match(String(headers['permissions-policy']), /(^|, )camera=\(\), .*geolocation=\(\), /);
      assert.equal(headers['strict-transport-security'], 'max-age=31536000');
      assert.ok(headers['x-request-id']);
    }
  });

  test('of inline scripts and styles, it allows those of its document alone', async (t) => {
    const { app, pageFolder } = await startWithPage(t);
    const policyOf = async (url: string, headers = {}) => {
      const policy = String((await app.inject({ url, headers })).headers['content-security-policy']);
      return policy.split('; ').filter((part) => /^(?:script|style)-src /.test(part));
    };
    const hash = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
    for (const [script, style] of [
      ['one()', 'a{}'],
      ['let s="<style>"\ntwo(s)', 'b{}'],
    ] as const) {
      const html = `<style data-file="x">${style}</style><script src="/a.js"></script><script type="module">${script}</script>`;
      await writeFile(join(pageFolder, 'index.html'), html);
      const allowed = [`script-src 'self' ${hash(script)}`, `style-src 'self' ${hash(style)}`];
      assert.deepEqual(await policyOf('/chat/0199'), allowed);
      assert.deepEqual(await policyOf('/x', BROWSER), allowed);
      assert.deepEqual(await policyOf('/sw.js'), ["script-src 'self'", "style-src 'self'"]);
    }
  });

  test('its files, opened by themselves, run and load nothing', async (t) => {
    const { app } = await startWithPage(t, { PUBLIC_URL: 'https://chat.example.org' });
    for (const url of ['/assets/page-abc.js', '/assets/none.js', '/icons/192.png']) {
      const { headers } = await app.inject(url);
      assert.equal(headers['content-security-policy'], "default-src 'none'", url);
      assert.equal(headers['x-content-type-options'], 'nosniff');
      assert.equal(headers['strict-transport-security'], 'max-age=31536000');
      assert.ok(headers['x-request-id']);
    }
  });

  test('over http it names its own socket, and does not require https', async (t) => {
    const { app } = await startWithPage(t, { PUBLIC_URL: 'http://chat.example.org:3000' });
    const { headers } = await app.inject('/');
    assert.match(String(headers['content-security-policy']), /img-src 'self' blob: https: http:;/);
    assert.match(
      String(headers['content-security-policy']),
      /connect-src 'self' ws:\/\/chat\.example\.org:3000;/,
    );
    assert.equal(headers['strict-transport-security'], undefined);
  });

  test('a hashed file is immutable, other files are revalidated', async (t) => {
    const { app } = await startWithPage(t);
    const hashed = await app.inject('/assets/page-abc.js');
    assert.deepEqual([hashed.statusCode, hashed.payload], [200, SCRIPT]);
    assert.equal(hashed.headers['cache-control'], 'public, max-age=31536000, immutable');
    for (const [url, type] of [
      ['/sw.js', /^(text|application)\/javascript; charset=utf-8$/],
      ['/manifest.webmanifest', /^application\/manifest\+json/],
      ['/asyncapi.yaml', /^text\/yaml; charset=utf-8$/],
      ['/icons/192.png', /^image\/png$/],
      ['/screenshots/wide.webp', /^image\/webp$/],
    ] as const) {
      const { statusCode, headers } = await app.inject(url);
      assert.equal(statusCode, 200, url);
      assert.equal(headers['cache-control'], 'no-cache', url);
      assert.match(String(headers['content-type']), type);
    }
  });

  test('a file that the browser has cached is not sent again', async (t) => {
    const { app, pageFolder } = await startWithPage(t);
    for (const url of ['/', '/people', '/sw.js', '/assets/page-abc.js']) {
      const { etag } = (await app.inject(url)).headers;
      assert.ok(etag, url);
      const again = await app.inject({ url, headers: { 'if-none-match': String(etag) } });
      assert.deepEqual([again.statusCode, again.payload], [304, ''], url);
      assert.ok(again.headers['content-security-policy']);
      const other = await app.inject({ url, headers: { 'if-none-match': '"other"' } });
      assert.equal(other.statusCode, 200, url);
    }
    const { etag } = (await app.inject('/')).headers;
    await writeFile(join(pageFolder, 'index.html'), `${HTML}<p>new</p>`);
    const changed = await app.inject({ url: '/', headers: { 'if-none-match': String(etag) } });
    assert.deepEqual([changed.statusCode, changed.payload], [200, `${HTML}<p>new</p>`]);
  });

  test('it is compressed for clients that accept it, and plain for others', async (t) => {
    const { app } = await startWithPage(t);
    const url = '/assets/page-abc.js';
    const etags = new Set<unknown>();
    for (const [accepted, encoding, read] of [
      ['br, gzip', 'br', brotliDecompressSync],
      ['gzip', 'gzip', gunzipSync],
      ['identity', undefined, (bytes: Buffer) => bytes],
    ] as const) {
      const { headers, rawPayload } = await app.inject({ url, headers: { 'accept-encoding': accepted } });
      assert.equal(headers['content-encoding'], encoding);
      assert.match(String(headers['content-type']), /javascript; charset=utf-8$/);
      assert.equal(headers.vary, 'accept-encoding');
      assert.equal(Number(headers['content-length']), rawPayload.length);
      assert.equal(read(rawPayload).toString(), SCRIPT);
      etags.add(headers.etag);
    }
    assert.equal(etags.size, 3);
    // Too small, so the build does not compress it.
    const { headers, payload } = await app.inject({ url: '/', headers: { 'accept-encoding': 'br, gzip' } });
    assert.deepEqual([headers['content-encoding'], payload], [undefined, HTML]);
  });

  test('HEAD answers as GET without the body', async (t) => {
    const { app } = await startWithPage(t);
    for (const url of ['/', '/chat/0199', '/sw.js', '/assets/page-abc.js']) {
      const [head, get] = [await app.inject({ method: 'HEAD', url }), await app.inject(url)];
      assert.deepEqual([head.statusCode, head.payload], [200, ''], url);
      for (const name of ['content-length', 'content-type', 'cache-control', 'etag'])
        assert.equal(head.headers[name], get.headers[name], `${name} of ${url}`);
    }
    assert.equal((await app.inject({ method: 'HEAD', url: '/assets/none.js' })).statusCode, 404);
  });

  test('conditions and ranges of a file lead to no code outside of the contract', async (t) => {
    const { app, logLines } = await startWithPage(t);
    logLines.length = 0; // a slow disk is logged at the start
    for (const [headers, code] of [
      [{ 'if-match': '"other"' }, 400],
      [{ 'if-match': '*' }, 200],
      [{ 'if-unmodified-since': 'Thu, 01 Jan 1970 00:00:00 GMT' }, 400],
      [{ 'if-modified-since': 'never' }, 200],
      [{ range: 'bytes=0-1' }, 200],
      [{ range: 'bytes=999999-' }, 200],
      [{ 'accept-encoding': '\u00ff;q=x,,*;q=0' }, 200],
    ] as const) {
      const { statusCode } = await app.inject({ url: '/assets/page-abc.js', headers });
      assert.equal(statusCode, code, JSON.stringify(headers));
    }
    assert.deepEqual(
      logLines.filter((line) => JSON.parse(line).level >= 40),
      [],
    );
  });

  test('it needs no token, and no limit counts it', async (t) => {
    const { app } = await startWithPage(t, { RATE_LIMIT_API: '1/1m' });
    for (let n = 0; n < 3; n++)
      for (const url of ['/', '/people', '/assets/page-abc.js', '/assets/none.js']) {
        const answer = await app.inject({ url, headers: { authorization: 'Bearer wrong' } });
        assert.equal(answer.statusCode, url.includes('none') ? 404 : 200);
        assert.equal(answer.headers.ratelimit, undefined);
      }
  });

  test('a service without a built page starts, and explains how to build it', async (t) => {
    const pageFolder = join(await temporaryFolder(t), 'dist');
    const service = await startService(t, database, { world: { pageFolder } });
    for (const url of ['/', '/people', '/settings/log']) {
      const answer = await service.get(url);
      assert.equal(answer.status, 404);
      assert.equal(answer.body.error, 'page_not_built');
      assert.match(answer.body.msg, /npm run setup/);
    }
    assertRefused(await service.app.inject('/sw.js'), 404, 'route_not_found', '/sw.js');
    assertRefused(await service.app.inject({ url: '/x', headers: BROWSER }), 404, 'route_not_found', '/x');
    assert.equal((await service.get('/api/push/public-key')).status, 200);

    await writePage(pageFolder);
    assert.equal((await service.app.inject('/')).payload, HTML);
  });

  async function startWithPage(
    t: TestContext,
    env: Record<string, string> = {},
  ): Promise<TestService & { pageFolder: string }> {
    const folder = await temporaryFolder(t);
    const pageFolder = join(folder, 'web', 'dist');
    await writePage(pageFolder);
    await writeFile(join(folder, 'secret.txt'), 'secret');
    return { ...(await startService(t, database, { env, world: { pageFolder } })), pageFolder };
  }
});

const PAGE_HEADERS = [
  'cache-control',
  'content-length',
  'content-security-policy',
  'content-type',
  'cross-origin-opener-policy',
  'permissions-policy',
  'referrer-policy',
  'x-content-type-options',
];

async function writePage(folder: string): Promise<void> {
  const files: [path: string, content: string | Buffer][] = [
    ['index.html', HTML],
    ['sw.js', SCRIPT],
    ['manifest.webmanifest', '{}'],
    ['asyncapi.yaml', 'asyncapi: 3.0.0'],
    ['icons/192.png', 'png'],
    ['screenshots/wide.webp', 'webp'],
    ['assets/page-abc.js', SCRIPT],
    ['assets/page-abc.js.br', brotliCompressSync(SCRIPT)],
    ['assets/page-abc.js.gz', gzipSync(SCRIPT)],
    ['assets/.hidden.js', SCRIPT],
    ['assets/deep/er.js', SCRIPT],
  ];
  for (const [path, content] of files) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), content);
  }
}

async function temporaryFolder(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'doorman-page-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

function assertRefused(
  { statusCode, headers, payload }: { statusCode: number; headers: object; payload: string },
  code: number,
  word: string,
  what: string,
): void {
  assert.equal(statusCode, code, what);
  assert.equal(new Map(Object.entries(headers)).get('content-type'), 'application/json; charset=utf-8', what);
  const body = JSON.parse(payload);
  assert.deepEqual([body.code, body.error], [code, word], what);
}
