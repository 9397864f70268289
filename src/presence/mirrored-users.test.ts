import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MirroredUsers, type UserOfNode } from './mirrored-users.ts';
import { OnlineUsers } from './online-users.ts';

/** A user with these connections of a node, the oldest of them opened at 1000. */
function having(sockets: number, fields: Partial<UserOfNode> = {}): UserOfNode {
  return { sockets, active: sockets, isAttentive: true, oldestAt: 1000, ...fields };
}

function startMirror() {
  const union = new OnlineUsers();
  const times: [kind: 'note' | 'hear', userId: string, at: number][] = [];
  const lastSeen = {
    note: (userId: string, at: number) => void times.push(['note', userId, at]),
    hear: (userId: string, at: number) => void times.push(['hear', userId, at]),
  };
  const changes: string[] = [];
  union.onChange((userId, isOnline, disconnect) =>
    changes.push(
      `${userId} ${isOnline ? 'online' : `offline${disconnect?.saidGoodbye ? ' by bye' : ''}${disconnect?.wasIdle ? ', was idle' : ''}`}`,
    ),
  );
  union.onActivity((userId) => changes.push(`${userId} ${union.isIdle(userId) ? 'idle' : 'active'}`));
  return { union, mirror: new MirroredUsers(union, lastSeen, () => 5000), changes, times };
}

test('a user is online while any node has a connection of theirs, and idle while none of these is active', () => {
  const { union, mirror, changes } = startMirror();
  union.connected('alice', false);
  mirror.set('b', 'alice', having(2, { active: 1 }));
  mirror.set('b', 'alice', having(2, { active: 1 }));
  mirror.set('c', 'bob', having(1));
  assert.deepEqual(union.onlineIds(), ['alice', 'bob']);
  union.disconnected('alice', false);
  mirror.set('b', 'alice', having(1, { active: 0 }));
  mirror.remove('b', 'alice', { at: 3000, saidGoodbye: true });
  mirror.remove('c', 'bob', { at: 3000, saidGoodbye: false });
  mirror.remove('c', 'bob', { at: 3000, saidGoodbye: false });
  assert.deepEqual(changes, [
    'alice online',
    'alice active',
    'bob online',
    'alice idle',
    'alice offline by bye, was idle',
    'bob offline',
  ]);
  assert.deepEqual(union.onlineIds(), []);
});

test('the node that had a user writes when they left; when it is lost, the others do', async () => {
  const { union, mirror, times } = startMirror();
  mirror.set('b', 'alice', having(1));
  mirror.remove('b', 'alice', { at: 3000, saidGoodbye: false });
  assert.deepEqual(times, [['hear', 'alice', 3000]]);
  const ids = Array.from({ length: 1500 }, (_, i) => `user-${i}`);
  for (const id of ids) mirror.set('c', id, having(1));
  union.connected('user-0');
  const dropped = mirror.drop('c', true);
  assert.equal(union.isOnline('user-1499'), true, 'other work has its turn between thousands');
  await dropped;
  assert.deepEqual(union.onlineIds(), ['user-0']);
  const noted = times.slice(1);
  assert.deepEqual([noted.length, noted[0]], [1499, ['note', 'user-1', 5000]]);
});

test('it names the nodes of a user, and whether one of them has an attentive device', () => {
  const { mirror } = startMirror();
  mirror.set('b', 'alice', having(1, { isAttentive: false }));
  mirror.set('c', 'alice', having(1));
  mirror.set('c', 'bob', having(1, { isAttentive: false }));
  assert.deepEqual(mirror.nodesOf('alice'), ['b', 'c']);
  assert.deepEqual([mirror.isAttentive('alice'), mirror.isAttentive('bob')], [true, false]);
  mirror.keepOnly('c', new Set(['bob']));
  assert.deepEqual(mirror.nodesOf('alice'), ['b']);
  assert.equal(mirror.isAttentive('alice'), false);
  assert.deepEqual(mirror.nodesOf('carol'), []);
});

test('of connections of the same moment, that of the node with the lesser name is the oldest', () => {
  const { mirror } = startMirror();
  const more: string[] = [];
  mirror.onMoreSockets((userId) => more.push(userId));
  mirror.set('b', 'alice', having(3, { oldestAt: 1000 }));
  mirror.set('b', 'alice', having(2, { oldestAt: 2000 }));
  mirror.set('c', 'alice', having(4, { oldestAt: 3000 }));
  assert.deepEqual(more, ['alice', 'alice'], 'the second has fewer than before');
  assert.equal(mirror.countOf('alice'), 6);
  mirror.ownName = 'a';
  assert.deepEqual(
    [1999, 2000, 2001].map((at) => mirror.hasOlder('alice', at)),
    [false, false, true],
  );
  mirror.ownName = 'c';
  assert.equal(mirror.hasOlder('alice', 2000), true);
  assert.equal(mirror.hasOlder('bob', 2000), false);
});
