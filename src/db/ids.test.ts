import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NO_IDS, OWN_IDS } from '../../test/ids.ts';
import { isUserId, newId } from './ids.ts';

test('ids are UUIDs of version 7, sort by when they were made, and share no random bits', () => {
  const now = Date.now();
  const ids = Array.from({ length: 5_000 }, (_, i) => newId(now - (i % 3)));
  for (const id of ids)
    assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  assert.deepEqual(ids.toSorted(), ids);
  assert.equal(new Set(ids.map((id) => id.slice(19))).size, ids.length);
  assert.ok(ids.every(isUserId));
});

test('a user may have an id of any product, which is a text of up to 64 characters without separators', () => {
  assert.deepEqual(
    OWN_IDS.filter((id) => !isUserId(id)),
    [],
  );
  assert.deepEqual([...NO_IDS, 7, null, undefined, {}, ['7'], new String('7')].filter(isUserId), []);
});
