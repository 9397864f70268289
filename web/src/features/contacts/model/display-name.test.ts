import assert from 'node:assert/strict';
import { test } from 'node:test';
import { shownName } from './display-name.ts';

test('somebody has the name he gave himself', () => {
  for (const nickname of ['Ada', ' a ', '小明', '😀', 'é', 'م', '.', '❤️', '한'])
    assert.equal(shownName({ nickname, username: 'ada' }), nickname);
});

test('a nickname of which nothing can be seen is none', () => {
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
    assert.equal(shownName({ nickname, username: 'ada' }), 'ada');
  assert.equal(shownName({ username: 'ada' }), 'ada');
});
