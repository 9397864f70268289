import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { test } from 'node:test';

/** More words than this make a long sentence. */
const WORDS = 30;
/** Some facts need one long sentence. */
const LONG_SENTENCES_ALLOWED = 10;

/** The contract is not ours to change. */
const documents = ['README.md', ...globSync('docs/*.md').sort()].filter(
  (path) => path !== 'docs/interface.md',
);

/**
 * Sentences of a document: a paragraph, a point of a list or a cell of a table has at least one. A sentence ends with `.`, `!` or `?`
 * before a space. Code blocks, headings and HTML have none. Code in backticks is one word, and so is a link's target.
 */
function sentencesIn(markdown: string): string[] {
  return markdown
    .replaceAll(/^( *)```[\s\S]*?^\1```/gm, '\n')
    .replaceAll(/<[a-z/!][^>]*>/g, '\n\n')
    .replaceAll(/`[^`]+`/g, 'code')
    .replaceAll(/\]\([^)]*\)/g, ']')
    .split(/\n\s*\n|\n(?=\s*(?:[-*]|\d+\.) |#|\||> )|(?<=^#.*)\n|\|/m)
    .filter((block) => !block.startsWith('#'))
    .flatMap((block) => block.replaceAll(/\s+/g, ' ').split(/(?<=[.!?][)*"]*) /))
    .map((sentence) => sentence.trim())
    .filter((sentence) => sentence !== '');
}

const wordsOf = (sentence: string) => sentence.split(' ').filter((word) => /[\p{L}\p{N}]/u.test(word));

test('sentences end at a full stop, a point of a list and a cell of a table', () => {
  const text =
    '# Not this\nOne, `a. b`\nline ([two](x.md)). Three:\n- four\n  five\n- six\n\n| seven | eight. Nine |\n|---|\n```\nno\n```\nTen';
  assert.deepEqual(
    sentencesIn(text).filter((sentence) => wordsOf(sentence).length > 0),
    ['One, code line ([two]).', 'Three:', '- four five', '- six', 'seven', 'eight.', 'Nine', 'Ten'],
  );
  assert.equal(wordsOf('- One, code (two) 3 - four.').length, 5);
});

test(`at most ${LONG_SENTENCES_ALLOWED} sentences of README.md and docs/*.md have more than ${WORDS} words`, () => {
  assert.ok(documents.length > 10, documents.join());
  const long = documents.flatMap((path) =>
    sentencesIn(readFileSync(path, 'utf8'))
      .filter((sentence) => wordsOf(sentence).length > WORDS)
      .map((sentence) => `${path}, ${wordsOf(sentence).length} words: ${sentence}`),
  );
  assert.ok(long.length <= LONG_SENTENCES_ALLOWED, `${long.length}\n${long.join('\n')}`);
});
