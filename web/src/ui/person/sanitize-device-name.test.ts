import assert from 'node:assert/strict';
import { test } from 'node:test';
import { tameDevice } from './sanitize-device-name.ts';

test('a device that is known by name stays as it is', () => {
  for (const name of ['Firefox on Linux', 'Linux 上的 Firefox', 'curl/8.5.0', ''])
    assert.equal(tameDevice(name), name);
});

test('what a device calls itself turns no sentence and fills no page', () => {
  assert.equal(tameDevice('a\u202eevil\u2066\u200b\n\tb'), 'a evil b');
  assert.equal(tameDevice('\u202e\u2066'), '');
  assert.equal(tameDevice('שלום'), '\u2068שלום\u2069');
  assert.equal(tameDevice('😀'.repeat(200)), `${'😀'.repeat(60)}…`);
});
