import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RecentMap } from './recent-map.ts';

test('a key is found for the idle time after its last set, and forgotten as new ones come after twice that', () => {
  const map = new RecentMap<number>({ idleMs: 100, maxKeys: 1_000 });
  map.set('alice', 1, 0);
  map.set('bob', 2, 90);
  map.set('alice', 3, 95);
  map.set('carol', 4, 100);
  map.set('dave', 5, 194);
  assert.deepEqual(
    ['alice', 'bob', 'carol', 'dave', 'erin'].map((key) => map.get(key)),
    [3, 2, 4, 5, undefined],
  );
  map.set('bob', 6, 200);
  assert.deepEqual(
    ['alice', 'bob', 'carol', 'dave'].map((key) => map.get(key)),
    [undefined, 6, 4, 5],
  );
});

test('more keys than there is room for push out those that were set first', () => {
  const map = new RecentMap<number>({ idleMs: 100, maxKeys: 6 });
  for (let i = 0; i < 8; i++) map.set(`key ${i}`, i, 0);
  const known = Array.from({ length: 8 }, (_, i) => map.get(`key ${i}`) !== undefined);
  assert.deepEqual(known, [false, false, false, true, true, true, true, true]);
});
