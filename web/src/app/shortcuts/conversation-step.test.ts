import assert from 'node:assert/strict';
import { test } from 'node:test';
import { stepFrom } from './conversation-step.ts';

/** A conversation of the list. */
const stop = (
  peer: string,
  unread: number,
  other: { isArchived?: boolean; isMarkedUnread?: boolean } = {},
) => ({
  peer,
  unread,
  isArchived: false,
  isMarkedUnread: false,
  ...other,
});

const LIST = [stop('a', 0), stop('b', 2), stop('c', 0), stop('d', 1)];

test('a step leads to the neighbour, and ends at the ends of the list', () => {
  assert.equal(stepFrom(LIST, 'a', 'next'), 'b');
  assert.equal(stepFrom(LIST, 'c', 'previous'), 'b');
  assert.equal(stepFrom(LIST, 'd', 'next'), undefined);
  assert.equal(stepFrom(LIST, 'a', 'previous'), undefined);
});

test('without an open conversation in the list, the first one is the next', () => {
  assert.equal(stepFrom(LIST, undefined, 'next'), 'a');
  assert.equal(stepFrom(LIST, 'x', 'previous'), undefined);
  assert.equal(stepFrom(LIST, undefined, 'next-unread'), 'b');
  assert.equal(stepFrom(LIST, undefined, 'previous-unread'), 'd');
  assert.equal(stepFrom([], undefined, 'next'), undefined);
});

test('a step to an unread conversation passes the others, and goes on at the other end', () => {
  assert.equal(stepFrom(LIST, 'b', 'next-unread'), 'd');
  assert.equal(stepFrom(LIST, 'd', 'next-unread'), 'b');
  assert.equal(stepFrom(LIST, 'c', 'previous-unread'), 'b');
  assert.equal(stepFrom(LIST, 'b', 'previous-unread'), 'd');
  assert.equal(stepFrom([stop('a', 3)], 'a', 'next-unread'), undefined);
});

test('an archived conversation is passed, and a step from one stays among them', () => {
  const list = [
    stop('a', 0),
    stop('b', 2, { isArchived: true }),
    stop('c', 0),
    stop('d', 0, { isArchived: true }),
  ];
  assert.equal(stepFrom(list, 'a', 'next'), 'c');
  assert.equal(stepFrom(list, 'a', 'next-unread'), undefined);
  assert.equal(stepFrom(list, 'b', 'next'), 'd');
});

test('a conversation that is marked as unread is unread', () => {
  const list = [stop('a', 0), stop('b', 0), stop('c', 0, { isMarkedUnread: true })];
  assert.equal(stepFrom(list, 'a', 'next-unread'), 'c');
});
