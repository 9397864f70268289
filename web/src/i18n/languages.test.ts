import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TEXTS } from '../../test/texts.ts';
import { shortcuts as english } from '../app/shortcuts/shortcuts.en.ts';
import { shortcuts as chinese } from '../app/shortcuts/shortcuts.zh.ts';
import { pickLanguage } from './languages.ts';

/** With those that are loaded by themselves. */
const EN = { ...TEXTS.en, shortcuts: english };
const ZH = { ...TEXTS.zh, shortcuts: chinese };

test('the first language of the browser that the page has is used', () => {
  assert.equal(pickLanguage(['fr-FR', 'zh-TW', 'en']), 'zh');
  assert.equal(pickLanguage(['en-US', 'zh-CN']), 'en');
  assert.equal(pickLanguage(['zh-Hans']), 'zh');
  assert.equal(pickLanguage(['de', 'fr']), 'en');
  assert.equal(pickLanguage([]), 'en');
});

/** All texts with their place: `shell.chats`. Functions are called with numbers, which may stand for names too. */
function textsOf(texts: object, place = ''): [place: string, text: string][] {
  return Object.entries(texts).flatMap(([name, value]: [string, unknown]): [string, string][] => {
    const here = place === '' ? name : `${place}.${name}`;
    if (typeof value === 'string') return [[here, value]];
    if (typeof value === 'function') return [1, 2].map((count) => [`${here}(${count})`, value(count, 3, 4)]);
    if (typeof value === 'object' && value !== null) return textsOf(value, here);
    return [];
  });
}

/** Names and the like are the same in both. */
const SAME = new Set(['shell.brand', 'shell.languages.zh', 'shell.languages.en', 'auth.ends.signed_out']);

test('every text is there in Chinese, and is Chinese', () => {
  const english = new Map(textsOf(EN));
  const chinese = textsOf(ZH);
  assert.deepEqual(chinese.map(([place]) => place).sort(), [...english.keys()].sort());
  const poor = chinese.filter(([place, text]) => {
    if (SAME.has(place)) return text !== english.get(place);
    return !/[\p{Script=Han}（，：]/u.test(text);
  });
  assert.deepEqual(poor, []);
});

test('no English text has Chinese in it, nor the other punctuation', () => {
  const poor = textsOf(EN).filter(
    ([place, text]) => !SAME.has(place) && /[\p{Script=Han}，。：？！]/u.test(text),
  );
  assert.deepEqual(poor, []);
});

/** Mannerisms that no other application has, and typewriter characters. */
const ODD =
  / …|\.\.\.|['"]|\b(?:(?:some|no|every|any)body|whoever|tells?|told|at the moment|any more|meanwhile)\b/i;

test('English texts are plain: "notify", "someone", an ellipsis without a space, typographic quotes', () => {
  assert.deepEqual(
    textsOf(EN).filter(([, text]) => ODD.test(text)),
    [],
  );
});

test('Chinese texts have no typewriter characters, and no space after a full-width colon', () => {
  assert.deepEqual(
    textsOf(ZH).filter(([, text]) => /： | …|\.\.\.|['"]/.test(text)),
    [],
  );
});

test('Chinese sentences have Chinese punctuation', () => {
  const poor = textsOf(ZH).filter(([, text]) => /\p{Script=Han}[,.:;?!]/u.test(text));
  assert.deepEqual(poor, []);
});
