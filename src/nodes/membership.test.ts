import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { Type } from 'typebox';
import { Compile } from 'typebox/compile';
import { openCipher, openReader } from '../../test/ciphers.ts';
import { ManualClock } from '../../test/clocks.ts';
import { disposeAfter } from '../../test/dispose-after.ts';
import { eventually } from '../../test/eventually.ts';
import { MemoryHub } from '../../test/memory-link.ts';
import { Membership } from './membership.ts';
import { NODE_TIMES } from './node-times.ts';

const noteShape = Compile(Type.Union([Type.String(), Type.Integer()]));
const TIMES = NODE_TIMES;

const NONE_DROPPED = { unverified: 0, repeated: 0, outdated: 0, malformed: 0 };

function startNodes(t: TestContext, count = 2) {
  const [hub, clock] = [new MemoryHub(), new ManualClock()];
  const nodes = Array.from({ length: count }, () => {
    const link = hub.connect();
    const cipher = openCipher(clock.world);
    const membership = new Membership(link, cipher, clock.world, TIMES);
    disposeAfter(t, membership);
    const events: string[] = [];
    membership.on('join', (node) => events.push(`join ${node}`));
    membership.on('leave', (node) => events.push(`leave ${node}`));
    membership.on('missed', (node, stream) => events.push(`missed ${stream} of ${node}`));
    membership.handle('note', noteShape, (from, data) => events.push(`${data} from ${from}`));
    membership.start();
    return { link, cipher, membership, events };
  });
  return { hub, clock, nodes };
}

/** Two nodes that know each other, with no events yet. */
async function startPair(t: TestContext) {
  const { hub, clock, nodes } = startNodes(t);
  const [first, second] = nodes;
  assert(first && second);
  await eventually(() => first.events.length === 1 && second.events.length === 1);
  for (const { events } of nodes) events.length = 0;
  return { hub, clock, first, second };
}

/** The messages that are under way are delivered. */
const settled = () => new Promise((resolve) => setImmediate(resolve));

test('nodes that start learn of each other, and each joins once', async (t) => {
  const { clock, nodes } = startNodes(t, 3);
  await eventually(() => nodes.every(({ membership }) => membership.peers().length === 2));
  await clock.advance(20_000);
  for (const { membership, events } of nodes) {
    const others = nodes.map((node) => node.membership.name).filter((name) => name !== membership.name);
    assert.deepEqual(events.sort(), others.map((name) => `join ${name}`).sort());
  }
});

test('a message reaches one node, or all others', async (t) => {
  const { nodes } = startNodes(t, 3);
  const [first, second, third] = nodes;
  assert(first && second && third);
  await eventually(() => nodes.every(({ membership }) => membership.peers().length === 2));
  for (const { events } of nodes) events.length = 0;
  const { name } = first.membership;
  first.membership.send(second.membership.name, 'note', 'one');
  first.membership.broadcast('note', 'all');
  first.membership.broadcast('unknown', null);
  await settled();
  assert.deepEqual(
    nodes.map(({ events }) => events),
    [[], [`one from ${name}`, `all from ${name}`], [`all from ${name}`]],
  );
});

test('what no node has written is dropped and counted', async (t) => {
  const { clock, first, second } = await startPair(t);
  const stranger = openCipher(clock.world, { installation: { name: 'other', key: Buffer.alloc(32) } });
  for (const type of ['note', 'goodbye', 'heartbeat'])
    first.link.publish('all', stranger.encrypt('all', { type, n: 1, data: null }));
  first.link.publish('all', Buffer.from(JSON.stringify({ v: 1, from: 'x', type: 'note', n: 1, data: 'x' })));
  await settled();
  assert.deepEqual([first.events, second.events], [[], []]);
  assert.deepEqual(second.cipher.dropped.totals, { ...NONE_DROPPED, unverified: 4 });
});

test('what was recorded does nothing when it is sent again, on any channel, also after its sender has left', async (t) => {
  const { hub, clock, first, second } = await startPair(t);
  const recorded: [channel: string, bytes: Buffer][] = [];
  hub.passes = (channel, bytes) => recorded.push([channel, bytes]) > 0;
  const [from, to] = [first.membership.name, second.membership.name];
  first.membership.broadcast('note', 1);
  first.membership.send(to, 'note', 2);
  await clock.advance(TIMES.heartbeatMs);
  assert.deepEqual(second.events.splice(0), [`1 from ${from}`, `2 from ${from}`]);
  const repeat = async () => {
    for (const [, bytes] of [...recorded])
      for (const channel of ['all', `node:${from}`, `node:${to}`]) second.link.publish(channel, bytes);
    await settled();
  };
  await repeat();
  assert.deepEqual([first.events, second.events], [[], []]);
  await first.membership[Symbol.asyncDispose]();
  await settled();
  assert.deepEqual(second.events.splice(0), [`leave ${from}`]);
  for (const afterMs of [0, 10_000, 10_000]) {
    clock.add(afterMs);
    await repeat();
    assert.deepEqual([second.events, second.membership.peers()], [[], []]);
  }
});

test('a message that comes after 15 s is dropped, and shows as lost', async (t) => {
  const { hub, clock, first, second } = await startPair(t);
  const from = first.membership.name;
  const held: [channel: string, bytes: Buffer][] = [];
  hub.passes = (channel, bytes) => {
    held.push([channel, bytes]);
    return false;
  };
  first.membership.broadcast('note', 'late');
  first.membership.send(second.membership.name, 'note', 'late');
  hub.passes = () => true;
  clock.add(15_001); // as after a process or Redis stood still
  for (const [channel, bytes] of held) second.link.publish(channel, bytes);
  await settled();
  assert.deepEqual(second.events, []);
  assert.deepEqual(second.cipher.dropped.totals, { ...NONE_DROPPED, outdated: 2 });
  await clock.advance(TIMES.heartbeatMs);
  assert.deepEqual(second.events, [`missed all of ${from}`, `missed own of ${from}`]);
});

