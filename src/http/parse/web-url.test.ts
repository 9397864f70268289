import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseWebUrl } from './web-url.ts';

test('a URL is parsed, and a relative reference against a base', () => {
  assert.equal(parseWebUrl('https://bücher.example/a')?.href, 'https://xn--bcher-kva.example/a');
  assert.equal(parseWebUrl('/a/b.png', 'https://page.invalid/')?.href, 'https://page.invalid/a/b.png');
  assert.equal(parseWebUrl('/a/b.png'), null);
});

test('white space and control characters are refused, as the parser would drop some of them', () => {
  for (const text of [
    ' https://a.example/',
    'https://a.example/\n',
    'https://a\t.example/',
    'https://a.example/\u0085',
  ])
    assert.equal(parseWebUrl(text), null, JSON.stringify(text));
});

test('an authority of more than 512 characters is refused in every spelling, and a long path or query is not', () => {
  const host = '一'.repeat(513);
  const starts = ['https://', 'HTTP:', 'wss:/', 'https:\\\\', '//', '\\/', 'https:////', 'ftp://'];
  for (const start of starts)
    assert.equal(parseWebUrl(`${start}${host}/`, 'https://page.invalid/'), null, start);
  assert.equal(parseWebUrl(`https://${'%E4%B8%80'.repeat(57)}/`), null);
  assert.equal(parseWebUrl(`https://user:${'x'.repeat(513)}@a.example/`), null);
  for (const text of [
    `https://a.example/${host}`,
    `https://a.example?${host}`,
    host,
    `a/${host}`,
    `data:${host}`,
  ])
    assert.notEqual(parseWebUrl(text, 'https://page.invalid/'), null, text.slice(0, 20));
});
