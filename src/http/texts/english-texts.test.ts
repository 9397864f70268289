import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { ENGLISH_TEXTS } from './english-texts.ts';

const CHINESE = /\p{Script=Han}/u;
/** A word and its text, in a refusal or in a table of texts, as in `'block_self', '不能拉黑自己'`. */
const WORD_AND_TEXT = /(?:'([a-z0-9_]+)',\s+|^ {2}([a-z0-9_]+): )[`'][^`'\n]*\p{Script=Han}/gmu;
/** Words that their sources compose with a text. */
const ELSEWHERE = ['internal', 'too_many_syncs', 'too_many_watches'];
/** Words that bring their texts in both languages, and a field that is no word. */
const BOTH = ['page_not_built', 'invalid_field', 'message'];

function wordsWithChineseTexts(): Set<string> {
  const sources = globSync('src/**/*.ts').filter((path) => !path.endsWith('.test.ts'));
  const found = sources.flatMap((path) =>
    [...readFileSync(path, 'utf8').matchAll(WORD_AND_TEXT)].map(([, thrown, listed]) => thrown ?? listed),
  );
  return new Set(found.filter((word): word is string => word !== undefined && !BOTH.includes(word)));
}

test('each refusal with a Chinese text has an English one, and no text is left over', () => {
  const words = [...wordsWithChineseTexts(), ...ELSEWHERE];
  assert.ok(words.length > 40, 'the sources were read');
  assert.deepEqual([...words].sort(), Object.keys(ENGLISH_TEXTS).sort());
  for (const text of Object.values(ENGLISH_TEXTS)) assert.doesNotMatch(text, CHINESE);
});
