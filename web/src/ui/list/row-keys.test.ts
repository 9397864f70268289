import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isTypeAhead, rowByKey, tabStop } from './row-keys.ts';

test('arrows move by one row and leave the list at its ends to others', () => {
  assert.equal(rowByKey('ArrowDown', 0, 3, 10), 1);
  assert.equal(rowByKey('ArrowUp', 2, 3, 10), 1);
  assert.equal(rowByKey('ArrowDown', 2, 3, 10), undefined);
  assert.equal(rowByKey('ArrowUp', 0, 3, 10), undefined);
  assert.equal(rowByKey('ArrowDown', 0, 0, 10), undefined);
});

test('page keys, Home and End stay within the list', () => {
  assert.equal(rowByKey('PageDown', 5, 100, 10), 15);
  assert.equal(rowByKey('PageDown', 95, 100, 10), 99);
  assert.equal(rowByKey('PageUp', 5, 100, 10), 0);
  assert.equal(rowByKey('PageDown', 5, 100, 0), 6);
  assert.equal(rowByKey('Home', 50, 100, 10), 0);
  assert.equal(rowByKey('End', 50, 100, 10), 99);
  assert.equal(rowByKey('Enter', 50, 100, 10), undefined);
});

test('a letter typed in the list is one for the search field; a command is not', () => {
  const pressed = (key: string, more = {}) => ({
    key,
    ctrlKey: false,
    altKey: false,
    metaKey: false,
    ...more,
  });
  for (const key of ['a', '小', '😀', '@', '7']) assert.ok(isTypeAhead(pressed(key)), key);
  for (const key of [' ', '?', '？', 'Enter', 'Tab', 'ArrowDown', 'Escape', 'Process', 'F1'])
    assert.ok(!isTypeAhead(pressed(key)), key);
  assert.ok(!isTypeAhead(pressed('r', { ctrlKey: true })));
  assert.ok(!isTypeAhead(pressed('r', { metaKey: true })));
  assert.ok(!isTypeAhead(pressed('r', { altKey: true })));
});

test('Tab goes to the row used last while it is visible, else to the first visible one', () => {
  const seen = { first: 20, last: 30 };
  assert.equal(tabStop(undefined, false, seen), 20);
  assert.equal(tabStop(25, false, seen), 25);
  assert.equal(tabStop(3, false, seen), 20);
  assert.equal(tabStop(3, true, seen), 3);
});
