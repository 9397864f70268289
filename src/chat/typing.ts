import type { Db } from '../db/db.ts';
import type { Events } from '../events/hints.ts';
import { openRateLimit } from '../http/rate-limits.ts';
import type { OnlineUsers } from '../presence/online-users.ts';
import { areApart } from './marks.ts';

/**
 * Passes on that a user types: to users who are online, once a second for each pair, and not while one of the two
 * blocks the other. What does not pass is dropped without a reply, so that it discloses nothing (architecture 6).
 */
export class Typing {
  readonly #db: Db;
  readonly #events: Events;
  readonly #online: OnlineUsers;
  readonly #monotonicMs: () => number;
  readonly #passed = openRateLimit({ limit: 1, windowMs: 1000, maxKeys: 100_000 });

  constructor(db: Db, events: Events, online: OnlineUsers, monotonicMs: () => number) {
    this.#db = db;
    this.#events = events;
    this.#online = online;
    this.#monotonicMs = monotonicMs;
  }

  async pass(from: string, to: string): Promise<void> {
    if (from === to || !this.#online.isOnline(to)) return;
    if (!this.#passed.take(`${from} ${to}`, this.#monotonicMs()).allowed) return;
    if (await areApart(this.#db, from, to)) return;
    this.#events.publish({ type: 'typing', from, to });
  }
}
