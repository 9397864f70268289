import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { anyText } from '../../../test/any-text.ts';
import { holdsAll, readParts } from './parts.ts';

/** As `lower` of both databases does it. */
const foldAscii = (text: string) => text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());

test('parts are what stands between any white space, in lower case, at most eight', () => {
  assert.deepEqual(readParts('  Tea\u3000AT\u00a0five\n').parts, ['tea', 'at', 'five']);
  assert.deepEqual(readParts('a b c d e f g h i j').parts, [...'abcdefgh']);
});

test('the filter is the longest text that a database finds as the code does', () => {
  const filters = ['ärger', 'like', 'kick', '林小雨 tea', 'hi', 'k', 'ÄÖÜ', 'x 50%_\\', 'Mañana yes'].map(
    (q) => readParts(q).filter,
  );
  assert.deepEqual(filters, ['rger', 'li', 'ic', '林小雨', 'h', '', '', '50%_\\', 'ana']);
});

test('no character that becomes another one in lower case is lost by the filter', () => {
  for (let code = 1; code <= 0x10ffff; code++) {
    if (code >= 0xd800 && code <= 0xdfff) continue;
    const character = String.fromCodePoint(code);
    const folded = character.toLowerCase();
    if (folded === character) continue;
    const body = `1${character}2`;
    // From within the character and beyond both ends of it.
    for (const q of [folded, `1${folded}`, `${folded}2`, ...folded])
      if (q.trim() !== '' && holdsAll(readParts(q), body))
        assert.ok(foldAscii(body).includes(readParts(q).filter), `U+${code.toString(16)} ${q}`);
  }
});

test('of any texts the filter lets through all that have the parts', () => {
  const special = fc.constantFrom(...'iIkK\u0130\u0131\u212a\u0307\u0308ΣσςßẞäÄ林a \u3000');
  const text = fc.array(fc.oneof(special, anyText({ minLength: 1, maxLength: 1 })), {
    minLength: 1,
    maxLength: 8,
  });
  let held = 0;
  fc.assert(
    fc.property(text, fc.nat(7), fc.nat(8), (characters, from, length) => {
      const body = characters.join('');
      // A piece of the body in another case, which it mostly has.
      const q = characters
        .slice(from, from + length)
        .join('')
        .toUpperCase();
      if (q.trim() === '' || !holdsAll(readParts(q), body)) return;
      held++;
      assert.ok(foldAscii(body).includes(readParts(q).filter), JSON.stringify([q, body]));
    }),
    { numRuns: 5_000 },
  );
  assert.ok(held > 500, `${held} of 5,000`);
});
