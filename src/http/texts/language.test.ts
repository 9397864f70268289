import assert from 'node:assert/strict';
import { test } from 'node:test';
import { prefersEnglish } from './language.ts';

test('a caller reads English who names a language and prefers another one than Chinese', () => {
  const headers: Record<string, boolean> = {
    en: true,
    'en-GB,en;q=0.9': true,
    'de-DE, zh;q=0.5': true,
    'zh;q=0.8, fr;q=0.9': true,
    'zh;q=0, en;q=0.1': true,
    '*;q=0.1, ja': true,
    'zh-CN': false,
    'zh-TW, en;q=0.9': false,
    'ZH, en': false,
    'en;q=0.2, zh-Hans;q=0.3': false,
    'en;q=0': false,
    'en;q=high': false,
    '*': false,
    '*, zh;q=0.5': false,
    '': false,
    ',;q=1,=': false,
  };
  for (const [header, expected] of Object.entries(headers))
    assert.equal(prefersEnglish({ 'accept-language': header }), expected, header);
  assert.equal(prefersEnglish({}), false, 'no header');
});

test('the first fifty languages of a header are read', () => {
  assert.equal(prefersEnglish({ 'accept-language': `${'zh;q=0.1,'.repeat(49)}en` }), true);
  assert.equal(prefersEnglish({ 'accept-language': `${'zh;q=0.1,'.repeat(50)}en` }), false);
});
