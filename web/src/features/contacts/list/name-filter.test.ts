import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isUsername, sortByName, startsWith } from './name-filter.ts';

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

test('a user is found by the start of the username or the nickname, however it is spelt', () => {
  assert.ok(startsWith(person('Ada Lovelace', 'countess'), 'ada l'));
  assert.ok(startsWith(person('Ada Lovelace', 'countess'), 'COUNT'));
  assert.ok(startsWith(person('ＡＤＡ', 'x1'), 'ada'));
  assert.ok(startsWith(person('Σοφός', 'x2'), 'ΣΟΦΌΣ'));
  assert.ok(startsWith(person('小明', 'x3'), '小'));
  assert.ok(!startsWith(person('Ada Lovelace', 'countess'), 'love'));
  assert.ok(startsWith(person('a.b', 'a.b'), 'a.'));
  assert.ok(!startsWith(person('axb', 'axb'), 'a.'));
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
