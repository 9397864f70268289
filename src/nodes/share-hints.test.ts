import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { openCipher, openReader } from '../../test/ciphers.ts';
import { ManualClock } from '../../test/clocks.ts';
import { disposeAfter } from '../../test/dispose-after.ts';
import { eventually } from '../../test/eventually.ts';
import { MemoryHub } from '../../test/memory-link.ts';
import { PRESENT } from '../../test/present.ts';
import { Events, type ServiceEvent } from '../events/hints.ts';
import { Membership } from './membership.ts';
import { NODE_TIMES } from './node-times.ts';
import { shareChanges } from './share-changes.ts';
import { shareHints } from './share-hints.ts';

const IDS = ['1'];
const LONG_MS = 60_000;

/**
 * Three nodes that know each other.
 *
 * @param where the nodes where each user is connected
 * @param mayMissNodes what each answers
 */
async function startNodes(t: TestContext, where: Record<string, number[]>, mayMissNodes = () => false) {
  const [hub, clock] = [new MemoryHub(), new ManualClock()];
  const sent: string[] = [];
  const read = openReader(clock.world);
  hub.passes = (channel, bytes) => {
    const { type, data } = read(channel, bytes);
    if (type === 'changes') sent.push(type);
    if (type === 'hints' && Array.isArray(data)) sent.push(`${data.length} hints`);
    return true;
  };
  const nodes = [0, 1, 2].map(() => {
    const link = hub.connect();
    const membership = new Membership(link, openCipher(clock.world), clock.world, {
      ...NODE_TIMES,
    });
    const events = new Events();
    const log: unknown[] = [];
    events.subscribe((event, origin) => {
      if (origin === 'other') log.push(event);
    });
    const elsewhere = (userId: string) =>
      (where[userId] ?? []).map((at) => ({ ...PRESENT, node: nodes[at]?.membership.name ?? '' }));
    const flush = shareHints(membership, events, { elsewhere });
    const reading: (() => void)[] = [];
    const readRows = async (ids: readonly string[]) => {
      log.push(ids);
      await new Promise<void>((resolve) => reading.push(resolve));
      return [{ blockerId: 'alice' }, { blockerId: 'carol', isRequest: true }].map((subject, i) => ({
        id: `${i}`,
        kind: 'block-changed',
        subject: JSON.stringify(subject),
      }));
    };
    const catchUp = async (userId: string) => void log.push(`caught up for ${userId}`);
    shareChanges(
      membership,
      { events: Object.assign(events, { changes: { readRows } }), inbox: { delivery: { catchUp } } },
      { ...NODE_TIMES, readMs: LONG_MS, unknownMs: 20 },
      flush,
      mayMissNodes,
      (error) => assert.fail(String(error)),
    );
    membership.start();
    disposeAfter(t, membership);
    return { link, membership, events, log, reading };
  });
  await eventually(() => nodes.every(({ membership }) => membership.peers().length === 2));
  const [first, second, third] = nodes;
  assert(first && second && third);
  return { sent, first, second, third };
}

/** The messages that are under way are delivered. */
const settled = () => new Promise((resolve) => setImmediate(resolve));

/** What a promise has done so far. */
function follow(promise: Promise<void>): () => Promise<'waiting' | 'resolved'> {
  let state: 'waiting' | 'resolved' = 'waiting';
  promise.then(() => {
    state = 'resolved';
  }, assert.fail);
  return async () => {
    await settled();
    return state;
  };
}

function inboxEvent(userId: string, seq: number): ServiceEvent {
  return { type: 'inbox', userId, event: { seq, at: 1, event: 'block', data: { userId: 'carol' } } };
}

test('events of the log and typing go to the nodes where the user is, in one message for a turn', async (t) => {
  const { sent, first, second, third } = await startNodes(t, { alice: [1, 2], bob: [1] });
  const typing: ServiceEvent = { type: 'typing', from: 'alice', to: 'bob' };
  for (const event of [inboxEvent('alice', 1), inboxEvent('bob', 1), typing, inboxEvent('nobody here', 1)])
    first.events.publish(event);
  first.events.publish({ type: 'user-changed', userId: 'alice' });
  await settled();
  await settled();
  assert.deepEqual(sent, ['3 hints', '1 hints']);
  assert.deepEqual(second.log, [inboxEvent('alice', 1), inboxEvent('bob', 1), typing]);
  assert.deepEqual(third.log, [inboxEvent('alice', 1)]);
  assert.deepEqual(first.log, []);
});

test('a long list goes in messages of 64, in order', async (t) => {
  const { sent, first, second } = await startNodes(t, { alice: [1] });
  const events = Array.from({ length: 130 }, (_, i) => inboxEvent('alice', i + 1));
  for (const event of events) first.events.publish(event);
  await settled();
  await settled();
  assert.deepEqual(sent, ['64 hints', '64 hints', '2 hints']);
  assert.deepEqual(second.log, events);
});

test('an answer waits until all other nodes have read its changes; hints of before come before them', async (t) => {
  const { sent, first, second, third } = await startNodes(t, { alice: [1] });
  first.events.publish(inboxEvent('alice', 1));
  const state = follow(first.events.shareChanges(IDS));
  assert.equal(await state(), 'waiting');
  assert.deepEqual(sent, ['1 hints', 'changes']);
  assert.deepEqual(second.log, [inboxEvent('alice', 1), IDS]);
  assert.deepEqual(third.log, [IDS]);
  second.reading[0]?.();
  assert.equal(await state(), 'waiting');
  assert.equal(second.log.at(-1), 'caught up for alice', 'a blocker alone');
  third.reading[0]?.();
  assert.equal(await state(), 'resolved');
});

test('an answer does not wait for a node that leaves, nor where there are no others', async (t) => {
  const { first, second, third } = await startNodes(t, {});
  const state = follow(first.events.shareChanges(IDS));
  second.reading[0]?.();
  assert.equal(await state(), 'waiting');
  await third.membership[Symbol.asyncDispose]();
  second.reading[0]?.();
  assert.equal(await state(), 'resolved');
  await second.membership[Symbol.asyncDispose]();
  await settled();
  assert.equal(await follow(first.events.shareChanges(IDS))(), 'resolved');
});

test('an answer waits for the whole time while other nodes may not be known', async (t) => {
  const { first, second, third } = await startNodes(t, {}, () => true);
  for (const { membership } of [second, third]) await membership[Symbol.asyncDispose]();
  await settled();
  assert.deepEqual(first.membership.peers(), []);
  const state = follow(first.events.shareChanges(IDS));
  assert.equal(await state(), 'waiting');
  await eventually(async () => (await state()) === 'resolved');
  assert.deepEqual([second.log, third.log], [[], []]);
});
