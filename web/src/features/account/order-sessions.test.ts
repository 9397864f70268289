import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { SessionEntry } from 'doorman-client';
import { orderSessions } from './order-sessions.ts';

function session(id: string, fields: Partial<SessionEntry>): SessionEntry {
  return { id, device: '', address: '', create_time: 0, last_used: 0, current: 0, active: 0, ...fields };
}

test('this device is the first, then those in use, then the others by their last use', () => {
  const sessions = [
    session('newest', { create_time: 9, last_used: 9 }),
    session('long unused', { create_time: 8, last_used: 8 }),
    session('in use', { create_time: 1, last_used: 7, active: 1 }),
    session('older, used later', { create_time: 2, last_used: 10 }),
    session('as late, but newer', { create_time: 3, last_used: 9 }),
    session('this one', { create_time: 1, last_used: 1, current: 1, active: 1 }),
  ];
  assert.deepEqual(
    orderSessions(sessions).map(({ id }) => id),
    ['this one', 'in use', 'older, used later', 'newest', 'as late, but newer', 'long unused'],
  );
});
