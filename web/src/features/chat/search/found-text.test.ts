import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { anyText } from '../../../../../test/any-text.ts';
import { excerptOf, findMarks, isFound, partsOf, splitByMarks, toMessageQuery } from './found-text.ts';

const marked = (body: string, q: string) =>
  excerptOf(body, partsOf(q))
    .map(({ text, isMarked }) => (isMarked ? `[${text}]` : text))
    .join('');

test('a query has no white space at its ends, nothing that the service refuses, and at most 64 code points', () => {
  assert.equal(toMessageQuery('  @carol\u0000 lunch\n '), '@carol  lunch');
  assert.equal(toMessageQuery(' \t\u3000'), '');
  assert.equal(toMessageQuery('\ud800x'), 'x');
  assert.equal([...toMessageQuery('😀'.repeat(100))].length, 64);
});

test('a message is found if it has all parts, in any order and case', () => {
  for (const [body, q] of [
    ['Lunch on Friday?', 'frid LUNCH'],
    ['我们星期五吃饭', '星期五'],
    ['ÄRGER', 'ärg'],
    ['one two three four five six seven eight', 'one two three four five six seven eight nine'],
  ] as const)
    assert.ok(isFound(body, partsOf(q)), q);
  for (const [body, q] of [
    ['Lunch on Friday?', 'lunch monday'],
    ['Zoë', 'zoe'],
    ['anything', ''],
  ] as const)
    assert.ok(!isFound(body, partsOf(q)), q);
});

test('the parts are marked in the excerpt, which begins a little before the first', () => {
  assert.equal(marked('Lunch on Friday?', 'frid lunch'), '[Lunch] on [Frid]ay?');
  assert.equal(marked('a\n\n b', 'b'), 'a [b]');
  assert.equal(
    marked(`${'word '.repeat(40)}and then lunch at noon`, 'lunch'),
    '…word word and then [lunch] at noon',
  );
  assert.equal(
    marked(`${'字'.repeat(100)}午饭${'字'.repeat(300)}`, '午饭'),
    `…${'字'.repeat(20)}[午饭]${'字'.repeat(138)}…`,
  );
  assert.equal(marked('aaaa', 'aa a'), '[aaaa]');
  assert.equal(marked('İİ lunch', 'lunch'), 'İİ [lunch]');
  assert.equal(marked('ΣΟΦΟΣ', 'σοφος'), '[ΣΟΦΟΣ]');
});

test('the pieces of any text are the text, and each mark is a part of it', () => {
  fc.assert(
    fc.property(anyText({ maxLength: 40 }), fc.nat({ max: 39 }), fc.nat({ max: 5 }), (text, from, length) => {
      const parts = partsOf(toMessageQuery(text.slice(from, from + length)));
      const pieces = splitByMarks(text, parts);
      assert.equal(pieces.map((piece) => piece.text).join(''), text);
      for (const { start, end } of findMarks(text, parts)) assert.ok(start < end && end <= text.length);
    }),
  );
});
