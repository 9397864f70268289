import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { PAGE_PATHS } from '../../src/page/page-paths.ts';
import { anyPath, anyText, anyUrl } from '../../test/any-text.ts';
import { OWN_IDS } from '../../test/ids.ts';
import {
  backFromProfile,
  chatPath,
  isPagePath,
  parsePath,
  peerOfChat,
  profilePath,
  toPagePath,
} from './paths.ts';

const ORIGIN = 'https://chat.example.org';
const ID = '0199c6f1-2a34-7000-8abc-0123456789ab';

test('a section shows its list, a path below it shows the page', () => {
  assert.deepEqual(parsePath('/'), { section: 'chats', isDeep: false, isChat: false });
  for (const path of ['/new', '/requests', '/archived'])
    assert.deepEqual(parsePath(path), { section: 'chats', isDeep: false, isChat: false });
  assert.deepEqual(parsePath('/people'), { section: 'people', isDeep: false, isChat: false });
  assert.deepEqual(parsePath('/people/0199'), { section: 'people', isDeep: true, isChat: false });
  assert.deepEqual(parsePath('/settings/log'), { section: 'settings', isDeep: true, isChat: false });
});

test('only a conversation takes the space of the navigation bar', () => {
  assert.deepEqual(parsePath('/chat/0199'), { section: 'chats', isDeep: true, isChat: true });
});

test('an unknown path is deep, so that narrow screens show that it is not found', () => {
  for (const path of ['/nowhere', '/people/', '/PEOPLE', '/chat', '/settings/nowhere', '/people/%ED%A0%80'])
    assert.deepEqual(parsePath(path), { section: 'chats', isDeep: true, isChat: false }, path);
});

test('an id stays one part of a path, whatever it is', () => {
  assert.equal(profilePath('a/../b?c#d'), '/people/a%2F..%2Fb%3Fc%23d');
  assert.equal(chatPath('0199-ab'), '/chat/0199-ab');
});

test('an id of any form is in the path of its chat and profile, however its characters are escaped', () => {
  for (const id of OWN_IDS) {
    const escaped = id.replace(/\W/g, (character) => `%${character.charCodeAt(0).toString(16)}`);
    for (const spelling of [id, encodeURIComponent(id), escaped]) {
      const path = toPagePath(`${ORIGIN}/chat/${spelling}`, ORIGIN);
      assert.equal(new URL(path, ORIGIN).pathname, path);
      assert.equal(peerOfChat(path), id, spelling);
      // What the router finds.
      assert.equal(decodeURI(path), `/chat/${id}`);
      if (spelling !== escaped) assert.equal(path, chatPath(id));
    }
    assert.equal(decodeURI(profilePath(id)), `/people/${id}`);
    assert.equal(backFromProfile(id, `${ORIGIN}${chatPath(id)}`), chatPath(id));
  }
  for (const path of ['/people/42', '/', '/chat', '/settings/log', '/chat/%ED%A0%80'])
    assert.equal(peerOfChat(path), undefined);
});

test('a profile leads back to the chat with its user or to the list of chats if that was the page before', () => {
  assert.equal(backFromProfile('bob', 'https://doorman.example/chat/bob'), '/chat/bob');
  assert.equal(backFromProfile('bob', 'https://doorman.example/'), '/');
  assert.equal(backFromProfile('bob', 'https://doorman.example/chat/carol'), undefined);
  assert.equal(backFromProfile('bob', 'https://doorman.example/people?q=bob'), undefined);
  for (const unknown of [undefined, null, '', 'about'])
    assert.equal(backFromProfile('bob', unknown), undefined);
});

test('the paths of the page are those that the service serves', () => {
  for (const path of PAGE_PATHS) {
    assert.equal(isPagePath(path.replace(/:\w+/, ID)), true, path);
    assert.equal(isPagePath(`${path}/x/y`), false, path);
  }
});

test('other paths that the service answers are no paths of the page, nor are unknown ones', () => {
  const served = ['/api/messages', '/api', '/ws', '/docs', '/docs/', '/openapi.json', '/healthz', '/sw.js'];
  const unknown = ['', '//', '//evil.example', '/chat', '/chat/', '/chat/a/b', '/people/', '/Chat/a', '/x'];
  const other = ['/settings/nowhere', '/people?q=a', '/people/a?b', '/chat/%zz', '/people/%ED%A0%80'];
  const files = ['/assets/page-abc.js', '/icons/icon.svg', '/manifest.webmanifest', '/favicon.ico'];
  const long = [`/chat/${'x'.repeat(101)}`, `/people/${'%41'.repeat(10_000)}`];
  for (const path of [...served, ...unknown, ...other, ...files, ...long])
    assert.equal(isPagePath(path), false, path);
});

test('a path of the page may have escaped letters', () => {
  for (const path of ['/chat/%E4%BD%A0', '/people/%00', '/p%65ople', `/chat/${'%E4%BD%A0'.repeat(100)}`])
    assert.equal(isPagePath(path), true, path.slice(0, 40));
});

test('a notification opens its conversation, given as an address or a path', () => {
  assert.equal(toPagePath(`${ORIGIN}/chat/${ID}`, ORIGIN), `/chat/${ID}`);
  assert.equal(toPagePath(`/chat/${ID}`, ORIGIN), `/chat/${ID}`);
  assert.equal(toPagePath(`${ORIGIN}/chat/%E4%BD%A0`, ORIGIN), '/chat/%E4%BD%A0');
  assert.equal(toPagePath(`${ORIGIN}/`, ORIGIN), '/');
});

test('a notification opens the path under the origin of the page, whichever origin it names', () => {
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

test('a notification with anything else opens the first page', () => {
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

test('a notification opens neither a query nor a fragment', () => {
  assert.equal(toPagePath(`${ORIGIN}/chat/1?token=a#b`, ORIGIN), '/chat/1');
});

test('whatever a notification names, the page is opened', () => {
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
    anyUrl('http', 'https'),
    anyText(),
    fc.array(fc.oneof(parts, fc.string())).map((all) => all.join('')),
    anyPath().map((path) => ORIGIN + path),
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
