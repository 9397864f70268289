import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CachedTexts } from './cached-texts.ts';
import { Events } from './hints.ts';

/** Lists of users by their owner. */
function start() {
  const events = new Events();
  const listed = new Map<string, string[]>();
  const waits: Promise<void>[] = [];
  const texts = new CachedTexts(events, {
    maxEntries: 50_000,
    maxUsers: 1_000,
    read: async (ownerId) => {
      const userIds = listed.get(ownerId) ?? [];
      await waits.shift();
      return { text: userIds.join(' '), userIds };
    },
  });
  return { events, listed, waits, texts };
}

test('a text that was read is recalled', async () => {
  const { texts, listed } = start();
  listed.set('alice', ['bob', 'carol']);
  assert.equal(texts.recall('alice'), undefined);
  assert.equal(await texts.load('alice'), 'bob carol');
  assert.equal(texts.recall('alice'), 'bob carol');
});

test('the texts that a change concerns are dropped, and no other', async () => {
  const { texts, listed, events } = start();
  listed.set('alice', ['bob', 'carol']);
  listed.set('dave', ['bob']);
  listed.set('eve', ['carol']);
  const recalled = async (change: () => void) => {
    for (const key of listed.keys()) await texts.load(key);
    change();
    return [...listed.keys()].filter((key) => texts.recall(key) !== undefined);
  };
  const all = ['alice', 'dave', 'eve'];
  assert.deepEqual(await recalled(() => texts.drop('alice')), ['dave', 'eve']);
  assert.deepEqual(await recalled(() => events.publish({ type: 'user-changed', userId: 'bob' })), ['eve']);
  assert.deepEqual(await recalled(() => events.publish({ type: 'user-changed', userId: 'alice' })), all);
  assert.deepEqual(
    await recalled(() => events.publish({ type: 'sessions-ended', sessionIds: ['bob'] })),
    all,
  );
  assert.deepEqual(await recalled(() => events.publish({ type: 'external-change' })), []);
  await texts.load('alice');
  listed.set('alice', ['carol']);
  texts.drop('alice');
  await texts.load('alice');
  events.publish({ type: 'user-changed', userId: 'bob' });
  assert.ok(texts.recall('alice'), 'a user who left the text drops it no more');
});

test('what was read before a change is not cached after it', async () => {
  const changes: ((started: ReturnType<typeof start>) => void)[] = [
    ({ texts }) => texts.drop('alice'),
    ({ events }) => events.publish({ type: 'user-changed', userId: 'bob' }),
    ({ events }) => events.publish({ type: 'external-change' }),
  ];
  for (const change of changes) {
    const started = start();
    const { texts, listed, waits } = started;
    const { promise, resolve } = Promise.withResolvers<void>();
    waits.push(promise);
    const old = texts.load('alice');
    listed.set('alice', ['bob']);
    change(started);
    resolve();
    assert.equal(await old, '');
    assert.equal(texts.recall('alice'), undefined);
    assert.equal(await texts.load('alice'), 'bob');
  }
});

test('beyond 50,000 entries the least recently loaded text is dropped', async () => {
  const { texts, listed } = start();
  const ids = Array.from({ length: 1_001 }, (_, i) => `user${i}`);
  for (let i = 0; i < 51; i++) listed.set(`owner${i}`, ids.slice(0, 999));
  for (let i = 0; i < 50; i++) await texts.load(`owner${i}`);
  assert.ok(texts.recall('owner0'));
  await texts.load('owner50');
  assert.equal(texts.recall('owner0'), undefined);
  assert.ok(texts.recall('owner1'));
  assert.ok(texts.recall('owner50'));
  listed.set('long', ids);
  await texts.load('long');
  assert.equal(texts.recall('long'), undefined, 'a text that names more than 1,000 is not cached');
  assert.ok(texts.recall('owner1'));
});
