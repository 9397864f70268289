import assert from 'node:assert/strict';
import { test } from 'node:test';
import { messageView } from '../../../../test/message-view.ts';
import type { MessageView } from '../model/views.ts';
import { blockLayout, type Row } from './message-rows.ts';

const NOON = new Date(2026, 4, 5, 12, 0, 0).getTime();
const SECOND = 1_000;
const DAY = 24 * 60 * 60 * SECOND;

function message(n: number, at: number, from: 'ada' | 'me', state?: MessageView['state']): MessageView {
  const isOwn = from === 'me';
  const known = state ?? (isOwn ? 'stored' : 'theirs');
  return messageView({ n, from, isOwn, body: `${n}`, at, state: known });
}

function layOutRows(messages: MessageView[], unreadAfter?: number): Row[] {
  return blockLayout()(messages, unreadAfter).flatMap(({ rows }) => rows);
}

/** `day`, `new`, or the message's number with its gap and `.` where a group ends. */
function outline(messages: MessageView[], unreadAfter?: number): string[] {
  return layOutRows(messages, unreadAfter).map((row) => {
    if (row.kind === 'message') return `${row.message.n} ${row.gap}${row.isGroupEnd ? ' .' : ''}`;
    return row.kind === 'day' ? 'day' : 'new';
  });
}

test('an empty thread has no rows', () => {
  assert.deepEqual(layOutRows([], 3), []);
});

test('messages of one user within a minute of the clock are a group', () => {
  const messages = [
    message(1, NOON, 'ada'),
    message(2, NOON + 59 * SECOND, 'ada'),
    message(3, NOON + 60 * SECOND, 'ada'),
    message(4, NOON + 61 * SECOND, 'me'),
    message(5, NOON + 62 * SECOND, 'me'),
  ];
  assert.deepEqual(outline(messages), ['day', '1 large', '2 none .', '3 small .', '4 large', '5 none .']);
});

test('a day is above its first message, by the calendar of this machine', () => {
  const midnight = new Date(2026, 4, 6).getTime();
  const messages = [
    message(1, midnight - 1, 'ada'),
    message(2, midnight, 'ada'),
    message(3, midnight + 1, 'ada'),
    message(4, midnight + 2 * DAY, 'ada'),
  ];
  assert.deepEqual(outline(messages), ['day', '1 large .', 'day', '2 large', '3 none .', 'day', '4 large .']);
});

test('the "new" line is above the first message of the peer that is not read', () => {
  const messages = [message(7, NOON, 'ada'), message(8, NOON, 'me'), message(9, NOON, 'ada')];
  assert.deepEqual(outline(messages, 6), ['day', 'new', '7 large .', '8 large .', '9 large .']);
  assert.deepEqual(outline(messages, 7), ['day', '7 large .', '8 large .', 'new', '9 large .']);
  assert.deepEqual(outline(messages, 9), ['day', '7 large .', '8 large .', '9 large .']);
});

test('the "new" line separates groups, and comes after the day', () => {
  const messages = [message(1, NOON, 'ada'), message(2, NOON, 'ada'), message(3, NOON + DAY, 'ada')];
  assert.deepEqual(outline(messages, 1), ['day', '1 large .', 'new', '2 large .', 'day', '3 large .']);
  assert.deepEqual(outline(messages, 2), ['day', '1 large', '2 none .', 'day', 'new', '3 large .']);
});

test('an own message that is not stored is never the first below the "new" line', () => {
  const waiting = { ...message(2, NOON, 'me', 'waiting'), n: undefined };
  assert.deepEqual(outline([message(1, NOON, 'ada'), waiting], 1), ['day', '1 large .', 'undefined large .']);
});

test('a refused message is a group of its own, as it shows why', () => {
  const messages = [
    message(1, NOON, 'me'),
    message(2, NOON, 'me', 'refused'),
    message(3, NOON, 'me', 'waiting'),
    message(4, NOON, 'me', 'waiting'),
  ];
  assert.deepEqual(outline(messages), ['day', '1 large .', '2 small .', '3 small', '4 none .']);
});

