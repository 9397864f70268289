import assert from 'node:assert/strict';
import { test } from 'node:test';
import { OnlineUsers } from './online-users.ts';

test('a user is online from the first connection to the close of the last', () => {
  const online = new OnlineUsers();
  assert.equal(online.isOnline('alice'), false);
  online.connected('alice');
  online.connected('alice');
  online.connected('bob');
  assert.deepEqual(online.onlineIds(), ['alice', 'bob']);
  online.disconnected('alice');
  assert.equal(online.isOnline('alice'), true);
  online.disconnected('alice');
  assert.equal(online.isOnline('alice'), false);
  assert.equal(online.isOnline('bob'), true);
  assert.deepEqual(online.onlineIds(), ['bob']);
});

test('listeners are notified of a change once, after it has taken effect', () => {
  const online = new OnlineUsers();
  const changes: [userId: string, online: boolean, isOnline: boolean][] = [];
  online.onChange((userId, isNowOnline) => changes.push([userId, isNowOnline, online.isOnline(userId)]));
  online.connected('alice');
  online.connected('alice');
  online.disconnected('alice');
  online.disconnected('alice');
  assert.deepEqual(changes, [
    ['alice', true, true],
    ['alice', false, false],
  ]);
});

test('the disconnect of a user who is not online changes nothing', () => {
  const online = new OnlineUsers();
  let changes = 0;
  online.onChange(() => changes++);
  online.disconnected('alice');
  assert.equal(changes, 0);
  online.connected('alice');
  assert.equal(online.isOnline('alice'), true);
});
