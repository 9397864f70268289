import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Store } from '../../../data/store.ts';
import type { PersonView } from '../model/views.ts';
import { namesToSearch } from './use-found.ts';

test('a list without a search does not follow the names of all users', () => {
  const known = new Store<readonly PersonView[]>([]);
  const listener = () => {};
  assert.deepEqual(namesToSearch({ known }, undefined).getSnapshot(), []);
  namesToSearch({ known }, undefined).subscribe(listener);
  assert.equal(known.hasSubscribers, false);
  namesToSearch({ known }, '').subscribe(listener);
  assert.equal(known.hasSubscribers, true);
});
