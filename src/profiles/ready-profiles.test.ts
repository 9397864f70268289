import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Events } from '../events/hints.ts';
import { ReadyProfiles } from './ready-profiles.ts';
import type { PublicUser } from './schemas.ts';

function start() {
  const events = new Events();
  const bios = new Map<string, string>();
  const waits: Promise<void>[] = [];
  let reads = 0;
  const ready = new ReadyProfiles(async (id): Promise<PublicUser> => {
    reads++;
    const bio = bios.get(id) ?? '';
    await waits.shift();
    return { id, username: id, avatar: '', nickname: '', gender: '', bio, phone: '' };
  }, events);
  return { events, bios, waits, ready, reads: () => reads };
}

test('what was made once is recalled, up to the value of isOnline', async () => {
  const { ready, bios } = start();
  bios.set('alice', 'a "quoted" bio}');
  assert.equal(ready.recall('alice'), undefined);
  const text = await ready.make('alice');
  assert.equal(ready.recall('alice'), text);
  assert.deepEqual(JSON.parse(`${text}1}}`), {
    code: 200,
    data: {
      id: 'alice',
      username: 'alice',
      avatar: '',
      nickname: '',
      gender: '',
      bio: 'a "quoted" bio}',
      phone: '',
      isOnline: 1,
    },
  });
});

test('a change drops the user’s and nobody else’s, a change from outside drops all', async () => {
  const { ready, events } = start();
  await ready.make('alice');
  await ready.make('bob');
  events.publish({ type: 'user-changed', userId: 'alice' });
  assert.equal(ready.recall('alice'), undefined);
  assert.ok(ready.recall('bob'));
  await ready.make('alice');
  events.publish({ type: 'sessions-ended', sessionIds: ['alice'], reason: 'ended' });
  assert.ok(ready.recall('alice'));
  events.publish({ type: 'external-change' });
  assert.equal(ready.recall('alice'), undefined);
  assert.equal(ready.recall('bob'), undefined);
});

test('what was read before a change is not kept after it', async () => {
  for (const event of [{ type: 'user-changed', userId: 'alice' }, { type: 'external-change' }] as const) {
    const { ready, events, waits, bios } = start();
    const { promise, resolve } = Promise.withResolvers<void>();
    waits.push(promise);
    const old = ready.make('alice');
    bios.set('alice', 'new');
    events.publish(event);
    resolve();
    assert.match(await old, /"bio":""/);
    assert.equal(ready.recall('alice'), undefined);
    assert.match(await ready.make('alice'), /"bio":"new"/);
  }
});

test('at 20,000 the one made longest ago gives way', async () => {
  const { ready } = start();
  for (let i = 0; i < 20_000; i++) await ready.make(`user${i}`);
  assert.ok(ready.recall('user0'));
  await ready.make('one more');
  assert.equal(ready.recall('user0'), undefined);
  assert.ok(ready.recall('user1'));
  assert.ok(ready.recall('one more'));
});
