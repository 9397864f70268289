import assert from 'node:assert/strict';
import { test } from 'node:test';
import { avatarHue, initialsOf } from './avatar.ts';

const INITIALS: Record<string, string> = {
  ada: 'A',
  'Ada Lovelace': 'AL',
  'ada king lovelace': 'AK',
  张小明: '张',
  '👩‍🚀 Mae': '👩‍🚀',
  _dot_: 'D',
  'Élodie d’Arc': 'ÉD',
  '\u202eevil': 'E',
  '...': '.',
  '': '',
};

for (const [name, initials] of Object.entries(INITIALS))
  test(`${name} is short ${initials || 'nothing'}`, () => {
    assert.equal(initialsOf(name), initials);
  });

test('marks stacked upon a letter are cut', () => {
  assert.equal([...initialsOf(`Z${'\u0301'.repeat(500)}`)].length, 8);
});

test('a person keeps the colour, and people spread over all eight', () => {
  assert.equal(avatarHue('0199-ada'), avatarHue('0199-ada'));
  // As the service makes ids: a moment, a counter, and random digits.
  const random = (n: number) => (Math.imul(n + 1, 0x9e3779b1) >>> 0).toString(16).padStart(8, '0');
  const ids = Array.from(
    { length: 800 },
    (_, n) => `0199c6f1-2a34-7000-8${random(n).slice(0, 3)}-0123${random(n)}`,
  );
  const counts = [...Map.groupBy(ids, avatarHue).values()].map(({ length }) => length);
  assert.equal(counts.length, 8);
  for (const count of counts) assert.ok(count > 60 && count < 140, counts.join(' '));
});
