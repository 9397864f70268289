import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Message, MessageChange } from 'doorman-client';
import { showMessages } from '../model/message-views.ts';
import type { MessageView } from '../model/views.ts';
import { edit, react, unsend } from './message-changes.ts';
import {
  append,
  endOf,
  type MessageRange,
  NO_MESSAGES,
  newest,
  prepend,
  withChanged,
  withQuoted,
} from './message-range.ts';
import type { PendingMessage } from './pending-messages.ts';

function message(n: number, from = 'bob', cid = `c${n}`): Message {
  return { n, from, cid, body: `body ${n}`, at: n };
}

function range(from: number, to: number, hasOlder = true): MessageRange {
  const messages = Array.from({ length: to - from + 1 }, (_, i) => message(from + i));
  return { ...NO_MESSAGES, messages, hasOlder };
}

/** What Alice sees of her conversation with Bob. */
function show(
  messages: readonly Message[],
  outgoing: readonly PendingMessage[],
  marks: { received: number; read: number },
  before?: readonly MessageView[],
  changes: readonly MessageChange[] = [],
) {
  const range = { ...NO_MESSAGES, messages };
  return showMessages({ peer: 'bob', own: 'alice', range, outgoing, changes, marks }, before);
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
  const shown = show(stored, [waiting], { received: 0, read: 0 });
  assert.deepEqual(
    shown.map(({ body }) => body),
    ['body 1', 'body 2', 'mine'],
  );
  assert.equal(new Set(shown.map(({ key }) => key)).size, 3);
});

test('a message that is stored takes the place of the one that was sent, under the same key', () => {
  const marks = { received: 0, read: 0 };
  const sent = { to: 'bob', cid: 'c1', body: 'body 1', writtenAt: 9, state: 'sending' } as const;
  const before = show([], [sent], marks);
  const after = show([message(1, 'alice')], [sent], marks, before);
  assert.deepEqual(
    [before, after].map((views) => views.map(({ key, state }) => [key, state])),
    [[['own-c1', 'sending']], [['own-c1', 'stored']]],
  );
});

test('marks change only the messages they are about; the others stay the same objects', () => {
  const stored = [message(1, 'alice'), message(2, 'alice'), message(3, 'bob'), message(4, 'alice')];
  const before = show(stored, [], { received: 1, read: 1 });
  const after = show(stored, [], { received: 2, read: 1 }, before);
  assert.deepEqual(
    after.map(({ state }) => state),
    ['read', 'received', 'theirs', 'stored'],
  );
  assert.deepEqual(
    after.map((view, i) => view === before[i]),
    [true, false, true, true],
  );
  assert.equal(show([...stored], [], { received: 2, read: 1 }, after), after);
});

test('an older page and a new message leave the others the same objects', () => {
  const marks = { received: 0, read: 0 };
  const sent = { to: 'bob', cid: 'mine', body: 'mine', writtenAt: 9, state: 'sending' } as const;
  const { messages } = range(5, 7);
  const before = show(messages, [sent], marks);
  const longer = [...range(3, 4).messages, ...messages, message(8)];
  const after = show(longer, [sent], marks, before);
  assert.deepEqual(numbers({ messages: after }), [3, 4, 5, 6, 7, 8, undefined]);
  assert.deepEqual(
    after.map((view) => before.indexOf(view)),
    [-1, -1, 0, 1, 2, -1, 3],
  );
  const changed = longer.map((one) => (one.n === 6 ? { ...one, body: 'another database' } : { ...one }));
  assert.deepEqual(
    show(changed, [sent], marks, after).map((view) => after.indexOf(view)),
    [0, 1, 2, -1, 4, 5, 6],
  );
});

test('a changed message is changed where it is and where it is quoted, and others stay the same objects', () => {
  const one = withQuoted(range(5, 7), [message(2)]);
  const edited = withChanged(withChanged(one, 6, edit('later', 9)), 2, unsend(10));
  assert.deepEqual(
    [edited.messages[1]?.body, edited.messages[1]?.editedAt, edited.messages[0] === one.messages[0]],
    ['later', 9, true],
  );
  assert.deepEqual(edited.quoted, [{ n: 2, from: 'bob', cid: 'c2', body: '', at: 2, unsentAt: 10 }]);
  assert.equal(withChanged(one, 9, unsend(1)), one);
  assert.equal(withQuoted(one, [message(2), message(6)]), one);
});

test('each user has one reaction, also one whose id is a property of every object; an unsent message has none', () => {
  const both = react('__proto__', '👍')(react('constructor', '❤️')(react('constructor', '😂')(message(1))));
  assert.deepEqual(Object.entries(both.reactions ?? {}).sort(), [
    ['__proto__', '👍'],
    ['constructor', '❤️'],
  ]);
  assert.deepEqual(react('__proto__', '')(react('constructor', '')(both)), message(1));
  const unsent = unsend(5)(both);
  assert.deepEqual([react('bob', '👍')(unsent), edit('again', 6)(unsent)], [unsent, unsent]);
});

test('the cut range keeps the messages that the rest of it answers', () => {
  const all = range(1, 9, false).messages.map((one) => (one.n > 6 ? { ...one, replyTo: one.n - 5 } : one));
  const cut = newest({ ...NO_MESSAGES, messages: all }, 3);
  assert.deepEqual(
    cut.quoted.map(({ n }) => n),
    [2, 3, 4],
  );
  assert.deepEqual(
    newest({ ...cut, messages: cut.messages }, 1).quoted.map(({ n }) => n),
    [4],
  );
});

test('a change that waits is shown already, a refused one is not, and neither touches other messages', () => {
  const marks = { received: 0, read: 0 };
  const stored = [message(1, 'alice'), message(2, 'bob'), message(3, 'alice')];
  const before = show(stored, [], marks);
  const waiting = { peer: 'bob', writtenAt: 7, state: 'waiting' } as const;
  const changes: MessageChange[] = [
    { ...waiting, kind: 'edit', n: 1, body: 'new' },
    { ...waiting, kind: 'react', n: 2, emoji: '👍' },
    { ...waiting, kind: 'unsend', n: 3, state: 'refused', error: 'too_late' },
  ];
  const after = show(stored, [], marks, before, changes);
  assert.deepEqual(
    after.map(({ body, isEdited, isUnsent, reactions }) => [body, isEdited, isUnsent, reactions]),
    [
      ['new', true, false, undefined],
      ['body 2', false, false, { alice: '👍' }],
      ['body 3', false, false, undefined],
    ],
  );
  assert.equal(after[2]?.changes?.[0]?.error, 'too_late');
  assert.equal(show(stored, [], marks, after, [...changes]), after);
});
