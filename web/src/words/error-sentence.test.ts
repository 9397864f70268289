import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { DoormanError } from '../../../client/src/errors.ts';
import { errorSentence, errorWordSentence } from './error-sentence.ts';
import { WORDS } from './languages.ts';

const root = join(import.meta.dirname, '../../..');

/** Of the service's refusals those that only a program could meet that speaks the protocol wrongly, not a person here. */
const NEVER_HERE = new Set([
  'hello_first',
  'hello_twice',
  'other_session',
  'unknown_frame',
  'origin',
  'bad_cursor',
  'route_not_found',
  'subscription_confirmed',
  'page_not_built',
]);

test('there is a sentence for each word with which the service refuses a person', () => {
  const words = globSync('src/**/*.ts', { cwd: root, exclude: ['**/*.test.ts'] }).flatMap((file) => {
    const text = readFileSync(join(root, file), 'utf8');
    return [
      ...text.matchAll(/new ServiceError\(\s*'[\w-]+',\s*'(\w+)'/g),
      ...text.matchAll(/: Refusal = \['(\w+)'/g),
      ...text.matchAll(/ok: false, word: '(\w+)'/g),
    ].map(([, word = '']) => word);
  });
  assert.ok(
    words.includes('username_taken') && words.includes('not_accepting') && words.includes('endpoint_private'),
  );
  const other = WORDS.en.errorTexts.other;
  const missing = [...new Set(words)].filter(
    (word) => !NEVER_HERE.has(word) && errorWordSentence(word, 'en') === other,
  );
  assert.deepEqual(missing, []);
});

test('a person is told how long to wait', () => {
  const limited = (retryAfterMs?: number) =>
    new DoormanError(429, 'rate_limited', '请求过于频繁', {
      ...(retryAfterMs !== undefined && { retryAfterMs }),
    });
  assert.equal(errorSentence(limited(1_000), 'en'), 'That was often. Please try again in 1 second.');
  assert.equal(errorSentence(limited(29_400), 'en'), 'That was often. Please try again in 30 seconds.');
  assert.equal(errorSentence(limited(600_000), 'en'), 'That was often. Please try again in 10 minutes.');
  assert.equal(errorSentence(limited(29_400), 'zh'), '操作太频繁了，请在30秒钟后再试。');
  assert.equal(errorSentence(limited(), 'en'), 'That was often. Please wait a little and try again.');
});

test('what is not known is said kindly, never in the words of a machine', () => {
  const other = 'That did not work. Please try again.';
  assert.equal(errorSentence(new DoormanError(400, 'toString', 'x'), 'en'), other);
  assert.equal(errorSentence(new TypeError('undefined is not a function'), 'en'), other);
  assert.equal(errorSentence('nothing', 'en'), other);
});
