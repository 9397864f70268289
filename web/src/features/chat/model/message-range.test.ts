import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Message } from 'doorman-client';
import { append, endOf, type MessageRange, newest, prepend } from './message-range.ts';
import { showMessages } from './message-views.ts';

function message(n: number, from = 'bob', cid = `c${n}`): Message {
  return { n, from, cid, body: `body ${n}`, at: n };
}

function range(from: number, to: number, hasOlder = true): MessageRange {
  return { messages: Array.from({ length: to - from + 1 }, (_, i) => message(from + i)), hasOlder };
}

function numbers({ messages }: { messages: readonly { n?: number | undefined }[] }) {
  return messages.map(({ n }) => n);
}

test('what follows without a gap is appended, in whatever order and however often it comes', () => {
  const one = range(5, 7);
  const more = append(one, [message(9), message(8), message(7), message(11)]);
  assert.deepEqual([numbers(more), endOf(more)], [[5, 6, 7, 8, 9], 9]);
  assert.equal(append(one, [message(9)]), one);
  assert.equal(append(one, [message(6)]), one);
});

test('an older page is taken only where it ends right before', () => {
  const one = range(5, 7);
  assert.deepEqual(numbers(prepend(one, [message(3), message(4)], true)), [3, 4, 5, 6, 7]);
  assert.equal(prepend(one, [message(2), message(3)], true), one);
  assert.deepEqual(prepend(one, [], false), { ...one, hasOlder: false });
});

test('the newest are cut by number and by length', () => {
  const one = range(1, 9, false);
  assert.equal(newest(one, 9), one);
  const cut = newest(one, 3);
  assert.deepEqual([numbers(cut), cut.hasOlder], [[7, 8, 9], true]);
  assert.deepEqual(numbers(newest(one, 9, 'body 1'.length * 2)), [8, 9]);
});

test("a peer's message with the cid of an own one neither hides nor replaces it", () => {
  const stored = [message(1, 'bob', 'same'), message(2, 'alice', 'other')];
  const waiting = { to: 'bob', cid: 'same', body: 'mine', writtenAt: 3, state: 'waiting' } as const;
  const shown = showMessages('bob', 'alice', stored, [waiting], { received: 0, read: 0 });
  assert.deepEqual(
    shown.map(({ body }) => body),
    ['body 1', 'body 2', 'mine'],
  );
  assert.equal(new Set(shown.map(({ key }) => key)).size, 3);
});

test('a message that is stored takes the place of the one that was sent, under the same key', () => {
  const marks = { received: 0, read: 0 };
  const sent = { to: 'bob', cid: 'c1', body: 'body 1', writtenAt: 9, state: 'sending' } as const;
  const before = showMessages('bob', 'alice', [], [sent], marks);
  const after = showMessages('bob', 'alice', [message(1, 'alice')], [sent], marks, before);
  assert.deepEqual(
    [before, after].map((views) => views.map(({ key, state }) => [key, state])),
    [[['own-c1', 'sending']], [['own-c1', 'stored']]],
  );
});

test('marks change only the messages they are about; the others stay the same objects', () => {
  const stored = [message(1, 'alice'), message(2, 'alice'), message(3, 'bob'), message(4, 'alice')];
  const before = showMessages('bob', 'alice', stored, [], { received: 1, read: 1 });
  const after = showMessages('bob', 'alice', stored, [], { received: 2, read: 1 }, before);
  assert.deepEqual(
    after.map(({ state }) => state),
    ['read', 'received', 'theirs', 'stored'],
  );
  assert.deepEqual(
    after.map((view, i) => view === before[i]),
    [true, false, true, true],
  );
  assert.equal(showMessages('bob', 'alice', [...stored], [], { received: 2, read: 1 }, after), after);
});

test('an older page and a new message leave the others the same objects', () => {
  const marks = { received: 0, read: 0 };
  const sent = { to: 'bob', cid: 'mine', body: 'mine', writtenAt: 9, state: 'sending' } as const;
  const { messages } = range(5, 7);
  const before = showMessages('bob', 'alice', messages, [sent], marks);
  const longer = [...range(3, 4).messages, ...messages, message(8)];
  const after = showMessages('bob', 'alice', longer, [sent], marks, before);
  assert.deepEqual(numbers({ messages: after }), [3, 4, 5, 6, 7, 8, undefined]);
  assert.deepEqual(
    after.map((view) => before.indexOf(view)),
    [-1, -1, 0, 1, 2, -1, 3],
  );
  const changed = longer.map((one) => (one.n === 6 ? { ...one, body: 'another database' } : { ...one }));
  assert.deepEqual(
    showMessages('bob', 'alice', changed, [sent], marks, after).map((view) => after.indexOf(view)),
    [0, 1, 2, -1, 4, 5, 6],
  );
});
