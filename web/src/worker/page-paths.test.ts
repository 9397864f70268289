import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { PAGE_PATHS } from '../../../src/page/page-paths.ts';
import { isPagePath, toPagePath } from './page-paths.ts';

const ORIGIN = 'https://chat.example.org';
const ID = '0199c6f1-2a34-7000-8abc-0123456789ab';

test('the places of the page are those that the service serves', () => {
  for (const place of PAGE_PATHS) {
    assert.equal(isPagePath(place.replace(/:\w+/, ID)), true, place);
    assert.equal(isPagePath(`${place}/x/y`), false, place);
  }
});

test('what the service answers otherwise is not, nor is what it does not know', () => {
  const served = ['/api/messages', '/api', '/ws', '/docs', '/docs/', '/openapi.json', '/healthz', '/sw.js'];
  const unknown = ['', '//', '//evil.example', '/chat', '/chat/', '/chat/a/b', '/people/', '/Chat/a', '/x'];
  const files = ['/assets/page-abc.js', '/icons/icon.svg', '/manifest.webmanifest', '/favicon.ico'];
  for (const path of [...served, ...unknown, ...files, `/chat/${'x'.repeat(300)}`])
    assert.equal(isPagePath(path), false, path);
});

test('a notification leads to its conversation, named whole or by its path', () => {
  assert.equal(toPagePath(`${ORIGIN}/chat/${ID}`, ORIGIN), `/chat/${ID}`);
  assert.equal(toPagePath(`/chat/${ID}`, ORIGIN), `/chat/${ID}`);
  assert.equal(toPagePath(`${ORIGIN}/chat/%E4%BD%A0`, ORIGIN), '/chat/%E4%BD%A0');
  assert.equal(toPagePath(`${ORIGIN}/`, ORIGIN), '/');
});

test('here, whatever name the service goes by', () => {
  for (const navigate of [
    'https://evil.example/chat/1',
    'http://localhost:3000/chat/1',
    'https://chat.example.org:8443/chat/1',
    'https://chat.example.org@evil.example/chat/1',
    '//evil.example/chat/1',
    '/\\evil.example/chat/1',
    'file:///chat/1',
  ])
    assert.equal(toPagePath(navigate, ORIGIN), '/chat/1', navigate);
});

test('and never anywhere else', () => {
  for (const navigate of [
    'https://evil.example/login',
    `${ORIGIN}//evil.example/`,
    'javascript:alert(1)',
    'data:text/html,<script>alert(1)</script>',
    'blob:https://chat.example.org/chat/1',
    'http://',
    `${ORIGIN}/api/logout`,
    `${ORIGIN}/chat/../api/logout`,
    `${ORIGIN}/chat/%2e%2e/docs`,
    '',
    undefined,
    null,
    8030,
    { toString: () => '/chat/1' },
    ['/chat/1'],
  ])
    assert.equal(toPagePath(navigate, ORIGIN), '/', String(navigate));
});

test('neither a query nor a fragment comes along', () => {
  assert.equal(toPagePath(`${ORIGIN}/chat/1?token=a#b`, ORIGIN), '/chat/1');
});

test('whatever is asked for, opening what comes of it stays on the page', () => {
  const parts = fc.constantFrom(
    '/',
    '\\',
    '.',
    '..',
    ':',
    '@',
    '%2f',
    '%2e',
    'chat',
    'api',
    'evil.example',
    'https:',
  );
  const addresses = fc.oneof(
    fc.webUrl(),
    fc.string({ unit: 'binary' }),
    fc.array(fc.oneof(parts, fc.string())).map((all) => all.join('')),
    fc.webPath().map((path) => ORIGIN + path),
  );
  fc.assert(
    fc.property(addresses, (navigate) => {
      const opened = new URL(toPagePath(navigate, ORIGIN), ORIGIN);
      assert.equal(opened.origin, ORIGIN);
      assert.ok(isPagePath(opened.pathname));
    }),
    { numRuns: 2_000 },
  );
});
