import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Lanes } from './lanes.ts';

interface Load {
  readonly origin: string;
  readonly n: number;
}

function loads(origin: string, count: number): Load[] {
  return Array.from({ length: count }, (_, n) => ({ origin, n }));
}

/** Lanes in which `origin` is known to answer. */
function proven(...origins: string[]): Lanes<Load> {
  const lanes = new Lanes<Load>();
  for (const origin of origins)
    for (let i = 0; i < 4; i++) {
      lanes.offer({ origin, n: -1 });
      for (const load of lanes.start(1)) lanes.end(load, { ms: 10, isAnswered: true });
    }
  return lanes;
}

test('sixteen at once go to a push service that answers, two to one that is not known to', () => {
  const lanes = proven('https://good');
  for (const load of [...loads('https://good', 40), ...loads('https://new', 10)]) assert(lanes.offer(load));
  const started = Map.groupBy(lanes.start(100), (load) => load.origin);
  assert.equal(started.get('https://good')?.length, 16);
  assert.equal(started.get('https://new')?.length, 2);
  assert.deepEqual(lanes.start(100), []);
});

test('lanes take turns, each in its order', () => {
  const lanes = proven('a', 'b');
  for (const load of [...loads('a', 5), ...loads('b', 2)]) lanes.offer(load);
  assert.deepEqual(
    lanes.start(5).map(({ origin, n }) => `${origin}${n}`),
    ['a0', 'b0', 'a1', 'b1', 'a2'],
  );
});

test('a push service that stops answering gets less, and more again when it answers', () => {
  const lanes = proven('a');
  for (const load of loads('a', 16)) lanes.offer(load);
  const hanging = lanes.start(100);
  assert.equal(hanging.length, 16);
  for (const load of hanging) lanes.end(load, { ms: 10_000, isAnswered: false });
  assert.deepEqual(
    loads('a', 4).map((load) => lanes.offer(load)),
    [true, true, false, false],
  );
  const [only, ...others] = lanes.start(100);
  assert.deepEqual(others, []);
  assert(only);
  lanes.end(only, { ms: 5, isAnswered: true });
  for (const load of loads('a', 4)) lanes.offer(load);
  assert.equal(lanes.start(100).length, 2);
});

test('a thousand push services that hang leave room for those that answer', () => {
  const lanes = proven('https://good');
  for (let i = 0; i < 1_000; i++) for (const load of loads(`https://evil-${i}`, 3)) lanes.offer(load);
  assert.equal(lanes.start(1_000).length, 64);
  for (const load of loads('https://good', 100)) assert(lanes.offer(load));
  assert.equal(lanes.start(1_000).length, 16);
});

test('a full lane tells each when to come again, in turn, and within a minute', () => {
  const lanes = new Lanes<Load>();
  let taken = 0;
  while (lanes.offer({ origin: 'a', n: taken })) taken += 1;
  assert.equal(taken, 32);
  // Nobody knows yet how fast it is.
  assert.deepEqual([lanes.turnAfter('a', 5_000), lanes.turnAfter('a', 5_000)], [5_250, 5_250]);
  for (const load of lanes.start(2)) lanes.end(load, { ms: 1_000, isAnswered: true });
  const turns = Array.from({ length: 1_000 }, () => lanes.turnAfter('a', 5_000));
  assert.deepEqual(turns.slice(0, 3), [5_125, 5_250, 5_375]);
  assert(turns.every((at) => at <= 65_000));
  assert(lanes.offer({ origin: 'b', n: 0 }));
});

test('lanes are empty when everything has ended or left', () => {
  const lanes = new Lanes<Load>();
  for (const load of loads('a', 3)) lanes.offer(load);
  const started = lanes.start(10);
  assert.equal(lanes.isEmpty, false);
  assert.deepEqual(lanes.clear(), [{ origin: 'a', n: 2 }]);
  for (const load of started) lanes.end(load, null);
  assert.equal(lanes.isEmpty, true);
  assert.deepEqual(lanes.start(10), []);
});
