import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { openCipher, openReader } from '../../test/ciphers.ts';
import { ManualClock } from '../../test/clocks.ts';
import { disposeAfter } from '../../test/dispose-after.ts';
import { eventually } from '../../test/eventually.ts';
import { MemoryHub } from '../../test/memory-link.ts';
import { OpenSockets } from '../accounts/open-sockets.ts';
import { MirroredUsers } from '../presence/mirrored-users.ts';
import { openOnlineUsers } from '../presence/presence-services.ts';
import { Attention } from '../push/queue/attention.ts';
import { Membership } from './membership.ts';
import { MEMBERSHIP_TIMES } from './membership-times.ts';
import { NodePresence } from './node-presence.ts';
import { snapshotShape } from './presence-messages.ts';

const TIMES = { gatherMs: 20, snapshotPauseMs: 5, askAgainMs: 3_000 };

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
  const membership = new Membership(link, openCipher(clock.world), clock.world, {
    ...MEMBERSHIP_TIMES,
    answerMs: 1,
  });
  const heard: [userId: string, at: number][] = [];
  const noted: string[] = [];
  const { local, online } = openOnlineUsers(true);
  const mirror = new MirroredUsers(
    online,
    { hear: (userId, at) => void heard.push([userId, at]), note: (userId) => void noted.push(userId) },
    clock.world.now,
  );
  const attention = new Attention();
  const openSockets = new OpenSockets();
  const services = { accounts: { openSockets }, presence: { local, mirror }, push: { attention } };
  const presence = new NodePresence(membership, services, clock.world, TIMES);
  membership.start();
  presence.attach({ oldestOf: () => 7, sessionsOf: (userId) => [`session of ${userId}`] });
  disposeAfter(t, {
    async [Symbol.asyncDispose]() {
      presence[Symbol.dispose]();
      await membership[Symbol.asyncDispose]();
    },
  });
  return { link, membership, presence, local, online, mirror, attention, openSockets, heard, noted };
}

/** One node with so many users, `user-0` and so on, whose changes are all sent. */
async function startCrowd(t: TestContext, count: number) {
  const { nodes, sent, ...rest } = startNodes(t, 1);
  const [first] = nodes;
  assert(first);
  for (let i = 0; i < count; i++) first.local.connected(`user-${i}`);
  await eventually(() => sent.filter((type) => type === 'presence').length === Math.ceil(count / 1000));
  return { ...rest, sent, first };
}

/** Two nodes that have each other's snapshot. */
async function startPair(t: TestContext) {
  const { nodes, sent, ...rest } = startNodes(t, 2);
  const [first, second] = nodes;
  assert(first && second);
  await eventually(() => sent.filter((type) => type === 'presence-snapshot').length === 2);
  return { ...rest, sent, first, second };
}

test('what changes on one node shows on the others', async (t) => {
  const { first, second, clock } = await startPair(t);
  const changes: string[] = [];
  second.online.onChange((userId, isOnline, disconnect) =>
    changes.push(`${userId} ${isOnline}${disconnect?.saidGoodbye ? ' by bye' : ''}`),
  );
  const connection = {};
  first.local.connected('alice', false);
  first.local.connected('bob');
  await eventually(() => second.online.isOnline('bob'));
  assert.equal(second.online.isIdle('alice'), true);
  first.local.changeActivity('alice', true);
  first.attention.setAttentive(connection, 'alice', true);
  await eventually(() => second.attention.mayBeAttentive('alice'));
  assert.equal(second.online.isIdle('alice'), false);
  assert.deepEqual([second.attention.isAttentive('alice'), second.mirror.countOf('alice')], [false, 1]);
  assert.deepEqual([second.mirror.hasOlder('alice', 7), second.mirror.hasOlder('alice', 8)].at(1), true);
  first.attention.remove(connection);
  first.local.disconnected('alice', true, true);
  first.local.disconnected('bob');
  await eventually(() => !second.online.isOnline('bob'));
  assert.equal(second.attention.mayBeAttentive('alice'), false);
  assert.deepEqual(changes.sort(), ['alice false by bye', 'alice true', 'bob false', 'bob true']);
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
    if (snapshotShape.Check(data) && data.users.length > 0) pieces++;
    return true;
  };
  const later = [startNode(t, hub, clock), startNode(t, hub, clock), startNode(t, hub, clock)];
  await eventually(() => later.every(({ online }) => online.onlineIds().length === 2_500));
  assert.equal(pieces, 3);
});

