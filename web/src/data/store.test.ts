import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Cell, Computed } from './store.ts';
import { Keyed } from './keyed-store.ts';

test('a cell tells of changes, and of nothing else', () => {
  const cell = new Cell(1);
  const told: number[] = [];
  const hear = () => told.push(cell.get());
  const end = cell.subscribe(hear);
  const endToo = cell.subscribe(hear);
  cell.set(1);
  cell.set(2);
  end();
  end();
  cell.set(3);
  endToo();
  cell.set(4);
  assert.deepEqual(told, [2, 2, 3]);
});

test('a computed value is right at every moment, and a thousand changes are few tellings', (t) => {
  let nowMs = 1_000;
  t.mock.method(performance, 'now', () => nowMs);
  t.mock.timers.enable({ apis: ['setTimeout'] });
  let source = 0;
  let computed = 0;
  const double = new Computed(() => {
    computed++;
    return source * 2;
  });
  let told = 0;
  double.subscribe(() => told++);
  for (source = 1; source <= 1_000; source++) double.invalidate();
  assert.deepEqual([double.get(), double.get(), computed, told], [2_002, 2_002, 1, 1]);
  nowMs += 40;
  t.mock.timers.tick(39);
  assert.equal(told, 1);
  t.mock.timers.tick(1);
  assert.equal(told, 2, 'the last change is told too');
});

test('a key is known again, and its equal views are one object', () => {
  const names = new Map([['a', 'Ann']]);
  const views = new Keyed({ view: (key: string) => ({ name: names.get(key) ?? '' }) });
  const before = views.of('a').get();
  let told = 0;
  views.of('a').subscribe(() => told++);
  views.refresh('a');
  assert.deepEqual([views.of('a').get() === before, told], [true, 0]);
  names.set('a', 'Anna');
  views.refresh('a');
  assert.deepEqual([views.of('a').get().name, told], ['Anna', 1]);
});

test('what nobody listens to is forgotten, what somebody listens to never, and both stay right', () => {
  const names = new Map<string, string>();
  const views = new Keyed({ view: (key: string) => names.get(key) ?? 'unknown' });
  const watched = views.of('watched');
  let told = 0;
  watched.subscribe(() => told++);
  const unwatched = views.of('unwatched');
  for (let i = 0; i < 10_000; i++) views.of(`key ${i}`);
  for (const key of ['watched', 'unwatched']) {
    names.set(key, 'known');
    views.refresh(key);
  }
  assert.equal(views.of('watched'), watched);
  assert.notEqual(views.of('unwatched'), unwatched);
  assert.deepEqual([watched.get(), views.of('unwatched').get(), told], ['known', 'known', 1]);
});

test('who begins to listen is asked for, each time nobody did before', () => {
  const asked: string[] = [];
  const views = new Keyed({ view: (key: string) => key, onWatched: (key) => asked.push(key) });
  const ends = [views.of('a').subscribe(() => {}), views.of('a').subscribe(() => {})];
  for (const end of ends) end();
  assert.deepEqual(views.watched(), []);
  views.of('a').subscribe(() => {});
  assert.deepEqual([asked, views.watched()], [['a', 'a'], ['a']]);
});
