import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
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

test('only http and https addresses become links', () => {
  const hostile = [
    'javascript:alert(1)',
    'javascript://https.example.org/%0aalert(1)',
    'data:text/html,<script>alert(1)</script>',
    'vbscript:x',
    'file:///etc/passwd',
    'blob:https//x',
    'mailto:a@example.org',
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

test('the parts of any text joined are the text, and each link is http or https', () => {
  const piece = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 8 }),
    fc.constantFrom('https://', 'http://a.b', 'javascript:', '@', '(', ')', '[', '://', '.', ' ', '\n', 'é'),
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
      const text = pieces.join('');
      const parts = splitLinks(text);
      assert.equal(parts.map((part) => part.text).join(''), text);
      for (const part of parts) if (part.kind === 'link') assert.match(part.href, /^https?:\/\/[^/@]/);
    }),
    { numRuns: 2_000 },
  );
});

test('the work grows with the length of any text, not with its square', () => {
  // A thousand times as long as a message may be: work that grows with the square would not end.
  const texts = [
    `https://a.org/${')'.repeat(3_900_000)}`,
    `https://a.org/${'.'.repeat(3_900_000)}`,
    'https://'.repeat(500_000),
    'http'.repeat(1_000_000),
    `https://${'a.'.repeat(1_900_000)}`,
  ];
  for (const text of texts) {
    const parts = splitLinks(text);
    assert.ok(parts.map((part) => part.text).join('') === text, text.slice(0, 20));
  }
});
