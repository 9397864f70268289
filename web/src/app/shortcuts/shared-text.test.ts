import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { anyText } from '../../../../test/any-text.ts';
import { readSharedText, withSharedText } from './shared-text.ts';

const read = (shared: Record<string, string>) => readSharedText(`?${new URLSearchParams(shared)}`);

test('text and address of what is shared are joined, and a title stands for a missing text', () => {
  assert.equal(read({ text: 'Look', url: 'https://example.org/a' }), 'Look\nhttps://example.org/a');
  assert.equal(read({ title: 'A page', text: 'Look' }), 'Look');
  assert.equal(read({ title: 'A page', url: 'https://example.org/' }), 'A page\nhttps://example.org/');
  assert.equal(
    read({ text: 'See https://example.org/', url: 'https://example.org/' }),
    'See https://example.org/',
  );
  assert.equal(read({ url: 'https://example.org/' }), 'https://example.org/');
  assert.equal(read({ text: 'one\r\ntwo\tthree' }), 'one\ntwo\tthree');
  for (const nothing of ['', '?', '?new', '?text=', '?text=%20%0A', '?other=x'])
    assert.equal(readSharedText(nothing), '', nothing);
});

test('a hostile text is a bounded text without control characters', () => {
  assert.equal(read({ text: '\0<script>\u001b[2J\u0007</script>' }), '<script>[2J</script>');
  assert.equal(readSharedText('?text=%ff%fe%zz'), '\ufffd\ufffd%zz');
  assert.equal(read({ text: '😀'.repeat(100_000) }).length, 10_000);
  assert.equal(read({ text: `${'x'.repeat(9_999)}😀` }), `${'x'.repeat(9_999)}\ufffd`);
  fc.assert(
    fc.property(anyText(), anyText(), anyText(), (title, text, url) => {
      const shared = read({ title, text, url });
      assert.ok(shared.isWellFormed() && !/[^\P{Cc}\n\t]/u.test(shared));
    }),
  );
});

test('a shared text comes below the draft that the user has', () => {
  assert.equal(withSharedText('', 'shared'), 'shared');
  assert.equal(withSharedText(' \n', 'shared'), 'shared');
  assert.equal(withSharedText('half a sentence ', 'shared'), 'half a sentence\nshared');
  assert.equal(withSharedText('half a sentence', ''), 'half a sentence');
});
