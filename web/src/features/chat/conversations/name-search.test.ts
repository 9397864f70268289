import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fold, isNamed } from './name-search.ts';

function isFound(name: string, typed: string, username = 'someone'): boolean {
  return isNamed({ id: '1', name, username, avatar: '', state: 'known' }, fold(typed));
}

test('any part of the name or the username finds a user', () => {
  assert.ok(isFound('Ada Lovelace', 'love'));
  assert.ok(isFound('爱达·勒芙蕾丝', '勒芙'));
  assert.ok(isFound('Ada', 'some'));
  assert.ok(!isFound('Ada', 'bob'));
});

test('case, width, accents and hidden characters do not matter', () => {
  assert.ok(isFound('Zoë', 'zoe'));
  assert.ok(isFound('Zoe', 'ZOË'));
  assert.ok(isFound('Ａｄａ', 'ada'));
  assert.ok(isFound('A\u200bda', 'ada'));
  assert.ok(isFound('Ada   Lovelace', ' ada lovelace '));
});

test('an empty text finds all users, also those whose name is not known yet', () => {
  assert.ok(isNamed({ id: '1', name: '', username: '', avatar: '', state: 'unknown' }, fold(' ')));
});
