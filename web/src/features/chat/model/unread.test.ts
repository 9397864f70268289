import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  correctCount,
  countMessage,
  countRead,
  isEstimate,
  recount,
  startCounter,
  type UnreadCounter,
  unreadOf,
} from './unread.ts';

/** The messages in order: `true` for own ones. */
const messages = fc.array(fc.boolean(), { maxLength: 12 });

/** The truth: the peer's messages after `read`, up to `head`. */
function trulyUnread(all: readonly boolean[], read: number, head = all.length): number {
  return all.slice(read, head).filter((isOwn) => !isOwn).length;
}

test('messages and marks in any order give the true count or a marked estimate, and never too few', () => {
  fc.assert(
    fc.property(
      messages,
      fc.nat(12),
      fc.nat(12),
      fc.array(fc.nat(14), { maxLength: 6 }),
      (all, start, read, marks) => {
        const head = Math.min(start, all.length);
        const from = Math.min(read, head);
        let counter = startCounter(from, head, trulyUnread(all, from, head));
        let isGuess = false;
        const takeMark = (n: number) => {
          isGuess ||= isEstimate(counter, n);
          counter = countRead(counter, n);
          const truth = trulyUnread(all, counter.read, counter.head);
          if (isGuess) assert.ok(unreadOf(counter) >= truth);
          else assert.equal(unreadOf(counter), truth);
        };
        for (let n = head + 1; n <= all.length; n++) {
          counter = countMessage(counter, n, all[n - 1] === true);
          // A repeated event changes nothing.
          assert.equal(countMessage(counter, n, all[n - 1] === true), counter);
          if (n % 2 === 0) takeMark(Math.min(marks.shift() ?? 0, n));
        }
        for (const mark of marks) takeMark(Math.min(mark, all.length));
      },
    ),
  );
});

test('an estimate is corrected, unless the user has read further since', () => {
  // theirs, own, own, theirs: two unread of four, then a mark at 1.
  const counter = countRead(startCounter(0, 4, 2), 1);
  assert.deepEqual([isEstimate(startCounter(0, 4, 2), 1), unreadOf(counter)], [true, 2]);
  assert.equal(unreadOf(correctCount(counter, 1, 1)), 1);
  const further = countRead(counter, 4);
  assert.equal(correctCount(further, 1, 1), further);
});

test('a new count of the service includes later messages, and what was read here', () => {
  let counter: UnreadCounter = startCounter(0, 3, 0);
  for (const n of [4, 5, 6]) counter = countMessage(counter, n, false);
  assert.equal(unreadOf(recount(counter, 0, 5, 5)), 6);
  assert.equal(unreadOf(recount(countRead(counter, 6), 0, 5, 5)), 0);
  assert.equal(recount(counter, 0, 5, 5).head, 6);
});

test('a mark beyond what is known keeps later messages from being unread', () => {
  const counter = countRead(startCounter(0, 1, 1), 3);
  assert.deepEqual([2, 3, 4].reduce((one, n) => countMessage(one, n, false), counter).tail, [4]);
});
