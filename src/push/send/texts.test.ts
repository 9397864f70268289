import assert from 'node:assert/strict';
import { test } from 'node:test';
import { acceptedLanguage, languageOf } from './texts.ts';

test('every Chinese is Chinese, and everything else English', () => {
  for (const tag of ['zh', 'zh-CN', 'ZH-hant-TW']) assert.equal(languageOf(tag), 'zh', tag);
  for (const tag of ['en', 'de-AT', 'zho', 'x-zh', '']) assert.equal(languageOf(tag), 'en', tag);
});

test('of what a request accepts, the most wanted of the two counts', () => {
  const headers = {
    'zh-CN,zh;q=0.9,en;q=0.8': 'zh',
    'en-US,en;q=0.5': 'en',
    'de, zh-TW;q=0.3': 'zh',
    'zh;q=0.2, en-GB;q=0.7': 'en',
    'en;q=0.5 , ZH ; Q=0.6': 'zh',
    'zh, en': 'zh',
    'en, zh': 'en',
    'zh;q=0': 'en',
    'zh;q=often': 'en',
    'zho, *': 'en',
    '*': 'en',
    de: 'en',
    '': 'en',
  };
  for (const [header, expected] of Object.entries(headers))
    assert.equal(acceptedLanguage(header), expected, header);
  assert.equal(acceptedLanguage(undefined), 'en');
  assert.equal(acceptedLanguage(`${'de,'.repeat(5_000)}zh`), 'en', 'too far behind to be looked for');
});
