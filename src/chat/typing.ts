import type { Db } from '../db/db.ts';
import type { Events } from '../events/hints.ts';
import { openRateLimit } from '../http/rate-limits.ts';
import type { OnlineUsers } from '../presence/online-users.ts';
import { isBlockedEitherWay } from '../relations/blocks.ts';

/**
 * Forwards typing notices: to recipients who are online, at most one a second for each pair, and none while one of the two
 * blocks the other. Any other notice is dropped without a word to the sender, so that nothing is disclosed (architecture 6).
 */
export class Typing {
  readonly #db: Db;
  readonly #events: Events;
  readonly #online: OnlineUsers;
  readonly #monotonicMs: () => number;
  readonly #limit = openRateLimit({ limit: 1, windowMs: 1000, maxKeys: 100_000 });

  constructor(db: Db, events: Events, online: OnlineUsers, monotonicMs: () => number) {
    this.#db = db;
    this.#events = events;
    this.#online = online;
    this.#monotonicMs = monotonicMs;
  }

  async forward(from: string, to: string): Promise<void> {
    if (from === to || !this.#online.isOnline(to)) return;
    if (!this.#limit.take(`${from} ${to}`, this.#monotonicMs()).allowed) return;
    if (await isBlockedEitherWay(this.#db, from, to)) return;
    this.#events.publish({ type: 'typing', from, to });
  }
}
