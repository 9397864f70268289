import assert from 'node:assert/strict';
import { test } from 'node:test';
import { oneLine, roomLeft, toBody } from './message-body.ts';

test('white space at the ends is not sent, empty lines inside are', () => {
  assert.equal(toBody('\n  one\n\n two \n '), 'one\n\n two');
  assert.equal(toBody(' \n\t '), '');
});

test('characters that the service would refuse are not sent', () => {
  assert.equal(toBody('a\0b'), 'ab');
  assert.equal(toBody('a\ud83d'), 'a\ufffd');
  assert.equal(toBody('\0'), '');
});

test('the room left is known near the limit only, in code points', () => {
  assert.equal(roomLeft(''), undefined);
  assert.equal(roomLeft('W'.repeat(3_799)), undefined);
  assert.equal(roomLeft('W'.repeat(3_800)), 200);
  assert.equal(roomLeft('W'.repeat(4_000)), 0);
  assert.equal(roomLeft('W'.repeat(4_001)), -1);
  assert.equal(roomLeft('😀'.repeat(2_000)), undefined);
  assert.equal(roomLeft('😀'.repeat(4_000)), 0);
  assert.equal(roomLeft(`${'W'.repeat(3_999)}   \n`), 1);
});

test('a preview is one line', () => {
  assert.equal(oneLine('one\n\n  two\tthree\u0007'), 'one two three');
  assert.equal(oneLine('\n\n'), '');
});

test('a preview is cut between characters', () => {
  assert.equal(oneLine('W'.repeat(4_000), 10), `${'W'.repeat(10)}…`);
  assert.equal(oneLine('W'.repeat(10), 10), 'W'.repeat(10));
  assert.equal(oneLine('😀'.repeat(4_000), 5), '😀😀…');
});
