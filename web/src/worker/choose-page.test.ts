import assert from 'node:assert/strict';
import { test } from 'node:test';
import { choosePage, type OpenPage } from './choose-page.ts';

const ORIGIN = 'https://chat.example.org';

test('the page that shows the conversation is chosen, hidden or not', () => {
  const chat = page('/chat/alice');
  assert.equal(choosePage([page('/', { focused: true }), chat, page('/people')], '/chat/alice'), chat);
});

test('otherwise the page with the focus is chosen, else a visible one, else the one used last', () => {
  const hidden = page('/people');
  const visible = page('/settings', { visibilityState: 'visible' });
  const focused = page('/chat/bob', { focused: true, visibilityState: 'visible' });
  assert.equal(choosePage([hidden, visible, focused], '/chat/alice'), focused);
  assert.equal(choosePage([hidden, visible], '/chat/alice'), visible);
  assert.equal(choosePage([hidden, page('/')], '/chat/alice'), hidden);
});

test('of several pages that show the conversation, the one used last is chosen', () => {
  const last = page('/chat/alice');
  assert.equal(choosePage([page('/'), last, page('/chat/alice')], '/chat/alice'), last);
});

test('the documentation and other windows of the origin are not the page', () => {
  const others = ['/docs', '/openapi.json', '/api/users'].map((path) => page(path, { focused: true }));
  assert.equal(choosePage(others, '/'), undefined);
  assert.equal(choosePage([{ ...page('/'), url: 'about:blank' }], '/'), undefined);
  assert.equal(choosePage([], '/'), undefined);
});

function page(path: string, state: Partial<OpenPage> = {}): OpenPage {
  return { url: `${ORIGIN}${path}?a=b#c`, focused: false, visibilityState: 'hidden', ...state };
}
