import assert from 'node:assert/strict';
import { test } from 'node:test';
import { displayName } from './display-name.ts';

test('a user is shown by their nickname', () => {
  for (const nickname of ['Ada', ' a ', '小明', '😀', 'é', 'م', '.', '❤️', '한'])
    assert.equal(displayName({ nickname, username: 'ada' }), nickname);
});

test('an invisible nickname is ignored', () => {
  for (const nickname of [
    '',
    ' ',
    '\u3000\t',
    '\u200b\u2060',
    '\u202e\u2069',
    '\u3164',
    '\u2800',
    '\u0301',
    '\n',
  ])
    assert.equal(displayName({ nickname, username: 'ada' }), 'ada');
  assert.equal(displayName({ username: 'ada' }), 'ada');
});
