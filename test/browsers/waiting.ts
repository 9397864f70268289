import { setTimeout as sleep } from 'node:timers/promises';
import { PATIENCE_MS } from './running-browser.ts';

/**
 * Calls `look` repeatedly until its result is not `undefined`, `null` or `false`. An error that it throws ends the wait.
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
    const found = await look();
    if (found !== undefined && found !== null && found !== false) return found;
    if (performance.now() > tooLateAt) throw new Error(`Waited ${ms} ms in vain for ${what}`);
    await sleep(pause);
  }
}
