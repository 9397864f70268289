import type { Db } from '../db/db.ts';
import type { Events } from '../events/hints.ts';
import { SlidingLog } from '../limits/sliding-log.ts';
import type { OnlineUsers } from '../presence/online-users.ts';
import { isKeptBack } from '../relations/blocks.ts';

/**
 * Forwards typing notices: to recipients who are online, at most one a second for each pair, and none while one of the two
 * blocks the other. Any other notice is dropped without a word to the sender, so that nothing is disclosed (architecture 6).
 */
export function openTyping(db: Db, events: Events, online: OnlineUsers, monotonicMs: () => number) {
  const limit = new SlidingLog({ limit: 1, windowMs: 1000, maxKeys: 100_000 }, monotonicMs);
  return async (from: string, to: string): Promise<void> => {
    if (from === to || !online.isOnline(to)) return;
    if (!limit.take(`${from} ${to}`).allowed) return;
    if (await isKeptBack(db, from, to)) return;
    events.publish({ type: 'typing', from, to });
  };
}
