import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { anyText } from '../../../../../test/any-text.ts';
import { splitLinks } from './links.ts';

function linksIn(text: string): string[] {
  return splitLinks(text).flatMap((part) => (part.kind === 'link' ? [part.href] : []));
}

test('an address between words becomes a link, and the words stay', () => {
  assert.deepEqual(splitLinks('see https://example.org/a?b=c#d for more'), [
    { kind: 'text', text: 'see ' },
    { kind: 'link', text: 'https://example.org/a?b=c#d', href: 'https://example.org/a?b=c#d' },
    { kind: 'text', text: ' for more' },
  ]);
  assert.deepEqual(splitLinks('HTTP://EXAMPLE.org'), [
    { kind: 'link', text: 'HTTP://EXAMPLE.org', href: 'http://example.org/' },
  ]);
});

test('a text without an address is one part, and so is an empty one', () => {
  for (const text of ['', 'hello', 'http://', 'https:// example.org', 'xhttp://example.org', 'ftp://a.org'])
    assert.deepEqual(splitLinks(text), [{ kind: 'text', text }]);
});

test('no other schemes become links', () => {
  const hostile = [
    'javascript:alert(1)',
    'javascript://https.example.org/%0aalert(1)',
    'javascript://www.example.org/%0aalert(1)',
    'data:text/html,<script>alert(1)</script>',
    'vbscript:x',
    'file:///etc/passwd',
    'blob:https//x',
    'ssh://git@example.org/path',
    'tel:*#06#',
  ];
  for (const text of hostile) assert.deepEqual(linksIn(text), [], text);
});

test('the punctuation of a sentence does not belong to the address', () => {
  for (const after of [
    '.',
    ',',
    '!',
    '?',
    '...',
    '…',
    ')',
    ').',
    '"',
    "'",
    '”',
    '。',
    '，看看',
    '）',
    '》',
    '、b',
    '؟',
  ])
    assert.deepEqual(linksIn(`https://example.org/a${after}`), ['https://example.org/a'], after);
  assert.deepEqual(linksIn('(https://example.org/a)'), ['https://example.org/a']);
  assert.deepEqual(linksIn('<https://example.org/a>'), ['https://example.org/a']);
});

test('a closing bracket stays in the address that opened it', () => {
  const address = 'https://en.wikipedia.org/wiki/Doorman_(profession)';
  assert.deepEqual(linksIn(`(${address}).`), [address]);
  assert.deepEqual(linksIn('https://example.org/a[1]'), ['https://example.org/a[1]']);
});

test('an address with a name before the host, which looks like another host, is no link', () => {
  assert.deepEqual(linksIn('https://bank.example.com@evil.example.org/'), []);
  assert.deepEqual(linksIn('https://user:password@example.org'), []);
});

test('an invisible character ends the address', () => {
  for (const hidden of ['\u202e', '\u2066', '\u200b', '\u0000', '\ufeff', '\u00ad'])
    assert.deepEqual(linksIn(`https://example.org/a${hidden}gpj.exe`), ['https://example.org/a']);
});

test('an address in another script is a link', () => {
  const [part] = splitLinks('https://zh.wikipedia.org/wiki/中文');
  assert.deepEqual(part, {
    kind: 'link',
    text: 'https://zh.wikipedia.org/wiki/中文',
    href: 'https://zh.wikipedia.org/wiki/%E4%B8%AD%E6%96%87',
  });
});

test('an address that begins with www is opened by https', () => {
  assert.deepEqual(splitLinks('see www.example.org/x?y=1.'), [
    { kind: 'text', text: 'see ' },
    { kind: 'link', text: 'www.example.org/x?y=1', href: 'https://www.example.org/x?y=1' },
    { kind: 'text', text: '.' },
  ]);
  assert.deepEqual(linksIn('WWW.Example.org:8080'), ['https://www.example.org:8080/']);
  assert.deepEqual(linksIn('(www.example.org)'), ['https://www.example.org/']);
  // The href, shown as its title, has the real name of a host that looks like another one.
  assert.deepEqual(linksIn('www.аpple.com'), ['https://www.xn--pple-43d.com/']);
  const none = [
    'www.',
    'www.example',
    'www..org',
    'www.example.1',
    'xwww.example.org',
    'éwww.example.org',
    'my.www.example.org',
    'www.bank.example@evil.example',
    'www.user:password@evil.example',
  ];
  for (const text of none) assert.deepEqual(linksIn(text), [], text);
});

