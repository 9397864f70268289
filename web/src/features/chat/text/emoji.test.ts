import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isFewEmoji } from './emoji.ts';

test('one to three emoji alone are few, also with spaces between them', () => {
  for (const text of [
    '😀',
    '😀😀😀',
    ' 🎉 🎉 ',
    '❤️',
    '👍🏽',
    '👨‍👩‍👧‍👦',
    '🏳️‍🌈',
    '🇨🇳',
    '🇩🇪🇫🇷',
    '1️⃣',
    '✌🏿',
    '❤️‍🔥',
    '🏴󠁧󠁢󠁳󠁣󠁴󠁿',
    '☺️',
  ])
    assert.equal(isFewEmoji(text), true, text);
});

test('four emoji, or any letter, digit or sign beside them, are text', () => {
  for (const text of [
    '😀😀😀😀',
    'hi 😀',
    '😀!',
    '1',
    '123',
    '#',
    '*',
    '©',
    'ab',
    '中',
    '',
    ' ',
    '\u200d',
    '🇨',
    '😀\u0301\u0301',
  ])
    assert.equal(isFewEmoji(text), false, text);
});

test('a long text of emoji is refused without reading all of it', () => {
  assert.equal(isFewEmoji('😀'.repeat(4_000)), false);
  assert.equal(isFewEmoji(`👩${'\u200d👩'.repeat(1_000)}`), false);
});
