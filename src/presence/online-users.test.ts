import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PRESENT } from '../../test/present.ts';
import { type ConnectionHere, OnlineUsers } from './online-users.ts';

const IDLE = { ...PRESENT, isActive: false, isAttentive: false };

/** The users of all nodes, with what its listeners are told. */
function start() {
  const online = new OnlineUsers();
  const changes: string[] = [];
  const here: string[] = [];
  online.onChange((userId, isOnline, disconnect) => {
    assert.equal(online.isOnline(userId), isOnline, 'it has taken effect');
    const how = [disconnect?.saidGoodbye && ' by bye', disconnect?.wasIdle && ', was idle'];
    const state = isOnline ? (online.isIdle(userId) ? 'idle' : 'active') : 'offline';
    changes.push(`${userId} ${state}${how.filter(Boolean).join('')}`);
  });
  online.onHere((userId, change, _at, saidGoodbye) =>
    here.push(`${userId} ${change}${saidGoodbye ? ' by bye' : ''}`),
  );
  return { online, changes, here };
}

test('a user is online from the first connection to the close of the last', () => {
  const { online, changes } = start();
  const [first, second] = [{ ...PRESENT }, { ...PRESENT }];
  online.remove('alice', first);
  online.add('alice', first);
  online.add('alice', second);
  online.add('bob', PRESENT);
  assert.deepEqual(online.onlineIds(), ['alice', 'bob']);
  online.remove('alice', first);
  online.remove('alice', first);
  assert.equal(online.isOnline('alice'), true);
  online.remove('alice', second);
  assert.equal(online.isOnline('alice'), false);
  assert.deepEqual(changes, ['alice active', 'bob active', 'alice offline']);
});

test('a user is online while any node has a connection of theirs, and idle while none of these is active', () => {
  const { online, changes } = start();
  online.add('alice', IDLE);
  online.setElsewhere('b', 'alice', [PRESENT, IDLE]);
  online.setElsewhere('b', 'alice', [PRESENT, IDLE]);
  online.setElsewhere('c', 'bob', [PRESENT]);
  assert.deepEqual(online.onlineIds(), ['alice', 'bob']);
  online.remove('alice', IDLE);
  online.setElsewhere('b', 'alice', [IDLE]);
  online.setElsewhere('b', 'alice', [], true);
  online.setElsewhere('c', 'bob', []);
  online.setElsewhere('c', 'bob', []);
  assert.deepEqual(changes, [
    'alice idle',
    'alice active',
    'bob active',
    'alice idle',
    'alice offline by bye, was idle',
    'bob offline',
  ]);
  assert.deepEqual(online.onlineIds(), []);
});

test('changes of the connections to this process are told apart from those of other nodes', () => {
  const { online, here } = start();
  const connection: { -readonly [Key in keyof ConnectionHere]: ConnectionHere[Key] } = { ...PRESENT };
  online.setElsewhere('b', 'alice', [PRESENT]);
  online.add('alice', connection);
  online.add('alice', PRESENT);
  online.update('alice', connection, () => {});
  online.update('alice', connection, () => {
    connection.isAttentive = false;
  });
  online.remove('alice', PRESENT, true);
  online.remove('alice', connection, true);
  assert.deepEqual(here, [
    'alice first',
    'alice other',
    'alice other',
    'alice other by bye',
    'alice last by bye',
  ]);
  assert.deepEqual([online.here('alice'), online.idsHere(), online.isOnline('alice')], [[], [], true]);
});

test('it names the connections of other nodes, and the users of each', () => {
  const { online } = start();
  online.setElsewhere('b', 'alice', [PRESENT, IDLE]);
  online.setElsewhere('b', 'alice', [IDLE]);
  online.setElsewhere('c', 'alice', [{ ...PRESENT, sessionId: 'other' }]);
  online.setElsewhere('c', 'bob', [IDLE]);
  assert.deepEqual(
    online.elsewhere('alice').map(({ node, isActive }) => [node, isActive]),
    [
      ['b', false],
      ['c', true],
    ],
  );
  online.add('alice', PRESENT);
  assert.deepEqual(online.sessionsOf('alice'), ['session', 'session', 'other']);
  assert.deepEqual([online.idsOn('b'), online.idsOn('c')], [['alice'], ['alice', 'bob']]);
});

test('of more than ten connections the oldest are closed, by the node that has them', () => {
  const { online } = start();
  const closed: number[] = [];
  const open = (openedAt: number) => {
    const connection: ConnectionHere = {
      ...PRESENT,
      openedAt,
      displace() {
        closed.push(openedAt);
        online.remove('alice', connection);
      },
    };
    online.add('alice', connection);
  };
  for (const openedAt of [10, 11, 12]) open(openedAt);
  online.setElsewhere('b', 'alice', Array(8).fill({ ...PRESENT, openedAt: 9 }));
  assert.deepEqual(closed, [], 'the oldest are on the other node');
  online.setElsewhere('b', 'alice', Array(8).fill({ ...PRESENT, openedAt: 20 }));
  assert.deepEqual(closed, [], 'the other node has no more than before');
  open(13);
  assert.deepEqual(closed, [10, 11]);
  online.setElsewhere('b', 'alice', Array(9).fill({ ...PRESENT, openedAt: 20 }));
  assert.deepEqual(closed, [10, 11, 12]);
});

test('a device may be attentive on any node, and anywhere while the other nodes are not heard', () => {
  const { online } = start();
  let hearsOthers = true;
  online.hearOthersWhile(() => hearsOthers);
  online.add('alice', PRESENT);
  online.setElsewhere('b', 'bob', [PRESENT]);
  online.setElsewhere('b', 'carol', [IDLE]);
  const attentive = () => ['alice', 'bob', 'carol', 'dave'].filter((id) => online.mayBeAttentive(id));
  assert.deepEqual(attentive(), ['alice', 'bob']);
  hearsOthers = false;
  assert.deepEqual(attentive(), ['alice', 'bob', 'carol', 'dave']);
});

test('all who listen to changes of connections get the same time', () => {
  let now = 0;
  const online = new OnlineUsers(() => ++now);
  const times: [string, number][] = [];
  for (let i = 0; i < 2; i++) online.onHere((_userId, change, at) => times.push([change, at]));
  online.add('alice', PRESENT);
  online.remove('alice', PRESENT);
  assert.deepEqual(times, [
    ['first', 1],
    ['first', 1],
    ['last', 2],
    ['last', 2],
  ]);
});