test('a message whose data has another shape is dropped, and shows as lost', async (t) => {
  const { clock, first, second } = await startPair(t);
  const from = first.membership.name;
  first.membership.broadcast('note', { no: 'note' });
  first.link.publish('all', first.cipher.encrypt('all', { type: 'heartbeat', n: 1, data: { own: [] } }));
  await settled();
  assert.deepEqual(second.events, []);
  assert.deepEqual(second.cipher.dropped.totals, { ...NONE_DROPPED, malformed: 2 });
  await clock.advance(TIMES.heartbeatMs);
  assert.deepEqual(second.events, [`missed all of ${from}`]);
});

test('a lost message shows at the next one of its stream, or at the next heartbeat', async (t) => {
  const { hub, clock, first, second } = await startPair(t);
  const [from, to] = [first.membership.name, second.membership.name];
  const lose = (send: () => void) => {
    hub.passes = () => false;
    send();
    hub.passes = () => true;
  };
  lose(() => first.membership.broadcast('note', 1));
  first.membership.send(to, 'note', 'own');
  first.membership.broadcast('note', 2);
  await settled();
  assert.deepEqual(second.events.splice(0), [`own from ${from}`, `missed all of ${from}`, `2 from ${from}`]);
  lose(() => first.membership.send(to, 'note', 3));
  await clock.advance(TIMES.heartbeatMs);
  assert.deepEqual(second.events.splice(0), [`missed own of ${from}`]);
  await clock.advance(3 * TIMES.heartbeatMs);
  assert.deepEqual(second.events, []);
});

test('a node whose heartbeat says that it knows less is of an earlier version, until it leaves', async (t) => {
  const { clock, first } = await startPair(t);
  assert.equal(first.membership.hasEarlierVersion, false);
  const [link, cipher] = [first.link, openCipher(clock.world)];
  const earlier = (type: string, data: unknown) =>
    link.publish('all', cipher.encrypt('all', { type, n: 0, data }));
  for (const [level, isEarlier] of [
    [undefined, true],
    [0, true],
    [99, false],
    [undefined, true],
  ] as const) {
    earlier('heartbeat', { all: 0, own: {}, isAsking: false, level });
    await settled();
    assert.equal(first.membership.hasEarlierVersion, isEarlier, `level ${level}`);
  }
  earlier('goodbye', null);
  await settled();
  assert.equal(first.membership.hasEarlierVersion, false);
});

test('a node that says goodbye leaves at once, and is not heard of again', async (t) => {
  const { clock, first, second } = await startPair(t);
  const from = first.membership.name;
  await first.membership[Symbol.asyncDispose]();
  first.membership.broadcast('note', 'late');
  await clock.advance(TIMES.heartbeatMs);
  assert.deepEqual(second.events, [`leave ${from}`]);
  assert.deepEqual(second.membership.peers(), []);
});

test('a silent node leaves after the lease, and joins again when it is heard', async (t) => {
  const { hub, clock, first, second } = await startPair(t);
  const from = first.membership.name;
  const read = openReader(clock.world);
  hub.passes = (channel, bytes) => read(channel, bytes).from !== from;
  await clock.advance(TIMES.leaseMs - 1);
  assert.deepEqual(second.events, []);
  await clock.advance(TIMES.heartbeatMs);
  assert.deepEqual(second.events.splice(0), [`leave ${from}`]);
  hub.passes = () => true;
  first.membership.send(second.membership.name, 'note', 1);
  await settled();
  assert.equal(second.events[0], `join ${from}`);
});

test('while the own link is down the others stay for 45 s, then all leave; a link that comes back asks at once', async (t) => {
  const { clock, first, second } = await startPair(t);
  const from = first.membership.name;
  second.link.isUp = false;
  await clock.advance(TIMES.linkDownMs - TIMES.heartbeatMs);
  assert.deepEqual(second.events, []);
  assert.equal(second.membership.isLinked, false);
  await clock.advance(TIMES.heartbeatMs);
  assert.deepEqual(second.events.splice(0), [`leave ${from}`]);
  second.link.isUp = true;
  await eventually(() => second.events.length > 0);
  assert.deepEqual(second.events, [`join ${from}`]);
});

test('a link that was down for less misses nothing but messages', async (t) => {
  const { clock, first, second } = await startPair(t);
  const from = first.membership.name;
  second.link.isUp = false;
  await clock.advance(2 * TIMES.leaseMs);
  first.membership.broadcast('note', 'lost');
  second.link.isUp = true;
  await eventually(() => second.events.length > 0);
  await clock.advance(TIMES.heartbeatMs);
  assert.deepEqual(second.events, [`missed all of ${from}`]);
});

test('a node that stalled drops no node, as their messages are still to be read', async (t) => {
  const { hub, clock, first, second } = await startPair(t);
  // The stall begins between a check and the heartbeat of the other node.
  hub.passes = () => false;
  await clock.advance(TIMES.heartbeatMs);
  hub.passes = () => true;
  clock.add(10 * TIMES.leaseMs);
  await clock.advance(TIMES.heartbeatMs);
  assert.deepEqual([first.events, second.events], [[], []]);
});
