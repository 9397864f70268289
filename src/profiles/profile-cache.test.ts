import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Events } from '../events/hints.ts';
import { ProfileCache } from './profile-cache.ts';
import type { PublicUser } from './schemas.ts';

function start() {
  const events = new Events();
  const bios = new Map<string, string>();
  const waits: Promise<void>[] = [];
  const profiles = new ProfileCache(async (id): Promise<PublicUser> => {
    const bio = bios.get(id) ?? '';
    await waits.shift();
    return { id, username: id, avatar: '', nickname: '', gender: '', bio, phone: '' };
  }, events);
  return { events, bios, waits, profiles };
}

test('a profile that was read is recalled as the text up to the value of isOnline', async () => {
  const { profiles, bios } = start();
  bios.set('alice', 'a "quoted" bio}');
  assert.equal(profiles.recall('alice'), undefined);
  const text = await profiles.load('alice');
  assert.equal(profiles.recall('alice'), text);
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

test('a changed profile is dropped alone, an external change drops all', async () => {
  const { profiles, events } = start();
  await profiles.load('alice');
  await profiles.load('bob');
  events.publish({ type: 'user-changed', userId: 'alice' });
  assert.equal(profiles.recall('alice'), undefined);
  assert.ok(profiles.recall('bob'));
  await profiles.load('alice');
  events.publish({ type: 'sessions-ended', sessionIds: ['alice'] });
  assert.ok(profiles.recall('alice'));
  events.publish({ type: 'external-change' });
  assert.equal(profiles.recall('alice'), undefined);
  assert.equal(profiles.recall('bob'), undefined);
});

test('what was read before a change is not cached after it', async () => {
  for (const event of [{ type: 'user-changed', userId: 'alice' }, { type: 'external-change' }] as const) {
    const { profiles, events, waits, bios } = start();
    const { promise, resolve } = Promise.withResolvers<void>();
    waits.push(promise);
    const old = profiles.load('alice');
    bios.set('alice', 'new');
    events.publish(event);
    resolve();
    assert.match(await old, /"bio":""/);
    assert.equal(profiles.recall('alice'), undefined);
    assert.match(await profiles.load('alice'), /"bio":"new"/);
  }
});

test('beyond 20,000 the least recently loaded profile is dropped', async () => {
  const { profiles } = start();
  for (let i = 0; i < 20_000; i++) await profiles.load(`user${i}`);
  assert.ok(profiles.recall('user0'));
  await profiles.load('one more');
  assert.equal(profiles.recall('user0'), undefined);
  assert.ok(profiles.recall('user1'));
  assert.ok(profiles.recall('one more'));
});
