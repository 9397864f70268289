import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isLoopback } from './loopback.ts';

test('an address of this machine alone is known as such', () => {
  const isLocal = (host: string) => isLoopback(new URL(`http://${host}:3000/`).hostname);
  for (const host of [
    'localhost',
    'LOCALHOST',
    'chat.localhost',
    'localhost.',
    '127.0.0.1',
    '127.1',
    '127.255.255.254',
    '[::1]',
    '[0:0:0:0:0:0:0:1]',
    '[::ffff:127.0.0.1]',
  ])
    assert.ok(isLocal(host), host);
  for (const host of [
    'chat.example.org',
    'localhost.example.org',
    'notlocalhost',
    '128.0.0.1',
    '192.168.1.2',
    '127.0.0.1.example.org',
    '[::2]',
    '[fe80::1]',
  ])
    assert.ok(!isLocal(host), host);
});
