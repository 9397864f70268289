import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  correctCount,
  countMessage,
  countRead,
  recount,
  startTally,
  type Tally,
  unreadOf,
  wouldGuess,
} from './unread.ts';

/** Whose the messages are, in order: `true` for own ones. */
const messages = fc.array(fc.boolean(), { maxLength: 12 });

/** The truth: the peer's messages after `read`, up to `head`. */
function trulyUnread(all: readonly boolean[], read: number, head = all.length): number {
  return all.slice(read, head).filter((isOwn) => !isOwn).length;
}

test('messages and marks in any order give what is true, or say that they guess, and never too few', () => {
  fc.assert(
    fc.property(
      messages,
      fc.nat(12),
      fc.nat(12),
      fc.array(fc.nat(14), { maxLength: 6 }),
      (all, start, read, marks) => {
        const head = Math.min(start, all.length);
        const from = Math.min(read, head);
        let tally = startTally(from, head, trulyUnread(all, from, head));
        let isGuess = false;
        const takeMark = (n: number) => {
          isGuess ||= wouldGuess(tally, n);
          tally = countRead(tally, n);
          const truth = trulyUnread(all, tally.read, tally.head);
          if (isGuess) assert.ok(unreadOf(tally) >= truth);
          else assert.equal(unreadOf(tally), truth);
        };
        for (let n = head + 1; n <= all.length; n++) {
          tally = countMessage(tally, n, all[n - 1] === true);
          // Told again: it changes nothing.
          assert.equal(countMessage(tally, n, all[n - 1] === true), tally);
          if (n % 2 === 0) takeMark(Math.min(marks.shift() ?? 0, n));
        }
        for (const mark of marks) takeMark(Math.min(mark, all.length));
      },
    ),
  );
});

test('a guess is corrected, unless the user read on meanwhile', () => {
  // theirs, own, own, theirs: two unread of four, then a mark at 1.
  const tally = countRead(startTally(0, 4, 2), 1);
  assert.deepEqual([wouldGuess(startTally(0, 4, 2), 1), unreadOf(tally)], [true, 2]);
  assert.equal(unreadOf(correctCount(tally, 1, 1)), 1);
  const further = countRead(tally, 4);
  assert.equal(correctCount(further, 1, 1), further);
});

test('what is told anew counts with what came after it, and with what was read here', () => {
  let tally: Tally = startTally(0, 3, 0);
  for (const n of [4, 5, 6]) tally = countMessage(tally, n, false);
  assert.equal(unreadOf(recount(tally, 0, 5, 5)), 6);
  assert.equal(unreadOf(recount(countRead(tally, 6), 0, 5, 5)), 0);
  assert.equal(recount(tally, 0, 5, 5).head, 6);
});

test('a mark beyond what is known keeps later messages from being unread', () => {
  const tally = countRead(startTally(0, 1, 1), 3);
  assert.deepEqual([2, 3, 4].reduce((one, n) => countMessage(one, n, false), tally).tail, [4]);
});
