import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findGender, isLongBio } from './person-facts.ts';

test('a gender that the interface does not name is none', () => {
  assert.equal(findGender('female'), 'female');
  assert.equal(findGender(''), undefined);
  assert.equal(findGender('<b>x</b>'), undefined);
  assert.equal(findGender('toString'), undefined);
});

test('a bio of many lines or many letters is folded', () => {
  assert.ok(!isLongBio('Hello.\n\nI am here.'));
  assert.ok(!isLongBio(''));
  assert.ok(isLongBio('x'.repeat(1_000)));
  assert.ok(isLongBio('\n'.repeat(20)));
  assert.ok(isLongBio('a\r\n'.repeat(20)));
  assert.ok(!isLongBio('a\r\n'.repeat(7)));
});