test('every row has a key of its own, even if clocks are wrong', () => {
  const messages = [NOON, NOON + DAY, NOON, NOON + DAY].map((at, i) => message(i + 1, at, 'ada'));
  const keys = layOutRows(messages, 2).map((row) => row.key);
  assert.equal(new Set(keys).size, keys.length);
});

test('an older page above changes no row but the day of the former first one', () => {
  const older = [message(1, NOON, 'ada'), message(2, NOON, 'ada')];
  const known = [message(3, NOON + DAY, 'ada'), message(4, NOON + DAY, 'me')];
  assert.deepEqual(layOutRows([...older, ...known]).slice(-3), layOutRows(known));
});

test('groups, days and the "new" line are the same wherever a block begins', () => {
  const froms = ['ada', 'ada', 'me', 'ada', 'ada', 'ada'] as const;
  const messages = froms.map((from, i) => message(i + 1, NOON + (i > 3 ? DAY : 0), from));
  for (const unreadAfter of [undefined, 0, 1, 3, 4, 5, 6])
    for (const size of [1, 2, 3, 4]) {
      const rows = blockLayout(size)(messages, unreadAfter).flatMap((block) => block.rows);
      assert.deepEqual(rows, layOutRows(messages, unreadAfter), `${size} messages, ${unreadAfter} read`);
    }
});

test('a block has a fixed range of numbers, and days and the "new" line of its messages', () => {
  const messages = [3, 4, 5, 8, 9].map((n) => message(n, NOON + (n > 4 ? DAY : 0), 'ada'));
  const blocks = blockLayout(4)(messages, 7);
  assert.deepEqual(
    blocks.map(({ key, rows, hasLine }) => [key, rows.map((row) => row.key), hasLine]),
    [
      [0, ['day-n-3', 'n-3'], false],
      [1, ['n-4', 'day-n-5', 'n-5'], false],
      [2, ['unread', 'n-8', 'n-9'], true],
    ],
  );
});

test('a message stays in its block when it is stored, and when older ones come above', () => {
  const blockOf = (messages: MessageView[], body: string) =>
    blockLayout(4)(messages).find((block) => block.messages.some((one) => one.body === body))?.key;
  const known = [message(6, NOON, 'ada'), message(7, NOON, 'ada')];
  const waiting = { ...message(8, NOON, 'me', 'waiting'), n: undefined };
  const older = [1, 2, 3, 4, 5].map((n) => message(n, NOON, 'ada'));
  assert.equal(blockOf([...known, waiting], '8'), 2);
  assert.equal(blockOf([...known, message(8, NOON, 'me')], '8'), 2);
  assert.equal(blockOf([...older, ...known], '7'), blockOf(known, '7'));
});

test('a message, an older page or the "new" line changes only the blocks that they touch', () => {
  const layOut = blockLayout(4);
  const all = Array.from({ length: 24 }, (_, n) => message(n, NOON + (n * DAY) / 6, 'ada'));
  /** The keys of the blocks that are other objects than before. */
  let before: readonly unknown[] = [];
  const changed = (messages: MessageView[], unreadAfter?: number) => {
    const known = before;
    const blocks = layOut(messages, unreadAfter);
    before = blocks;
    return blocks.filter((block) => !known.includes(block)).map(({ key }) => key);
  };
  assert.deepEqual(changed(all.slice(8, 20)), [2, 3, 4]);
  assert.deepEqual(changed(all.slice(8, 20)), []);
  assert.deepEqual(changed(all.slice(8, 21)), [4, 5], 'the first message of a block is below the one above');
  assert.deepEqual(changed(all.slice(8, 22)), [5]);
  assert.deepEqual(changed(all.slice(2, 22)), [0, 1, 2]);
  assert.deepEqual(changed(all.slice(2, 22), 13), [3]);
  assert.deepEqual(changed(all.slice(2, 22)), [3]);
});
