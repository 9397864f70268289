import assert from 'node:assert/strict';
import { test } from 'node:test';
import { KeyedStore } from './keyed-store.ts';
import { Derived, Store } from './store.ts';

test('a store notifies each subscriber of changes, and of nothing else', () => {
  const store = new Store(1);
  const seen: number[] = [];
  const listener = () => seen.push(store.getSnapshot());
  const unsubscribe = store.subscribe(listener);
  const unsubscribeToo = store.subscribe(listener);
  store.set(1);
  store.set(2);
  unsubscribe();
  unsubscribe();
  store.set(3);
  unsubscribeToo();
  store.set(4);
  assert.deepEqual(seen, [2, 2, 3]);
});

test('a derived value is right at every moment, and a thousand changes are few notifications', (t) => {
  let nowMs = 1_000;
  t.mock.method(performance, 'now', () => nowMs);
  t.mock.timers.enable({ apis: ['setTimeout'] });
  let source = 0;
  let computed = 0;
  const double = new Derived(() => {
    computed++;
    return source * 2;
  });
  let notified = 0;
  double.subscribe(() => notified++);
  for (source = 1; source <= 1_000; source++) double.invalidate();
  assert.deepEqual([double.getSnapshot(), double.getSnapshot(), computed, notified], [2_002, 2_002, 1, 1]);
  nowMs += 40;
  t.mock.timers.tick(39);
  assert.equal(notified, 1);
  t.mock.timers.tick(1);
  assert.equal(notified, 2, 'subscribers are notified of the last change too');
});

test('an equal view of a key stays the same object, and notifies no subscriber', () => {
  const names = new Map([['a', 'Ann']]);
  const views = new KeyedStore({ view: (key: string) => ({ name: names.get(key) ?? '' }) });
  const before = views.of('a').getSnapshot();
  let notified = 0;
  views.of('a').subscribe(() => notified++);
  views.refresh('a');
  assert.deepEqual([views.of('a').getSnapshot() === before, notified], [true, 0]);
  names.set('a', 'Anna');
  views.refresh('a');
  assert.deepEqual([views.of('a').getSnapshot().name, notified], ['Anna', 1]);
});

test('stores without subscribers are dropped, those with subscribers never, and both stay right', () => {
  const names = new Map<string, string>();
  const views = new KeyedStore({ view: (key: string) => names.get(key) ?? 'unknown' });
  const subscribed = views.of('subscribed');
  let notified = 0;
  subscribed.subscribe(() => notified++);
  const unused = views.of('unused');
  for (let i = 0; i < 10_000; i++) views.of(`key ${i}`);
  for (const key of ['subscribed', 'unused']) {
    names.set(key, 'known');
    views.refresh(key);
  }
  assert.equal(views.of('subscribed'), subscribed);
  assert.notEqual(views.of('unused'), unused);
  assert.deepEqual(
    [subscribed.getSnapshot(), views.of('unused').getSnapshot(), notified],
    ['known', 'known', 1],
  );
});

test('the first subscriber of a key is reported, each time there was none before', () => {
  const reported: string[] = [];
  const views = new KeyedStore({
    view: (key: string) => key,
    onFirstSubscriber: (key) => reported.push(key),
  });
  const ends = [views.of('a').subscribe(() => {}), views.of('a').subscribe(() => {})];
  for (const end of ends) end();
  assert.deepEqual(views.subscribedKeys(), []);
  views.of('a').subscribe(() => {});
  assert.deepEqual([reported, views.subscribedKeys()], [['a', 'a'], ['a']]);
});