test('a lost message is noticed, and a snapshot shows who has come and who has gone', async (t) => {
  const { first, second, clock, hub } = await startPair(t);
  first.local.connected('alice');
  first.local.connected('carol');
  await eventually(() => second.online.isOnline('carol'));
  let lost = 0;
  const read = openReader(clock.world);
  hub.passes = (channel, bytes) => {
    if (read(channel, bytes).type === 'presence') lost++;
    return lost === 0;
  };
  first.local.disconnected('alice');
  first.local.connected('bob');
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
    return !(snapshotShape.Check(data) && data.isLast && data.users.length > 0 && lost++ === 0);
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
    const { type, data } = read(channel, bytes);
    const piece = snapshotShape.Check(data) ? data : undefined;
    if (type.startsWith('presence')) pieces.push(piece?.isLast ? 'last piece' : type);
    if (piece?.piece !== 1) return true;
    first.local.disconnected('user-0');
    first.local.disconnected('user-2400');
    first.local.connected('late');
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
    pieces.slice(-2),
    ['presence', 'last piece'],
    'who is in no list counts as gone after the last one',
  );
});

for (const reason of ['goodbye', 'silent', 'link-down'] as const)
  test(`a node that left takes its users with it (${reason}); only of a silent one the others note when`, async (t) => {
    const { first, second, clock, hub } = await startPair(t);
    first.local.connected('alice');
    first.local.connected('bob');
    second.local.connected('bob');
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
  first.local.connected('bob');
  await eventually(() => second.online.isOnline('bob'));
  assert.equal(second.attention.mayBeAttentive('bob'), false);
  second.link.isUp = false;
  assert.equal(second.attention.mayBeAttentive('bob'), true);
  assert.equal(second.online.isOnline('bob'), true);
  first.local.disconnected('bob');
  second.link.isUp = true;
  assert.equal(second.attention.mayBeAttentive('bob'), false);
  await eventually(() => !second.online.isOnline('bob'));
});

test('a node with a new name has the same users, once', async (t) => {
  const { first, second } = await startPair(t);
  first.local.connected('alice');
  await eventually(() => second.online.isOnline('alice'));
  const before = first.membership.name;
  first.presence.rename();
  const after = first.membership.name;
  await eventually(() => second.mirror.nodesOf('alice')[0] === after);
  assert.notEqual(after, before);
  assert.deepEqual([second.mirror.nodesOf('alice'), second.mirror.countOf('alice')], [[after], 1]);
  assert.equal(first.mirror.ownName, after);
});

test('other nodes name the sessions of a user that have a socket there; one that is silent is not waited for', async (t) => {
  const { first, second, hub, clock, sent } = await startPair(t);
  first.openSockets.add('own', 1);
  const isOpen = async (id: string) => (await first.openSockets.askFor('alice'))(id);
  assert.deepEqual([await isOpen('own'), await isOpen('session of alice')], [true, false]);
  assert.equal(sent.includes('sessions-ask'), false, 'no other node has the user');
  second.local.connected('alice');
  await eventually(() => first.online.isOnline('alice'));
  assert.deepEqual([await isOpen('own'), await isOpen('session of alice')], [true, true]);
  const read = openReader(clock.world);
  hub.passes = (channel, bytes) => read(channel, bytes).type !== 'sessions';
  assert.deepEqual([await isOpen('own'), await isOpen('session of alice')], [true, false]);
});
