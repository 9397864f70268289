import assert from 'node:assert/strict';
import { test } from 'node:test';
import { byDay } from './by-day.ts';

const at = (day: number, hour: number) => ({ at: new Date(2026, 10, day, hour).getTime() });

test('entries of one day stand together, in the order in which they come', () => {
  const [late, early, before, long] = [at(21, 23), at(21, 0), at(20, 23), at(2, 12)];
  assert.deepEqual(byDay([late, early, before, long]), [[late, early], [before], [long]]);
  assert.deepEqual(byDay([]), []);
});
