import assert from 'node:assert/strict';
import { test } from 'node:test';
import { KeyCounts } from './key-counts.ts';

test('a count never falls below 0, and a key at 0 is gone', () => {
  const counts = new KeyCounts();
  assert.deepEqual([counts.add('a', 1), counts.add('a', 1), counts.add('b', 1)], [1, 2, 1]);
  assert.deepEqual([counts.get('a'), counts.get('b'), counts.get('c')], [2, 1, 0]);
  assert.deepEqual([counts.add('b', -1), counts.add('b', -1), counts.add('b', 1)], [0, 0, 1]);
  assert.deepEqual([...counts.keys()], ['a', 'b']);
  counts.add('b', -1);
  assert.deepEqual([...counts.keys()], ['a']);
});
