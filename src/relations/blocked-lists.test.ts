import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Events } from '../events/hints.ts';
import { BlockedLists } from './blocked-lists.ts';

function start() {
  const events = new Events();
  const listed = new Map<string, string[]>();
  const waits: Promise<void>[] = [];
  const lists = new BlockedLists(async (ownerId) => {
    const ids = listed.get(ownerId) ?? [];
    await waits.shift();
    return ids.map((id) => ({ id, username: id, avatar: '', create_time: 1 }));
  }, events);
  const publishBlock = (blockerId: string, event: 'block' | 'unblock') =>
    events.publish({ type: 'block-changed', blockerId, blockedId: 'x', isBlocked: event === 'block' });
  return { events, listed, waits, lists, publishBlock };
}

test('a list that was read is recalled as the text of its answer', async () => {
  const { lists, listed } = start();
  listed.set('alice', ['bob', 'carol']);
  assert.equal(lists.recall('alice'), undefined);
  const text = await lists.load('alice');
  assert.equal(lists.recall('alice'), text);
  assert.deepEqual(JSON.parse(text), {
    code: 200,
    data: [
      { id: 'bob', username: 'bob', avatar: '', create_time: 1 },
      { id: 'carol', username: 'carol', avatar: '', create_time: 1 },
    ],
  });
});

test('the lists that a change concerns are dropped, and no other', async () => {
  const { lists, listed, events, publishBlock } = start();
  listed.set('alice', ['bob', 'carol']);
  listed.set('dave', ['bob']);
  listed.set('eve', ['carol']);
  const recalled = async (change: () => void) => {
    for (const ownerId of listed.keys()) await lists.load(ownerId);
    change();
    return [...listed.keys()].filter((ownerId) => lists.recall(ownerId) !== undefined);
  };
  assert.deepEqual(await recalled(() => publishBlock('alice', 'block')), ['dave', 'eve']);
  assert.deepEqual(await recalled(() => publishBlock('dave', 'unblock')), ['alice', 'eve']);
  assert.deepEqual(await recalled(() => events.publish({ type: 'user-changed', userId: 'bob' })), ['eve']);
  assert.deepEqual(await recalled(() => events.publish({ type: 'user-changed', userId: 'alice' })), [
    'alice',
    'dave',
    'eve',
  ]);
  assert.deepEqual(await recalled(() => events.publish({ type: 'external-change' })), []);
  await lists.load('alice');
  listed.set('alice', ['carol']);
  publishBlock('alice', 'unblock');
  await lists.load('alice');
  events.publish({ type: 'user-changed', userId: 'bob' });
  assert.ok(lists.recall('alice'), 'a user who left the list drops it no more');
});

test('what was read before a change is not cached after it', async () => {
  const { lists, listed, waits, publishBlock } = start();
  const { promise, resolve } = Promise.withResolvers<void>();
  waits.push(promise);
  const old = lists.load('alice');
  listed.set('alice', ['bob']);
  publishBlock('alice', 'block');
  resolve();
  assert.match(await old, /"data":\[\]/);
  assert.equal(lists.recall('alice'), undefined);
  assert.match(await lists.load('alice'), /"bob"/);
});

test('beyond 50,000 entries the least recently loaded list is dropped', async () => {
  const { lists, listed } = start();
  const ids = Array.from({ length: 1_001 }, (_, i) => `user${i}`);
  for (let i = 0; i < 51; i++) listed.set(`owner${i}`, ids.slice(0, 999));
  for (let i = 0; i < 50; i++) await lists.load(`owner${i}`);
  assert.ok(lists.recall('owner0'));
  await lists.load('owner50');
  assert.equal(lists.recall('owner0'), undefined);
  assert.ok(lists.recall('owner1'));
  assert.ok(lists.recall('owner50'));
  listed.set('long', ids);
  await lists.load('long');
  assert.equal(lists.recall('long'), undefined, 'a list of more than 1,000 is not cached');
  assert.ok(lists.recall('owner1'));
});
