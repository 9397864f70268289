import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ConversationView } from '../chat/model/views.ts';
import { hasReceived, isDeclined } from './invitation.ts';

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

const SENT: ConversationView = {
  peer: 'bob',
  last: { n: 1, from: 'alice', cid: '1', body: 'Hello', at: NOW },
  pending: undefined,
  lastState: 'stored',
  at: NOW,
  unread: 0,
  ownRead: 0,
  isBlocked: false,
  pinnedAt: 0,
  isMuted: false,
  isArchived: false,
  isMarkedUnread: false,
};

test('a user is invited once another user has written to them, and not for what they wrote themselves', () => {
  const received = { n: 2, from: 'bob', cid: '2', body: 'Hello!', at: NOW };
  assert.equal(hasReceived([]), false);
  assert.equal(hasReceived([SENT]), false);
  assert.equal(hasReceived([SENT, { ...SENT, last: received, unread: 1 }]), true);
  assert.equal(hasReceived([{ ...SENT, ownRead: 2 }]), true, 'the user has answered since');
  assert.equal(hasReceived([{ ...SENT, last: received, isBlocked: true }]), false);
});