test('a mail address is a link', () => {
  assert.deepEqual(splitLinks('write to ann.lee+x@mail.example.org, please'), [
    { kind: 'text', text: 'write to ' },
    { kind: 'link', text: 'ann.lee+x@mail.example.org', href: 'mailto:ann.lee+x@mail.example.org' },
    { kind: 'text', text: ', please' },
  ]);
  assert.deepEqual(linksIn('<a@b.cd>'), ['mailto:a@b.cd']);
  assert.deepEqual(linksIn('mailto:a@b.cd?subject=x'), ['mailto:a@b.cd']);
  assert.deepEqual(linksIn('1. 12345678@qq.com; 2. 87654321@qq.com.'), [
    'mailto:12345678@qq.com',
    'mailto:87654321@qq.com',
  ]);
  const none = [
    '@everyone',
    'a@b',
    'a@b.c',
    'a@b.cd@evil.example',
    'a..@b.cd',
    'éa@b.cd',
    'a@b.cdé',
    'a@pay\u{212a}.com',
    'git@example.org:path/repository.git',
    'icon@2x.png',
    'a@-b.cd',
    'x/a@b.cd',
    `${'a'.repeat(65)}@b.cd`,
    `a@${'b.'.repeat(130)}cd`,
  ];
  for (const text of none) assert.deepEqual(linksIn(text), [], text);
});

test('in Chinese text an address needs no space before or after it', () => {
  const found = (text: string) =>
    splitLinks(text).flatMap((part) => (part.kind === 'link' ? [part.text] : []));
  assert.deepEqual(found('看www.example.org吧'), ['www.example.org']);
  assert.deepEqual(found('看https://example.org/a1谢谢，https://example.org。'), [
    'https://example.org/a1',
    'https://example.org',
  ]);
  assert.deepEqual(found('请看http://192.168.0.1:8080吧'), ['http://192.168.0.1:8080']);
  assert.deepEqual(found('看https://中文.com看看'), ['https://中文.com']);
  assert.deepEqual(found('邮箱a@b.cd谢谢，电话010-65529988。'), ['a@b.cd', '010-65529988']);
  assert.deepEqual(found('メールはa@b.cdです'), ['a@b.cd']);
  assert.deepEqual(found('（www.example.org/x）'), ['www.example.org/x']);
});

test('the parts of any text joined are the text, and each link has one of four schemes', () => {
  const piece = fc.oneof(
    anyText({ maxLength: 8 }),
    fc.constantFrom(
      'https://',
      'http://a.b',
      'www.',
      'a.bc',
      'javascript:',
      'a@b.cd',
      '@',
      '(',
      ')',
      '[',
      '://',
      '.',
    ),
    fc.constantFrom(' ', '\n', 'é', '中', '+49', '030', '1234567', '-', '\u202e', '\ud83d', '%0a', '?', '&'),
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
      const text = pieces.join('');
      const parts = splitLinks(text);
      assert.equal(parts.map((part) => part.text).join(''), text);
      for (const part of parts) {
        if (part.kind === 'text') continue;
        assert.match(part.href, /^(?:https?:\/\/[^/@]+(?:\/|$)|mailto:[\w.+-]+@[\w.-]+$|tel:\+?\d+$)/);
        assert.doesNotMatch(part.text, part.href.startsWith('tel:') ? /[^\d ()./+\u00a0-]/ : /[\s\p{C}]/u);
      }
    }),
    { numRuns: 1_000 },
  );
});

test('the work grows with the length of any text, not with its square', () => {
  // Hundreds of times as long as a message may be: work that grows with the square would not end.
  const texts = [
    `https://a.org/${')'.repeat(900_000)}`,
    `https://a.org/${'.'.repeat(900_000)}`,
    'https://'.repeat(500_000),
    'http'.repeat(1_000_000),
    `https://${'a.'.repeat(450_000)}`,
    `https://${'.ab中'.repeat(900_000)}`,
    `https://a.org/${'中'.repeat(900_000)}`,
    'www.'.repeat(1_000_000),
    'a'.repeat(1_000_000),
    'a.'.repeat(500_000),
    'a@'.repeat(300_000),
    `a@${'b.'.repeat(500_000)}`,
    `a@${'b-'.repeat(500_000)}`,
    '1'.repeat(1_000_000),
    `${'1'.repeat(1_000_000)}a`,
    '1 '.repeat(500_000),
    '1, '.repeat(200_000),
    `1${'('.repeat(1_000_000)}1`,
    '030 1234567, '.repeat(100_000),
    '+'.repeat(1_000_000),
    '(+1'.repeat(200_000),
    ' '.repeat(1_000_000),
  ];
  for (const text of texts) {
    const parts = splitLinks(text);
    assert.ok(parts.map((part) => part.text).join('') === text, text.slice(0, 20));
  }
});
