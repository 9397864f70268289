import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { beginWords, foldName } from '../../../../../src/users/name-keys.ts';
import { anyText } from '../../../../../test/any-text.ts';
import { beginsWord, fold, isNamed, isUsername, sortByName } from './name-filter.ts';

const person = (name: string, username = name) => ({ name, username });

test('a name is the username itself, however it is spelt', () => {
  for (const [name, username] of [
    ['ada', 'ada'],
    ['Ada', 'ada'],
    [' ＡＤＡ ', 'ada'],
    ['ΣΟΦΟΣ', 'σοφοσ'],
  ] as const)
    assert.ok(isUsername(person(name, username)), name);
  for (const name of ['Ada L.', 'adá', 'ad a', '']) assert.ok(!isUsername(person(name, 'ada')), name);
});

test('a user is found by any part of the name or the username', () => {
  const isFound = (name: string, typed: string, username = 'someone') =>
    isNamed(person(name, username), fold(typed));
  assert.ok(isFound('Ada Lovelace', 'love'));
  assert.ok(isFound('Ada Lovelace', 'COUNT', 'countess'));
  assert.ok(isFound('爱达·勒芙蕾丝', '勒芙'));
  assert.ok(isFound('Ada', 'some'));
  assert.ok(isFound('a.b', 'a.'));
  assert.ok(!isFound('bxa', 'a.'));
  assert.ok(!isFound('Ada', 'bob'));
});

test('a user is found by words that start words of one name, in any order', () => {
  const isFound = (name: string, typed: string, username = 'someone') =>
    isNamed(person(name, username), fold(typed));
  assert.ok(isFound('Anna Maria Smith', 'an sm'));
  assert.ok(isFound('Anna Maria Smith', 'sm ann'));
  assert.ok(isFound('Ana María Núñez', 'nunez ana'));
  assert.ok(isFound('林小雨', '雨 林'));
  assert.ok(isFound("Conan O'Brien", 'brien con'));
  assert.ok(isFound('김민수', '민수 김'));
  assert.ok(isFound('สมชาย ใจดี', 'ชาย ใจ'));
  assert.ok(isFound('محمد علي حسن', 'حسن محمد'));
  assert.ok(isFound('axb', 'a.'));
  assert.ok(!isFound('林abc', '林 bc'));
  assert.ok(!isFound('Anna Maria Smith', 'an mith'));
  assert.ok(!isFound('Anna Smith', 'an som', 'someone'));
  assert.ok(!isFound('!!!', '! ?'));
});

test('case, width, accents, white space and hidden characters do not matter', () => {
  for (const [name, typed] of [
    ['Zoë', 'zoe'],
    ['Zoe', 'ZOË'],
    ['Ａｄａ', 'ada'],
    ['Ada', 'ＡＤＡ'],
    ['A\u200bda', 'ada'],
    ['Ada   Lovelace', ' ada\u3000lovelace '],
    ['Σοφός', 'ΣΟΦΌΣ'],
    ['ﬁne', 'FI'],
    ['İpek', 'ipek'],
  ] as const)
    assert.ok(isNamed(person(name), fold(typed)), `${typed} finds ${name}`);
});

test('whoever the directory finds by words of a name is found', () => {
  const cut = fc.tuple(fc.nat({ max: 10 }), fc.nat({ max: 4 }));
  const cuts = fc.array(cut, { minLength: 1, maxLength: 3 });
  fc.assert(
    fc.property(anyText({ maxLength: 10 }), cuts, (name, places) => {
      const typed = places.map(([from, length]) => [...name].slice(from, from + length).join('')).join(' ');
      const words = foldName(typed).split(' ');
      if (!/[\p{L}\p{N}]/u.test(typed) || !beginWords(words, foldName(name))) return;
      assert.ok(isNamed(person(name, 'x'), fold(typed)), JSON.stringify([name, typed]));
    }),
    { numRuns: 1_000 },
  );
});

test('a name with a word that begins with the text comes before others', () => {
  assert.ok(beginsWord(person('Ada Lovelace', 'countess'), 'love'));
  assert.ok(beginsWord(person('Ada Lovelace', 'countess'), 'count'));
  assert.ok(!beginsWord(person('Madame', 'x1'), 'ada'));
});

test('friends are sorted as their language sorts names, and users without a known name come last', () => {
  const sorted = (locale: string, names: string[]) =>
    sortByName(
      names.map((name, i) => person(name, `u${i}`)),
      locale,
    ).map(({ name }) => name);
  assert.deepEqual(sorted('en', ['', 'zoe', 'Émile', 'adam', 'eve', 'p10', 'p9', '']), [
    'adam',
    'Émile',
    'eve',
    'p9',
    'p10',
    'zoe',
    '',
    '',
  ]);
  assert.deepEqual(sorted('zh-CN', ['王', '李', '张', '陈']), ['陈', '李', '王', '张']);
  assert.deepEqual(
    sortByName([person('Ada', 'b'), person('Ada', 'a')], 'en').map(({ username }) => username),
    ['a', 'b'],
  );
});
