import assert from 'node:assert/strict';
import { test } from 'node:test';
import { stepFrom } from './conversation-step.ts';

const LIST = [
  { peer: 'a', unread: 0 },
  { peer: 'b', unread: 2 },
  { peer: 'c', unread: 0 },
  { peer: 'd', unread: 1 },
];

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
  assert.equal(stepFrom([{ peer: 'a', unread: 3 }], 'a', 'next-unread'), undefined);
});
