import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isDeclined } from './invitation.ts';

const NOW = Date.UTC(2026, 10, 21);
const DAY_MS = 24 * 60 * 60 * 1000;

test('after a no the invitation stays away for 30 days', () => {
  assert.equal(isDeclined(String(NOW), NOW), true);
  assert.equal(isDeclined(String(NOW - 29 * DAY_MS), NOW), true);
  assert.equal(isDeclined(String(NOW - 30 * DAY_MS), NOW), false);
});

test('nothing kept, nothing of use, and a moment that is still to come are no answer', () => {
  for (const stored of [null, '', 'never', '{}', String(NOW + DAY_MS)])
    assert.equal(isDeclined(stored, NOW), false, String(stored));
});
