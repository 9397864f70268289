import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assetsNamedIn, classifyRequest, isCacheable } from './shell-requests.ts';

const ORIGIN = 'https://chat.example.org';
const FILES = ['/assets/page-abc.js', '/assets/page-abc.css'];

test('the worker answers requests for paths of the page', () => {
  for (const path of ['/', '/?a=b', '/chat/alice', '/people?show=requests&q=a', '/settings/log', '/sign-in'])
    assert.equal(classify(path, { mode: 'navigate' }), 'page', path);
});

test('the worker answers requests for files of its build, of any kind', () => {
  for (const mode of ['cors', 'no-cors', 'same-origin'])
    for (const path of [...FILES, '/assets/page-abc.js?x'])
      assert.equal(classify(path, { mode }), 'file', path);
});

test('the worker leaves everything else to the network: the API in any spelling, other origins', () => {
  const own = [
    '/api/messages',
    '/api/../api/users',
    '/ws',
    '/docs',
    '/docs/',
    '/openapi.json',
    '/readyz',
    '/sw.js',
  ];
  const other = [
    '/assets/page-old.js',
    '/assets/',
    '/icons/icon.svg',
    '/manifest.webmanifest',
    '/chat/../api/users',
    '/nowhere',
    '/settings/nowhere',
    '/people/',
    '/people/%ED%A0%80',
  ];
  for (const path of [...own, ...other])
    for (const mode of ['navigate', 'cors', 'no-cors', 'same-origin'])
      assert.equal(classify(path, { mode }), 'none', `${mode} ${path}`);
  for (const origin of ['https://evil.example', 'http://chat.example.org', 'https://chat.example.org:8443'])
    for (const path of ['/', '/assets/page-abc.js'])
      for (const mode of ['navigate', 'cors'])
        assert.equal(classifyRequest({ method: 'GET', url: origin + path, mode }, ORIGIN, FILES), 'none');
});

test('a path of the page that a script fetches goes to the service', () => {
  assert.equal(classify('/', { mode: 'cors' }), 'none');
});

test('the worker answers only GET', () => {
  for (const method of ['HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS'])
    for (const mode of ['navigate', 'cors']) {
      assert.equal(classify('/', { method, mode }), 'none');
      assert.equal(classify('/assets/page-abc.js', { method, mode }), 'none');
    }
});

test('a response is cacheable if it is complete, same-origin and not redirected', () => {
  const good = { status: 200, type: 'basic', redirected: false } as const;
  assert.equal(isCacheable(good), true);
  for (const status of [0, 204, 206, 301, 304, 401, 404, 429, 500, 503])
    assert.equal(isCacheable({ ...good, status }), false, String(status));
  for (const type of ['opaque', 'opaqueredirect', 'cors', 'error'] as const)
    assert.equal(isCacheable({ ...good, type }), false, type);
  assert.equal(isCacheable({ ...good, redirected: true }), false);
});

test('a document names the files of its build, those that are loaded later, and what stands in it', () => {
  const html = `<head><link rel="icon" href="/icons/icon.svg"><link rel="modulepreload" crossorigin href="/assets/shared-1.js">
    <link data-parts="chat" data-href="/assets/chat-2.js"><style data-file="/assets/page-3.css">a{}</style></head>
    <body><script type="module" data-file="/assets/start-4.js">import"/assets/shared-1.js"</script></body>`;
  assert.deepEqual(assetsNamedIn(html), [
    '/assets/shared-1.js',
    '/assets/chat-2.js',
    '/assets/page-3.css',
    '/assets/start-4.js',
  ]);
  assert.deepEqual(assetsNamedIn(''), []);
});

function classify(path: string, { method = 'GET', mode }: { method?: string; mode: string }) {
  return classifyRequest({ method, url: ORIGIN + path, mode }, ORIGIN, FILES);
}
