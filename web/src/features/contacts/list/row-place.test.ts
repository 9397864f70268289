import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findRow } from './row-place.ts';

const place = (index: number, id: string, ids: string[]) =>
  findRow({ index, id }, ids.length, (at) => ids[at] ?? '');

test('the row that was used follows its person', () => {
  assert.equal(place(1, 'b', ['a', 'b', 'c']), 1);
  assert.equal(place(1, 'b', ['x', 'y', 'a', 'b']), 3);
  assert.equal(place(3, 'b', ['b']), 0);
});

test('when the user leaves the list, the row in the same place is used', () => {
  assert.equal(place(1, 'b', ['a', 'c', 'd']), 1);
  assert.equal(place(2, 'c', ['a', 'b']), 1);
});
