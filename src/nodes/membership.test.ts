import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { ManualClock } from '../../test/clocks.ts';
import { disposeAfter } from '../../test/dispose-after.ts';
import { eventually } from '../sockets/test-client.ts';
import { MEMBERSHIP_TIMES, Membership } from './membership.ts';
import { MemoryHub } from './test-memory-link.ts';

const TIMES = { ...MEMBERSHIP_TIMES, answerMs: 1 };

function startNodes(t: TestContext, count = 2) {
  const [hub, clock] = [new MemoryHub(), new ManualClock()];
  const nodes = Array.from({ length: count }, () => {
    const link = hub.connect();
    const membership = new Membership(link, clock.world, TIMES);
    disposeAfter(t, membership);
    const events: string[] = [];
    membership.onJoin((node) => events.push(`join ${node}`));
    membership.onLeave((node) => events.push(`leave ${node}`));
    membership.onMissed((node, stream) => events.push(`missed ${stream} of ${node}`));
    membership.on('note', (from, data) => events.push(`${data} from ${from}`));
    membership.start();
    return { link, membership, events };
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

test('messages of another version are ignored', async (t) => {
  const { first, second } = await startPair(t);
  first.link.publish('all', JSON.stringify({ v: 2, from: 'stranger', type: 'note', n: 1, data: 'x' }));
  first.link.publish('all', 'no JSON');
  await settled();
  assert.deepEqual(second.events, []);
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
  hub.passes = (_channel, text) => JSON.parse(text).from !== from;
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
  const { clock, first, second } = await startPair(t);
  clock.add(10 * TIMES.leaseMs);
  await clock.advance(TIMES.heartbeatMs);
  assert.deepEqual([first.events, second.events], [[], []]);
});

test('a node that renames itself leaves and joins; messages to its new name arrive', async (t) => {
  const { first, second } = await startPair(t);
  const before = first.membership.name;
  second.membership.send(before, 'note', 'old');
  await settled();
  first.membership.rename();
  const { name } = first.membership;
  assert.notEqual(name, before);
  await eventually(() => second.events.length === 2);
  assert.deepEqual(second.events, [`leave ${before}`, `join ${name}`]);
  second.membership.send(name, 'note', 'new');
  await settled();
  const from = second.membership.name;
  assert.deepEqual(first.events, [`old from ${from}`, `new from ${from}`]);
});

test('what was on its way to the old name of a node does not hide messages to its new name', async (t) => {
  const { first, second } = await startPair(t);
  const before = first.membership.name;
  // Redis delivers messages of a channel until it has answered that the channel is unsubscribed.
  first.link.unsubscribe = () => {};
  for (const text of ['a', 'b', 'c']) second.membership.send(before, 'note', text);
  first.membership.rename();
  await settled();
  second.membership.send(first.membership.name, 'note', 'new');
  await settled();
  assert.deepEqual(first.events, [`new from ${second.membership.name}`]);
});
