import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AccountLogPage } from 'doorman-client';
import { withNewest } from './with-newest.ts';

function page(ids: string, next?: string): AccountLogPage {
  const act = { at: 0, what: 'signed_in', session: '', device: '', address: '', detail: {} } as const;
  return { items: [...ids].map((id) => ({ id, ...act })), ...(next && { next }) };
}

test('a fresh first page is followed by what was loaded after it', () => {
  assert.deepEqual(withNewest(page('edc', 'c'), undefined), page('edc', 'c'));
  assert.deepEqual(withNewest(page('gfe', 'e'), page('fedcba')), page('gfedcba'));
  assert.deepEqual(withNewest(page('fed', 'd'), page('fedcb', 'b')), page('fedcb', 'b'));
});

test('if the log has grown by more than a page, the page stands alone, as entries would be missing', () => {
  assert.deepEqual(withNewest(page('zyx', 'x'), page('fedcb', 'b')), page('zyx', 'x'));
  assert.deepEqual(withNewest(page(''), page('a')), page(''));
});
