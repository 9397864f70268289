import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { openCipher, openReader } from '../../test/ciphers.ts';
import { ManualClock } from '../../test/clocks.ts';
import { disposeAfter } from '../../test/dispose-after.ts';
import { eventually } from '../../test/eventually.ts';
import { MemoryHub } from '../../test/memory-link.ts';
import { PRESENT } from '../../test/present.ts';
import type { LastSeen } from '../presence/last-seen.ts';
import { OnlineUsers } from '../presence/online-users.ts';
import { Membership } from './membership.ts';
import { sharePresence } from './node-presence.ts';
import { NODE_TIMES } from './node-times.ts';
import { usersShape } from './own-presence.ts';

const TIMES = { ...NODE_TIMES, gatherMs: 20, snapshotPauseMs: 5, askAgainMs: 3_000 };

/** Nodes of one process that do not know each other yet. */
function startNodes(t: TestContext, count: number) {
  const [hub, clock] = [new MemoryHub(), new ManualClock()];
  const sent: string[] = [];
  const read = openReader(clock.world);
  hub.passes = (channel, bytes) => {
    sent.push(read(channel, bytes).type);
    return true;
  };
  return { hub, clock, sent, nodes: Array.from({ length: count }, () => startNode(t, hub, clock)) };
}

function startNode(t: TestContext, hub: MemoryHub, clock: ManualClock) {
  const link = hub.connect();
  const membership = new Membership(link, openCipher(clock.world), clock.world, TIMES);
  const heard: [userId: string, at: number][] = [];
  const noted: string[] = [];
  const online = new OnlineUsers(clock.world.now);
  const lastSeen: Pick<LastSeen, 'hear' | 'note'> = {
    hear: (userId, at) => void heard.push([userId, at]),
    note: (userId) => void noted.push(userId),
  };
  const presence = sharePresence(membership, { online, lastSeen }, clock.world, TIMES);
  membership.start();
  disposeAfter(t, {
    async [Symbol.asyncDispose]() {
      presence[Symbol.dispose]();
      await membership[Symbol.asyncDispose]();
    },
  });
  return { link, membership, online, heard, noted };
}

/** One node with so many users, `user-0` and so on, whose changes are all sent. */
async function startCrowd(t: TestContext, count: number) {
  const { nodes, sent, ...rest } = startNodes(t, 1);
  const [first] = nodes;
  assert(first);
  for (let i = 0; i < count; i++) first.online.add(`user-${i}`, PRESENT);
  await eventually(() => sent.filter((type) => type === 'presence').length >= Math.ceil(count / 1000));
  return { ...rest, sent, first };
}

/** Two nodes that have each other's empty snapshot. */
async function startPair(t: TestContext) {
  const { nodes, sent, ...rest } = startNodes(t, 2);
  const [first, second] = nodes;
  assert(first && second);
  await eventually(() => sent.filter((type) => type === 'presence').length === 2);
  return { ...rest, sent, first, second };
}

test('what changes on one node shows on the others', async (t) => {
  const { first, second, clock } = await startPair(t);
  const changes: string[] = [];
  second.online.onChange((userId, isOnline, disconnect) =>
    changes.push(
      `${userId} ${isOnline && second.online.isIdle(userId) ? 'idle' : isOnline}${disconnect?.saidGoodbye ? ' by bye' : ''}`,
    ),
  );
  const alice = { ...PRESENT, sessionId: 'a', openedAt: 7, isActive: false, isAttentive: false };
  first.online.add('alice', alice);
  first.online.add('bob', PRESENT);
  await eventually(() => second.online.isOnline('bob'));
  assert.equal(second.online.isIdle('alice'), true);
  first.online.update('alice', alice, () => Object.assign(alice, { isActive: true, isAttentive: true }));
  await eventually(() => second.online.mayBeAttentive('alice'));
  assert.equal(second.online.isIdle('alice'), false);
  assert.deepEqual(second.online.elsewhere('alice'), [
    { sessionId: 'a', openedAt: 7, isActive: true, isAttentive: true, node: first.membership.name },
  ]);
  first.online.remove('alice', alice, true);
  first.online.remove('bob', PRESENT);
  await eventually(() => !second.online.isOnline('bob'));
  assert.equal(second.online.mayBeAttentive('alice'), false);
  assert.deepEqual(changes.sort(), [
    'alice false by bye',
    'alice idle',
    'alice true',
    'bob false',
    'bob true',
  ]);
  assert.deepEqual(second.heard, [
    ['alice', clock.world.now()],
    ['bob', clock.world.now()],
  ]);
  assert.deepEqual(second.noted, [], 'the first node writes it');
});

test('a new node gets all users in pieces, and nodes that ask together share one snapshot', async (t) => {
  const { hub, clock } = await startCrowd(t, 2_500);
  let pieces = 0;
  const read = openReader(clock.world);
  hub.passes = (channel, bytes) => {
    const { data } = read(channel, bytes);
    if (usersShape.Check(data) && data.users.length > 0) pieces++;
    return true;
  };
  const later = [startNode(t, hub, clock), startNode(t, hub, clock), startNode(t, hub, clock)];
  await eventually(() => later.every(({ online }) => online.onlineIds().length === 2_500));
  assert.equal(pieces, 3);
});

