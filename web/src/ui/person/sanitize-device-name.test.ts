import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sanitizeDeviceName } from './sanitize-device-name.ts';

test('a device that is known by name stays as it is', () => {
  for (const name of ['Firefox on Linux', 'Linux 上的 Firefox', 'curl/8.5.0', ''])
    assert.equal(sanitizeDeviceName(name), name);
});

test('the name that a device gave itself neither changes the direction of a sentence nor fills the page', () => {
  assert.equal(sanitizeDeviceName('a\u202eevil\u2066\u200b\n\tb'), 'a evil b');
  assert.equal(sanitizeDeviceName('\u202e\u2066'), '');
  assert.equal(sanitizeDeviceName('שלום'), '\u2068שלום\u2069');
  assert.equal(sanitizeDeviceName('😀'.repeat(200)), `${'😀'.repeat(60)}…`);
});
