import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readRetryAfterMs } from './retry-after.ts';

const NOW = Date.UTC(2026, 10, 22, 8, 0, 0);
const MINUTE = 60_000;

test('Retry-After in seconds may have any number of digits (RFC 9110 10.2.3)', () => {
  assert.equal(readRetryAfterMs('0', NOW), 0);
  assert.equal(readRetryAfterMs('120', NOW), 120_000);
  assert.equal(readRetryAfterMs('0000000000120', NOW), 120_000);
  for (const digits of [10, 30, 400]) {
    const waitMs = readRetryAfterMs('9'.repeat(digits), NOW);
    assert(waitMs !== undefined && waitMs > 1e12, `${digits} digits`);
  }
});

test('Retry-After may be a date in each of the three forms of RFC 9110 5.6.7', () => {
  for (const [text, waitMs] of [
    ['Sun, 22 Nov 2026 08:01:00 GMT', MINUTE],
    ['Sunday, 22-Nov-26 08:01:00 GMT', MINUTE],
    ['Sun Nov 22 08:01:00 2026', MINUTE],
    ['Tue Dec  1 08:00:00 2026', 9 * 24 * 60 * MINUTE],
    ['Tue Dec 01 08:00:00 2026', 9 * 24 * 60 * MINUTE],
  ] as const)
    assert.equal(readRetryAfterMs(text, NOW), waitMs, text);
});

test('a date that is past, or now, means no wait', () => {
  for (const text of [
    'Sun, 22 Nov 2026 08:00:00 GMT',
    'Wed, 21 Oct 2015 07:28:00 GMT',
    'Sunday, 06-Nov-94 08:49:37 GMT',
    'Sun Nov  6 08:49:37 1994',
  ])
    assert.equal(readRetryAfterMs(text, NOW), 0, text);
});

test('white space around a Retry-After is ignored, and of several the longest counts', () => {
  assert.equal(readRetryAfterMs(' \t120 ', NOW), 120_000);
  assert.equal(readRetryAfterMs(' Sun, 22 Nov 2026 08:01:00 GMT\t', NOW), MINUTE);
  assert.equal(readRetryAfterMs(['30', '120', 'soon'], NOW), 120_000);
  assert.equal(readRetryAfterMs(['30', 'Sun, 22 Nov 2026 08:01:00 GMT'], NOW), MINUTE);
  assert.equal(readRetryAfterMs(['soon', ''], NOW), undefined);
  assert.equal(readRetryAfterMs([], NOW), undefined);
});

test('a Retry-After that is neither seconds nor a date counts as absent', () => {
  assert.equal(readRetryAfterMs(undefined, NOW), undefined);
  for (const text of [
    '',
    ' ',
    'soon',
    '-1',
    '+1',
    '1.5',
    '1e3',
    '0x10',
    '12 0',
    '1, 2',
    '٣',
    'Infinity',
    '2026-11-22T08:01:00Z',
    'Sun, 22 Nov 2026 08:01:00',
    'Sun, 22 Nov 2026 08:01:00 UTC',
    'Sun, 22 Nov 2026 08:01:00 +0000',
    'Sun, 22 Nov 26 08:01:00 GMT',
    'Sun, 22-Nov-26 08:01:00 GMT',
    'Sunday, 22-Nov-2026 08:01:00 GMT',
    'Sun Nov 22 08:01:00 2026 GMT',
    'Sun, 22 Foo 2026 08:01:00 GMT',
    'Sun, 00 Dec 2026 08:01:00 GMT',
    'Sun, 22 Nov 2026 08:60:00 GMT',
    'sun, 22 nov 2026 08:01:00 gmt',
  ])
    assert.equal(readRetryAfterMs(text, NOW), undefined, text);
});