test('a lost message is noticed, and a snapshot shows who has come and who has gone', async (t) => {
  const { first, second, clock, hub } = await startPair(t);
  first.online.add('alice', PRESENT);
  first.online.add('carol', PRESENT);
  await eventually(() => second.online.isOnline('carol'));
  let lost = 0;
  const read = openReader(clock.world);
  hub.passes = (channel, bytes) => {
    if (read(channel, bytes).type === 'presence') lost++;
    return lost === 0;
  };
  first.online.remove('alice', PRESENT);
  first.online.add('bob', PRESENT);
  await eventually(() => lost === 1);
  hub.passes = () => true;
  await clock.advance(5_000); // a heartbeat with the number of the lost message
  await eventually(() => second.online.isOnline('bob'));
  await eventually(() => !second.online.isOnline('alice'));
  assert.deepEqual(second.online.onlineIds(), ['carol', 'bob']);
});

test('a snapshot that was lost on its way is asked for again', async (t) => {
  const { hub, clock } = await startCrowd(t, 1_500);
  let lost = 0;
  const read = openReader(clock.world);
  hub.passes = (channel, bytes) => {
    const { data } = read(channel, bytes);
    return !(usersShape.Check(data) && data.isLast && data.users.length > 0 && lost++ === 0);
  };
  const second = startNode(t, hub, clock);
  await eventually(() => lost === 1);
  await eventually(async () => {
    await clock.advance(3_000);
    return second.online.onlineIds().length === 1_500;
  });
});

test('users who come and go while a snapshot is sent are neither lost nor kept', async (t) => {
  const { first, hub, clock } = await startCrowd(t, 2_500);
  const pieces: string[] = [];
  const read = openReader(clock.world);
  hub.passes = (channel, bytes) => {
    const { data } = read(channel, bytes);
    if (!usersShape.Check(data) || data.users.length === 0) return true;
    pieces.push(data.isLast ? 'last' : data.isFirst ? 'first' : 'other');
    if (pieces.length !== 2) return true;
    first.online.remove('user-0', PRESENT);
    first.online.remove('user-2400', PRESENT);
    first.online.add('late', PRESENT);
    return true;
  };
  const second = startNode(t, hub, clock);
  const gone: string[] = [];
  second.online.onChange((userId, isOnline) => {
    if (!isOnline) gone.push(userId);
  });
  await eventually(() => second.online.isOnline('late') && second.online.isOnline('user-2499'));
  assert.deepEqual(gone, ['user-0']);
  assert.equal(second.online.onlineIds().length, 2_499);
  assert.deepEqual(
    pieces,
    ['first', 'other', 'other', 'last'],
    'who is in no list counts as gone after the last one',
  );
});

test('a user who leaves by bye while a snapshot is sent leaves by it on the other nodes too', async (t) => {
  const { first, hub, clock } = await startCrowd(t, 2_500);
  const second = startNode(t, hub, clock);
  await eventually(() => second.online.isOnline('user-2499'));
  const read = openReader(clock.world);
  hub.passes = (channel, bytes) => {
    const { data } = read(channel, bytes);
    if (usersShape.Check(data) && data.isFirst && data.users.length > 0)
      first.online.remove('user-1500', PRESENT, true);
    return true;
  };
  const gone: [userId: string, saidGoodbye: boolean | undefined][] = [];
  second.online.onChange((userId, _isOnline, disconnect) => gone.push([userId, disconnect?.saidGoodbye]));
  startNode(t, hub, clock);
  await eventually(() => gone.length > 0);
  assert.deepEqual(gone, [['user-1500', true]]);
});

for (const reason of ['goodbye', 'silent', 'link-down'] as const)
  test(`a node that left takes its users with it (${reason}); only of a silent one the others note when`, async (t) => {
    const { first, second, clock, hub } = await startPair(t);
    first.online.add('alice', PRESENT);
    first.online.add('bob', PRESENT);
    second.online.add('bob', PRESENT);
    await eventually(() => second.online.isOnline('alice'));
    if (reason === 'goodbye') await first.membership[Symbol.asyncDispose]();
    else if (reason === 'silent') hub.passes = () => false;
    else second.link.isUp = false;
    if (reason !== 'goodbye') await clock.advance(reason === 'silent' ? 15_000 : 45_000);
    await eventually(() => !second.online.isOnline('alice'));
    assert.deepEqual(second.online.onlineIds(), ['bob']);
    assert.deepEqual(second.noted, reason === 'silent' ? ['alice'] : []);
  });

test('without its own link a node expects an attentive device anywhere', async (t) => {
  const { first, second } = await startPair(t);
  const connection = { ...PRESENT, isAttentive: false };
  first.online.add('bob', connection);
  await eventually(() => second.online.isOnline('bob'));
  assert.equal(second.online.mayBeAttentive('bob'), false);
  second.link.isUp = false;
  assert.equal(second.online.mayBeAttentive('bob'), true);
  assert.equal(second.online.isOnline('bob'), true);
  first.online.remove('bob', connection);
  second.link.isUp = true;
  assert.equal(second.online.mayBeAttentive('bob'), false);
  await eventually(() => !second.online.isOnline('bob'));
});
