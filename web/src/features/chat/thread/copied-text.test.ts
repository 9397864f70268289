import assert from 'node:assert/strict';
import { test } from 'node:test';
import { messageView } from '../../../../test/message-view.ts';
import { joinSelected, type SelectedMessages } from './copied-text.ts';

const MESSAGES = ['one', 'two\nlines', 'three', 'four'].map((body, i) =>
  messageView({ n: i + 1, from: i % 2 === 0 ? 'alice' : 'bob', isOwn: i % 2 === 0, body, at: i }),
);

function join(texts: Record<string, string>, reach: Partial<SelectedMessages> = {}): string | undefined {
  const selected = { isFromTop: false, isToEnd: false, ...reach, texts: new Map(Object.entries(texts)) };
  return joinSelected(MESSAGES, selected, ({ at, from }, text) => `[${at}] ${from}: ${text}`);
}

test('several messages are copied with time and sender, the first and the last as far as they are selected', () => {
  assert.equal(
    join({ 'n-1': 'ne', 'n-2': 'two\nlines', 'n-3': 'thr' }),
    '[0] alice: ne\n[1] bob: two\nlines\n[2] alice: thr',
  );
});

test('a message between selected ones that is not in the document is copied whole', () => {
  assert.equal(join({ 'n-1': 'one', 'n-3': 'th' }), '[0] alice: one\n[1] bob: two\nlines\n[2] alice: th');
});

test('a selection of the whole thread has all loaded messages', () => {
  const whole = '[0] alice: one\n[1] bob: two\nlines\n[2] alice: three\n[3] bob: four';
  assert.equal(join({ 'n-3': 'three' }, { isFromTop: true, isToEnd: true }), whole);
  assert.equal(join({ 'n-2': 'tw' }, { isFromTop: true }), '[0] alice: one\n[1] bob: tw');
});

test('a selection of one message or none is left to the browser', () => {
  assert.equal(join({}), undefined);
  assert.equal(join({ 'n-2': 'tw' }), undefined);
  assert.equal(join({ 'n-1': 'one' }, { isFromTop: true }), undefined);
  assert.equal(join({}, { isFromTop: true }), undefined);
  assert.equal(join({}, { isToEnd: true }), undefined);
});
