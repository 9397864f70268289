import { setImmediate as yieldToEventLoop } from 'node:timers/promises';

/** Users that are looked up together. */
const ROUND_USERS = 20;

/**
 * Works for each user that `find` finds, until it finds no other. Work that fails holds up no one else's.
 *
 * @param work ends that its user is found; other requests are served between two of them
 * @param stopping ends it after the work that runs
 * @throws {AggregateError} what failed, when all else is done
 */
export async function eachUser(
  find: (limit: number) => Promise<{ readonly user_id: string }[]>,
  work: (userId: string) => Promise<void>,
  stopping?: AbortSignal,
): Promise<void> {
  const failed = new Map<string, unknown>();
  for (;;) {
    const rows = await find(ROUND_USERS + failed.size);
    const found = rows.filter(({ user_id }) => !failed.has(user_id));
    if (found.length === 0) break;
    for (const { user_id: userId } of found) {
      if (stopping?.aborted) return;
      await work(userId).catch((error) => failed.set(userId, error));
      await yieldToEventLoop();
    }
  }
  if (failed.size > 0) throw new AggregateError(failed.values(), `accounts not erased: ${failed.size}`);
}
