import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EMOJI, findEmoji, TONES, withTone } from './emoji.ts';

/** What the service accepts as a reaction. */
const ONE_EMOJI = /^\p{RGI_Emoji}$/v;

function found(text: string): string[] {
  return findEmoji(text).map(({ emoji }) => emoji);
}

test('the service accepts each emoji of the picker, with each skin tone, and each has names in both languages', () => {
  assert.ok(EMOJI.length > 350);
  for (const { emoji, name, words } of EMOJI) {
    for (const tone of TONES) assert.match(withTone(emoji, tone), ONE_EMOJI);
    assert.match(name.en, /^[a-z][a-z A-Z-]*$/, emoji);
    assert.match(name.zh, /^[\p{Script=Han}]+$/v, emoji);
    assert.equal(words.split('|').length, 2, emoji);
  }
  assert.equal(new Set(EMOJI.map(({ emoji }) => emoji)).size, EMOJI.length);
});

test('a skin tone changes only what has skin', () => {
  assert.deepEqual(
    ['👍', '✌️', '😀', '❤️'].map((emoji) => withTone(emoji, '🏿')),
    ['👍🏿', '✌🏿', '😀', '❤️'],
  );
});

test('emoji are found by words of both languages, in any order, and by names first', () => {
  assert.equal(found('heart')[0], '😍');
  assert.deepEqual(found('heart RED'), ['❤️']);
  assert.ok(found('生日').includes('🎂'));
  assert.equal(found('狗')[0], '🐶');
  assert.deepEqual(found('🐶'), ['🐶']);
  assert.deepEqual(found('no such thing'), []);
});
