import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fromWire, withFresh, withSettings } from './conversations.ts';

const SETTINGS = { mutedUntil: 0, pinnedAt: 0, archived: 0, markedUnread: 0, clearedN: 0 } as const;
const LOADED = {
  peer: 'bob',
  last: { n: 2, from: 'bob', cid: 'two', body: 'secret', at: 1 },
  unread: 2,
  received: 0,
  read: 0,
  ownRead: 0,
  revision: 0,
  ...SETTINGS,
};

test('a deleted conversation does not come back with an answer from before its deletion', () => {
  const deleted = withSettings(fromWire(LOADED), { ...SETTINGS, clearedN: 2, seq: 5 });
  assert.equal(withFresh(deleted, LOADED, 4), deleted);
  const last = { ...LOADED.last, n: 3, body: 'again' };
  assert.equal(withFresh(deleted, { ...LOADED, last, unread: 1 }, 4).last, last);
});
