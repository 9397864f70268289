import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { anyText } from '../../test/any-text.ts';
import { ServiceError } from '../errors.ts';
import {
  isPossibleName,
  nameKey,
  refuseInvisibleNickname,
  refuseUnreadableName,
  refuseUnsafeAvatar,
} from './names.ts';

function refused(action: () => void): string | undefined {
  try {
    action();
    return undefined;
  } catch (error) {
    assert(error instanceof ServiceError);
    assert.equal(error.kind, 'invalid');
    return error.word;
  }
}

test('two spellings of one name have one key', () => {
  const spellings = [
    ['alice', 'ALICE', 'Alice', 'ａｌｉｃｅ', 'ＡＬＩＣＥ', 'ⓐⓛⓘⓒⓔ', '𝐀𝐥𝐢𝐜𝐞'],
    ['σοφός', 'ΣΟΦΌΣ', 'σοφόσ', 'σοφο\u0301ς'],
    ['ål', 'ÅL', 'a\u030al', '\u212bl'],
    ['fish', 'ﬁsh', 'FISH'],
    ['1x', '¹x', '１x', '①X'],
    ['é', 'e\u0301', 'É', 'E\u0301'],
    ['ガ', 'ｶﾞ', 'カ\u3099'],
  ];
  for (const [first = '', ...others] of spellings)
    for (const other of others) assert.equal(nameKey(other), nameKey(first), other);
});

test('names that only look alike have different keys', () => {
  const names = ['alice', 'аlice', 'al1ce', 'alicé', 'alice ', 'a lice', 'ss', 'ß', 'i', 'ı', '小明', '小朋'];
  assert.equal(new Set(names.map(nameKey)).size, names.length);
});

test('the key of a key is the key itself, for any name', () => {
  fc.assert(
    fc.property(anyText(), (name) => nameKey(nameKey(name)) === nameKey(name)),
    { numRuns: 3000 },
  );
  for (let code = 0; code <= 0x10ffff; code++) {
    if (code >= 0xd800 && code <= 0xdfff) continue;
    const key = nameKey(`a${String.fromCodePoint(code)}`);
    if (nameKey(key) !== key) assert.fail(`U+${code.toString(16)}`);
  }
});

test('every spelling of a name of 32 characters is possible: no character has a spelling of more than 18', () => {
  for (let code = 0; code <= 0x10ffff; code++) {
    if (code >= 0xd800 && code <= 0xdfff) continue;
    const one = String.fromCodePoint(code);
    for (const spelling of [
      one.normalize('NFKC'),
      one.normalize('NFKD'),
      one.toLowerCase().normalize('NFKD'),
    ])
      if ([...spelling].length > 18) assert.fail(`U+${code.toString(16)}`);
  }
  for (const one of ['a', '\u0301', '😀']) {
    assert.equal(isPossibleName(one.repeat(576)), true, one);
    assert.equal(isPossibleName(one.repeat(577)), false, one);
  }
});

test('names in every script can be read', () => {
  for (const name of [
    'alice',
    '小 明',
    'Ünïcödé',
    'Иван',
    'علي',
    '😀😀',
    'a.b-c_d',
    "O'Neil",
    '<b>',
    'a\u0301',
  ])
    assert.equal(
      refused(() => refuseUnreadableName(name)),
      undefined,
      name,
    );
});

test('names with control, format, private-use or unassigned characters, line ends or space at the ends are refused', () => {
  const names = {
    'control character': 'a\u0007b',
    tabulator: 'a\tb',
    'line feed': 'a\nb',
    'carriage return': 'a\rb',
    'delete character': 'a\u007fb',
    'C1 control': 'a\u0085b',
    'line separator': 'a\u2028b',
    'paragraph separator': 'a\u2029b',
    'zero width space': 'a\u200bb',
    'zero width joiner': 'a\u200db',
    'right-to-left override': 'a\u202eb',
    'soft hyphen': 'a\u00adb',
    'byte order mark': '\ufeffab',
    tag: 'a\u{e0041}b',
    'private use': 'a\ue000b',
    'private use plane': 'a\u{f0000}b',
    unassigned: 'a\u0378b',
    noncharacter: 'a\uffffb',
    'space before': ' ab',
    'space after': 'ab ',
    'ideographic space after': 'ab\u3000',
    'no-break space before': '\u00a0ab',
  };
  for (const [what, name] of Object.entries(names))
    assert.equal(
      refused(() => refuseUnreadableName(name)),
      'username_invalid',
      what,
    );
});

