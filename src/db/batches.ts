import { setImmediate as yieldToEventLoop } from 'node:timers/promises';

/** Rows that clean-up writes in one transaction: one or two milliseconds, so that no request waits long behind it. */
const BATCH_ROWS = 200;

/**
 * Does clean-up work in batches: repeats `batch` until it finds fewer rows than its limit. Other requests are served
 * between two batches.
 *
 * @param batch removes or changes up to `limit` rows and returns how many there were
 */
export async function inBatches(batch: (limit: number) => Promise<number>): Promise<void> {
  while ((await batch(BATCH_ROWS)) >= BATCH_ROWS) await yieldToEventLoop();
}
