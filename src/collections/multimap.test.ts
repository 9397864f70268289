import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Multimap } from './multimap.ts';

test('a key has each value once, in order, and is gone with its last value', () => {
  const map = new Multimap<string, number>();
  map.add('a', 2);
  map.add('a', 1);
  map.add('a', 2);
  map.add('b', 3);
  assert.deepEqual([...map.get('a')], [2, 1]);
  map.delete('a', 2);
  map.delete('b', 4);
  map.delete('c', 1);
  assert.deepEqual([[...map.get('a')], [...map.get('b')], [...map.get('c')]], [[1], [3], []]);
  map.delete('a', 1);
  assert.deepEqual([...map.keys()], ['b']);
  map.add('a', 5);
  map.deleteAll('b');
  assert.deepEqual([...map.keys()], ['a']);
  map.clear();
  assert.deepEqual([...map.keys()], []);
});
