import assert from 'node:assert/strict';
import type { IncomingMessage } from 'node:http';
import { test } from 'node:test';
import { hasValidHost } from './host.ts';

const isValid = (hosts: readonly string[], httpVersion = '1.1') =>
  hasValidHost({
    httpVersion,
    headers: { host: hosts[0] },
    rawHeaders: hosts.flatMap((host, i) => ['Accept', '*/*', i % 2 ? 'HOST' : 'Host', host]),
  } as unknown as IncomingMessage); // all that is read of it

test('a host is a name or an address, with or without a port', () => {
  for (const host of [
    'chat.example.com',
    'localhost:3000',
    '127.0.0.1',
    '[::1]:80',
    'a_b',
    'a%20b',
    'x:',
    '',
  ])
    assert.equal(isValid([host]), true, host);
});

test('anything else is refused', () => {
  for (const host of [
    'a b',
    'a/b',
    'user@a',
    'a:b',
    'a:1:2',
    'a,b',
    '[::1',
    '[x]',
    'a%zz',
    'a?b',
    'a"',
    '\u00e4',
    'a\tb',
  ])
    assert.equal(isValid([host]), host === 'a,b', host);
});

test('a host is named once, and by HTTP/1.0 at most once', () => {
  assert.equal(isValid(['a', 'a']), false);
  assert.equal(isValid([]), false);
  assert.equal(isValid([], '1.0'), true);
  assert.equal(isValid(['a', 'b'], '1.0'), false);
});