test('a nickname may hold emoji, joiners within words and every script', () => {
  const names = [
    ...[
      '',
      'Anna',
      'Anna ❤️',
      '❤️ Anna',
      'Anna ❤',
      '😀',
      '👨\u200d👩\u200d👧\u200d👦',
      '👩🏽\u200d🚀 Mae',
      '🏴\u{e0067}\u{e0062}\u{e0073}\u{e0063}\u{e0074}\u{e007f}',
    ],
    ...[
      '1️⃣ Uno',
      '🇩🇪',
      '🏳️\u200d🌈',
      'می\u200cخواهم',
      'क्\u200dष',
      'ශ්\u200dරී',
      'نامه\u200cای',
      '小 明',
      'a\u0301',
      'O\u2019Neil',
      '...',
    ],
  ];
  for (const name of names)
    assert.equal(
      refused(() => refuseInvisibleNickname(name)),
      undefined,
      JSON.stringify(name),
    );
});

test('a name with invisible characters is refused', () => {
  const names = {
    'Hangul filler': 'alice\u3164',
    'halfwidth Hangul filler': 'alice\uffa0',
    'Hangul choseong filler': '\u115falice',
    'Braille blank': 'alice\u2800',
    'only a Braille blank': '\u2800\u2800',
    'zero width space': 'ali\u200bce',
    'word joiner': 'ali\u2060ce',
    'joiner at the end': 'alice\u200d',
    'non-joiner at the start': '\u200calice',
    'two joiners': 'ali\u200d\u200dce',
    'joiner between an emoji and a letter': '❤️\u200dalice',
    'joiner between digits': '1\u200d2',
    'variation selector by itself': 'alice\ufe0f',
    'variation selector of the supplement': 'alice\u{e0100}',
    'tag without its flag': 'alice\u{e0067}',
    'grapheme joiner': 'ali\u034fce',
    'Mongolian vowel separator': 'ali\u180ece',
    'soft hyphen': 'ali\u00adce',
    'right-to-left override': 'ali\u202ece',
    'control character': 'ali\u0007ce',
    'line feed': 'ali\nce',
    'line separator': 'ali\u2028ce',
    'private use': 'ali\ue000ce',
    'space before': ' alice',
    'ideographic space after': 'alice\u3000',
    'space after an emoji': '❤️ ',
    'only a space': ' ',
  };
  for (const [what, name] of Object.entries(names)) {
    assert.equal(
      refused(() => refuseInvisibleNickname(name)),
      'nickname_invalid',
      what,
    );
    assert.equal(
      refused(() => refuseUnreadableName(name)),
      'username_invalid',
      what,
    );
  }
});

test('an avatar is empty, a relative reference, or http(s) without credentials', () => {
  const good = [
    '',
    'a.png',
    '/a.png',
    '../a.png?size=2#x',
    '?q',
    '#x',
    '//pictures.example/a.png',
    'http://pictures.example/a.png',
    'HTTPS://pictures.example:8443/a.png',
    '头像.png',
    'a:b/c'.replace('a:', './a:'),
  ];
  for (const avatar of good)
    assert.equal(
      refused(() => refuseUnsafeAvatar(avatar)),
      undefined,
      avatar,
    );
  const bad = [
    'javascript:alert(1)',
    'JavaScript:alert(1)',
    'java\nscript:alert(1)',
    ' javascript:alert(1)',
    '\u0001javascript:alert(1)',
    'data:image/png;base64,AA',
    'blob:https://a.example/1',
    'file:///etc/passwd',
    'ftp://pictures.example/a.png',
    'https://user@pictures.example/a.png',
    'https://user:secret@pictures.example/a.png',
    'https://:secret@pictures.example/a.png',
    '//user@pictures.example/a.png',
    'https://',
    'http://a b.example/',
    'a b.png',
    '\\\\user@pictures.example/a',
  ];
  for (const avatar of bad)
    assert.equal(
      refused(() => refuseUnsafeAvatar(avatar)),
      'avatar_invalid',
      avatar,
    );
});
