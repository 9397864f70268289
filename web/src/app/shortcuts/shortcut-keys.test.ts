import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hasAppleKeys, shortcutOf } from './shortcut-keys.ts';

const NONE = {
  key: '',
  code: '',
  keyCode: 0,
  altKey: false,
  ctrlKey: false,
  metaKey: false,
  shiftKey: false,
  isComposing: false,
};
const PC = { text: undefined, hasAppleKeys: false };
const MAC = { text: undefined, hasAppleKeys: true };

test('Control and K, on Apple’s keyboards Command and K, open the dialog', () => {
  const k = { ...NONE, key: 'k', code: 'KeyK' };
  assert.equal(shortcutOf({ ...k, ctrlKey: true }, PC), 'go-to');
  assert.equal(shortcutOf({ ...k, ctrlKey: true }, { ...PC, text: 'half a word' }), 'go-to');
  assert.equal(shortcutOf({ ...k, metaKey: true }, MAC), 'go-to');
  // There it deletes to the end of the line.
  assert.equal(shortcutOf({ ...k, ctrlKey: true }, MAC), undefined);
  assert.equal(shortcutOf({ ...k, metaKey: true }, PC), undefined);
  assert.equal(shortcutOf({ ...k, ctrlKey: true, shiftKey: true }, PC), undefined);
  assert.equal(shortcutOf({ ...k, ctrlKey: true, altKey: true }, PC), undefined);
  assert.equal(shortcutOf({ ...k, key: 'л', ctrlKey: true }, PC), 'go-to');
  assert.equal(shortcutOf({ ...k, key: 't', ctrlKey: true }, PC), undefined);
});

test('Alt and an arrow open another conversation, with Shift an unread one', () => {
  const down = { ...NONE, key: 'ArrowDown', altKey: true };
  const up = { ...NONE, key: 'ArrowUp', altKey: true };
  assert.equal(shortcutOf(down, PC), 'next');
  assert.equal(shortcutOf(up, PC), 'previous');
  assert.equal(shortcutOf({ ...down, shiftKey: true }, PC), 'next-unread');
  assert.equal(shortcutOf({ ...up, shiftKey: true }, PC), 'previous-unread');
  assert.equal(shortcutOf(down, { ...PC, text: 'half a word' }), 'next');
  assert.equal(shortcutOf({ ...down, ctrlKey: true }, PC), undefined);
  assert.equal(shortcutOf({ ...NONE, key: 'ArrowDown' }, PC), undefined);
});

test('in a text on Apple’s keyboards, Option and an arrow move the caret', () => {
  const down = { ...NONE, key: 'ArrowDown', altKey: true };
  assert.equal(shortcutOf(down, { ...MAC, text: 'half a word' }), undefined);
  assert.equal(shortcutOf({ ...down, shiftKey: true }, { ...MAC, text: 'half a word' }), undefined);
  assert.equal(shortcutOf(down, { ...MAC, text: '' }), 'next');
});

test('a question mark outside of fields opens the help, and Escape leads to the list', () => {
  assert.equal(shortcutOf({ ...NONE, key: '?', shiftKey: true }, PC), 'help');
  assert.equal(shortcutOf({ ...NONE, key: '？', shiftKey: true }, PC), 'help');
  assert.equal(shortcutOf({ ...NONE, key: '?' }, { ...PC, text: '' }), undefined);
  assert.equal(shortcutOf({ ...NONE, key: '?', ctrlKey: true }, PC), undefined);
  assert.equal(shortcutOf({ ...NONE, key: 'Escape' }, { ...PC, text: 'half a word' }), 'list');
});

test('while an input method uses the keys, no key is a shortcut', () => {
  assert.equal(shortcutOf({ ...NONE, key: 'Escape', isComposing: true }, PC), undefined);
  assert.equal(shortcutOf({ ...NONE, key: 'Escape', keyCode: 229 }, PC), undefined);
  assert.equal(
    shortcutOf({ ...NONE, key: 'k', code: 'KeyK', ctrlKey: true, isComposing: true }, PC),
    undefined,
  );
});

test('Apple’s keyboards are known by the User-Agent', () => {
  assert.equal(hasAppleKeys('Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15'), true);
  assert.equal(hasAppleKeys('Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36'), false);
});
