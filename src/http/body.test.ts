import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { ServiceError } from '../errors.ts';
import { hasBadText, parseBody, parseObject } from './body.ts';

function wordOf(parse: () => unknown): string | undefined {
  try {
    parse();
    return undefined;
  } catch (error) {
    assert.ok(error instanceof ServiceError && error.kind === 'invalid', String(error));
    return error.word;
  }
}

test('an object is parsed as it was written', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 5 })), (object) => {
      const text = JSON.stringify(object);
      if (hasBadText(object))
        assert.equal(
          wordOf(() => parseObject(text)),
          'body_bad_text',
        );
      else assert.deepEqual(parseBody(Buffer.from(text)), JSON.parse(text));
    }),
  );
});

test('any bytes are parsed to an object or refused', () => {
  const jsonLike = fc.array(
    fc.constantFrom('{', '}', '[', ']', '"', '\\', 'a', ':', ',', '0', '\\u0000', '\\ud800', ' '),
  );
  fc.assert(
    fc.property(
      fc.oneof(
        fc.uint8Array(),
        jsonLike.map((parts) => Buffer.from(parts.join(''))),
      ),
      (bytes) => {
        const word = wordOf(() => assert.equal(typeof parseBody(Buffer.from(bytes)), 'object'));
        assert.match(word ?? 'body_', /^body_/);
      },
    ),
    { numRuns: 1_000 },
  );
});

test('32 levels are parsed and 33 are refused, with any brackets in strings', () => {
  const nested = (levels: number) => `{"a":${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}}`;
  assert.equal(
    wordOf(() => parseObject(nested(32))),
    undefined,
  );
  assert.equal(
    wordOf(() => parseObject(nested(33))),
    'body_too_deep',
  );
  const inStrings = `{"${'['.repeat(50)}":"${'{'.repeat(50)}\\"${'['.repeat(50)}\\\\"}`;
  assert.equal(
    wordOf(() => parseObject(inStrings)),
    undefined,
  );
});

test('the depth is checked before anything recursive runs, also for a million levels', () => {
  const text = '['.repeat(1_000_000);
  assert.equal(
    wordOf(() => parseObject(text)),
    'body_too_deep',
  );
});

test('U+0000 and lone surrogates are refused anywhere, whole characters are not', () => {
  for (const bad of [
    '{"a":"\\u0000"}',
    '{"a":["x",{"b":"\\ud83d"}]}',
    '{"a":"\\ude00\\ud83d"}',
    '{"\\ud800":1}',
  ])
    assert.equal(
      wordOf(() => parseObject(bad)),
      'body_bad_text',
      bad,
    );
  assert.deepEqual(parseObject('{"a":"\\ud83d\\ude00 \\u0001"}'), { a: '😀 \u0001' });
  assert.deepEqual(parseObject('{"a":"\\\\u0000"}'), { a: '\\u0000' });
});

test('a field named __proto__ is a plain field', () => {
  const parsed = parseObject('{"__proto__":{"isAdmin":true}}');
  assert.deepEqual(Object.keys(parsed), ['__proto__']);
  assert.equal('isAdmin' in parsed, false);
});
