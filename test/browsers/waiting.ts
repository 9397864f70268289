import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { PATIENCE_MS } from './running-browser.ts';

/** What puppeteer's `$eval` throws while the page has no such element, as after a reload. */
const NOT_THERE_YET = 'failed to find element matching selector';

/**
 * Calls `look` repeatedly until its result is not `undefined`, `null` or `false`. An error that it throws ends the wait, but
 * for an element that is not there.
 *
 * @param what ends the sentence `Waited .. for`
 */
export async function waitFor<T>(
  what: string,
  look: () => Promise<T | undefined | null | false> | T | undefined | null | false,
  ms = PATIENCE_MS,
): Promise<T> {
  const tooLateAt = performance.now() + ms;
  for (let pause = 15; ; pause = Math.min(pause * 1.5, 100)) {
    const found = await whenThere(look);
    if (found !== undefined && found !== null && found !== false) return found;
    if (performance.now() > tooLateAt) throw new Error(`Waited ${ms} ms in vain for ${what}`);
    await sleep(pause);
  }
}

async function whenThere<T>(look: () => Promise<T> | T): Promise<T | undefined> {
  try {
    return await look();
  } catch (error) {
    if (error instanceof Error && error.message.includes(NOT_THERE_YET)) return undefined;
    throw error;
  }
}

/** Waits until `read` returns `expected`: for what the page shows soon after something else. Fails with what it returned last. */
export async function untilEqual<T>(read: () => Promise<T>, expected: T, ms = PATIENCE_MS): Promise<void> {
  let found = await whenThere(read);
  const tooLateAt = performance.now() + ms;
  while (!isDeepStrictEqual(found, expected) && performance.now() < tooLateAt) {
    await sleep(50);
    found = await whenThere(read);
  }
  assert.deepEqual(found, expected);
}
