import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RegisterBody } from '../../../../src/accounts/schemas.ts';
import { readFields } from '../../../../src/http/validation.ts';
import { checkNickname, checkPassword, checkUsername } from './form-fields.ts';

/** The word with which the service itself refuses a registration; `undefined` if it takes it. */
function refusalOf(body: { username?: string; password?: string; nickname?: string }): string | undefined {
  try {
    readFields(RegisterBody, { username: 'ada', password: 'secret', ...body });
    return undefined;
  } catch (error) {
    assert.ok(error instanceof Error && 'word' in error);
    return String(error.word);
  }
}

const NAMES = [
  '',
  'a',
  'ab',
  '张明',
  '😀',
  '😀😀',
  'x'.repeat(32),
  'x'.repeat(33),
  '😀'.repeat(32),
  '😀'.repeat(33),
];
const ODD_NAMES = [' ab', 'ab ', 'a b', 'a\u200bb', 'a\u202eb', 'a\nb', 'a\tb', 'a\ue000b', '\u3000ab', 'é́'];

for (const username of [...NAMES, ...ODD_NAMES])
  test(`the page checks the username ${JSON.stringify(username)} as the service does`, () => {
    assert.equal(checkUsername(username), refusalOf({ username }));
  });

for (const password of [
  '',
  'short',
  'enough',
  '密码密码密码',
  '😀'.repeat(5),
  '😀'.repeat(6),
  'x'.repeat(128),
  'x'.repeat(129),
])
  test(`the page checks the password ${JSON.stringify(password).slice(0, 24)} as the service does`, () => {
    assert.equal(checkPassword(password), refusalOf({ password }));
  });

test('a nickname has up to 64 code points, as at the service', () => {
  for (const nickname of ['', '😀'.repeat(64)]) {
    assert.equal(checkNickname(nickname), undefined);
    assert.equal(refusalOf({ nickname }), undefined);
  }
  assert.equal(checkNickname('😀'.repeat(65)), 'nickname_too_long');
  assert.equal(refusalOf({ nickname: '😀'.repeat(65) }), 'invalid_field');
});
