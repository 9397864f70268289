import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Presence } from './presence.ts';

test('a user is online from the first connection to the close of the last', () => {
  const presence = new Presence();
  assert.equal(presence.isOnline('alice'), false);
  presence.connected('alice');
  presence.connected('alice');
  presence.connected('bob');
  assert.deepEqual(presence.onlineIds(), ['alice', 'bob']);
  presence.disconnected('alice');
  assert.equal(presence.isOnline('alice'), true);
  presence.disconnected('alice');
  assert.equal(presence.isOnline('alice'), false);
  assert.equal(presence.isOnline('bob'), true);
  assert.deepEqual(presence.onlineIds(), ['bob']);
});

test('a change is told once, when it is true already', () => {
  const presence = new Presence();
  const told: [string, boolean, boolean][] = [];
  presence.onChange((userId, online) => told.push([userId, online, presence.isOnline(userId)]));
  presence.connected('alice');
  presence.connected('alice');
  presence.disconnected('alice');
  presence.disconnected('alice');
  assert.deepEqual(told, [
    ['alice', true, true],
    ['alice', false, false],
  ]);
});

test('somebody who is not there cannot leave', () => {
  const presence = new Presence();
  let told = 0;
  presence.onChange(() => told++);
  presence.disconnected('alice');
  assert.equal(told, 0);
  presence.connected('alice');
  assert.equal(presence.isOnline('alice'), true);
});
