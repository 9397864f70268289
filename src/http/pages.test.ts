import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NO_IDS, OWN_IDS } from '../../test/ids.ts';
import { ServiceError } from '../errors.ts';
import { cutPage, type Place, readPlace } from './pages.ts';

const place = (at: number, id: string): Place => ({ at, id });

test('`next` is the cursor of the last entry, and absent on the last page', () => {
  const rows = [place(3, 'c'), place(2, 'b'), place(1, 'a')];
  const { items: first, next } = cutPage(rows, 2, (row) => row);
  assert.deepEqual(first, rows.slice(0, 2));
  assert.deepEqual(readPlace(next), place(2, 'b'));
  assert.deepEqual(
    cutPage(rows, 3, (row) => row),
    { items: rows },
  );
  assert.deepEqual(
    cutPage([], 3, (row: Place) => row),
    { items: [] },
  );
});

test('without a cursor a page begins before every entry', () => {
  assert(readPlace(undefined).at >= Number.MAX_SAFE_INTEGER);
});

test('a cursor that no page had as `next` is refused', () => {
  const { next = '' } = cutPage([place(7, 'x'), place(6, 'y')], 1, (row) => row);
  const forged = ['', 'x', 'any text', `${next}=`, `${next} `, '-1:x', '1e3:x', '7:x\0', ':x', `${next}/x`];
  forged.push(...NO_IDS.filter((id) => id !== '').map((id) => `7:${id}`));
  forged.push(Buffer.from('-1:x').toString('base64url'), `${Buffer.from('7:x').toString('base64url')}=`);
  for (const after of forged)
    assert.throws(
      () => readPlace(after),
      (error) => error instanceof ServiceError && error.kind === 'invalid' && error.word === 'bad_cursor',
      after,
    );
});

test('a cursor names an entry by an id of any form', () => {
  for (const id of OWN_IDS) {
    const { next } = cutPage([place(7, id), place(6, 'y')], 1, (row) => row);
    assert.deepEqual(readPlace(next), place(7, id));
  }
});

test('a cursor of an earlier version, in Base64url, continues its list', () => {
  assert.deepEqual(readPlace(Buffer.from('7:x').toString('base64url')), place(7, 'x'));
});
