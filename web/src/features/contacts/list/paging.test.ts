import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isNearEnd, pageWaitMs } from './paging.ts';

test('the next page is loaded before the end is on the screen, but not as soon as a short page is there', () => {
  assert.ok(!isNearEnd(15, 200));
  assert.ok(isNearEnd(80, 200));
  assert.ok(!isNearEnd(700, 1_200));
  assert.ok(isNearEnd(800, 1_200));
  assert.ok(isNearEnd(0, 0));
});

test('even fast scrolling loads at most 30 pages a minute', () => {
  let now = 5_000;
  let loadedAt: number | undefined;
  let pages = 0;
  while (now < 65_000) {
    now += pageWaitMs(loadedAt, now);
    if (now >= 65_000) break;
    loadedAt = now;
    pages++;
    now += 20; // the answer
  }
  assert.equal(pages, 30);
  assert.equal(pageWaitMs(undefined, 5_000), 0);
  assert.equal(pageWaitMs(1_000, 900_000), 0);
});
