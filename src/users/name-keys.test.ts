import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { anyText } from '../../test/any-text.ts';
import { beginWords, foldName, nameKeys } from './name-keys.ts';

/** The keys of a user with this nickname alone. */
const keysOf = (nickname: string) => [...nameKeys(`\n${nickname}`)];

test('a name has a key for each of its words: the name from there, then the words before it', () => {
  const names: Record<string, string[]> = {
    'Anna Maria Smith': ['anna maria smith', 'maria smith anna', 'smith anna maria'],
    'Jean-Luc O’Neill': ['jean luc o neill', 'luc o neill jean', 'o neill jean luc', 'neill jean luc o'],
    Núñez: ['nunez'],
    ＡＬＩ: ['ali'],
    Σοφός: ['σοφοσ'],
    林小雨: ['林小雨', '小雨 林', '雨 林小'],
    'サーチ ab': ['サーチ ab', 'ーチ ab サ', 'チ ab サー', 'ab サーチ'],
    '김 민수': ['김 민수', '민수 김', '수 김 민'],
    สมชาย: ['สมชาย', 'มชาย ส', 'ชาย สม', 'าย สมช', 'ย สมชา'],
    'مُحَمَّد علي': ['محمد علي', 'علي محمد'],
    abc林1: ['abc林1', '林1 abc', '1 abc林'],
    ' -- Bob ** 7 !': ['bob 7', '7 bob'],
    '😀 !? --': [],
    '': [],
  };
  for (const [name, keys] of Object.entries(names)) assert.deepEqual(keysOf(name), keys, name);
});

test('both names have keys, and equal ones count once', () => {
  assert.deepEqual([...nameKeys('anna\nAnna Smith')], ['anna', 'anna smith', 'smith anna']);
  assert.deepEqual([...nameKeys('Anna\nanna')], ['anna']);
  assert.deepEqual([...nameKeys('')], []);
});

test('a name has at most 24 keys of at most 64 code points', () => {
  const long = keysOf('小𠀀'.repeat(32));
  assert.equal(long.length, 24);
  for (const key of keysOf('ﷺ'.repeat(64)).concat(long)) {
    assert.ok([...key].length <= 64, key);
    assert.ok(key.isWellFormed());
  }
});

test('folding twice changes nothing, whatever the character', () => {
  // The planes behind have ideographs, and those of compatibility.
  const codes = [...Array(0x20000).keys(), ...Array.from({ length: 0x220 }, (_, at) => 0x2f800 + at)];
  for (const code of codes.filter((code) => code < 0xd800 || code >= 0xe000)) {
    const folded = foldName(`a${String.fromCodePoint(code)}`);
    if (foldName(folded) !== folded) assert.fail(`U+${code.toString(16)}`);
  }
  fc.assert(fc.property(anyText(), (name) => foldName(foldName(name)) === foldName(name)));
});

test('each key begins with a word, and has all words of a name that is not cut', () => {
  fc.assert(
    fc.property(anyText(), (name) => {
      const folded = foldName(name);
      for (const key of keysOf(name)) {
        assert.ok(beginWords([key.split(' ')[0] ?? ''], folded));
        if ([...key].length < 64)
          assert.ok([...folded.replaceAll(' ', '')].length === [...key.replaceAll(' ', '')].length);
      }
    }),
  );
});

test('a text begins a word, and goes on in the next ones', () => {
  const name = foldName('Anna-Maria Smith 林小雨');
  for (const text of ['anna', 'an', 'anna ma', 'smith 林', '小雨', '雨', 'maria smith'])
    assert.ok(beginWords([text], name), text);
  for (const text of ['nna', 'mith', '林雨', 'anna smith', 'a smith'])
    assert.ok(!beginWords([text], name), text);
  assert.ok(beginWords(['雨', 'sm', 'an'], name));
  assert.ok(!beginWords(['雨', 'mi'], name));
});
