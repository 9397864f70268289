import type { Db, Queries } from '../db/db.ts';
import { forKeyShare, inList } from '../db/fragments.ts';

/** Rows in one transaction, so that other writes wait only briefly after a thousand users left at the same moment. */
const ROWS_PER_TRANSACTION = 200;
/** How long a time that another node reported is kept: it is in the database long before. */
const HEARD_MS = 60_000;
/** A stored time that is this far ahead was written before the clock was set back. */
const AHEAD_MS = 60_000;

/**
 * When users were last online. Times are kept in memory first and written to the database in batches. Each node writes the times
 * of its own sockets; of several times of one user the latest counts.
 */
export class LastSeen {
  readonly #db: Db;
  readonly #now: () => number;
  readonly #unwritten = new Map<string, number>();
  /** Times that other nodes reported and write themselves. */
  readonly #heard = new Map<string, number>();

  constructor(db: Db, now: () => number) {
    this.#db = db;
    this.#now = now;
  }

  /** @param at epoch milliseconds */
  note(userId: string, at: number): void {
    this.#unwritten.set(userId, at);
  }

  /** Another node, which writes it, reported that the user left then. @param at epoch milliseconds */
  hear(userId: string, at: number): void {
    this.#heard.set(userId, Math.max(at, this.#heard.get(userId) ?? 0));
  }

  /** Epoch milliseconds; no entry for users who were never online or whose account is deleted. */
  async read(userIds: readonly string[]): Promise<Map<string, number>> {
    if (userIds.length === 0) return new Map();
    const rows = await this.#db.all<{ id: string; at: number | null }>`
      select users.id, last_seen.at from users left join last_seen on last_seen.user_id = users.id
      where users.id in ${inList(userIds)} and users.status <> 'deleted'`;
    const lastSeen = new Map<string, number>();
    for (const { id, at } of rows) {
      const latest = this.#latestOf(id, at);
      if (latest !== null) lastSeen.set(id, latest);
    }
    return lastSeen;
  }

  /** Writes all times that are not written yet, but those of deleted accounts. A stored time is only replaced by a later one. */
  async write(): Promise<void> {
    const ahead = this.#now() + AHEAD_MS;
    // In the order of ids: nodes that write the same rows wait for each other and do not deadlock.
    const entries = [...this.#unwritten].sort(([a], [b]) => (a < b ? -1 : 1));
    for (let i = 0; i < entries.length; i += ROWS_PER_TRANSACTION) {
      const batch = entries.slice(i, i + ROWS_PER_TRANSACTION);
      await this.#db.transaction(async (tx) => {
        for (const [userId, at] of batch)
          await tx.run`
            insert into last_seen (user_id, at)
            select id, cast(${at} as bigint) from users where id = ${userId} and status <> 'deleted' ${forKeyShare}
            on conflict (user_id) do update set at = excluded.at
            where last_seen.at < excluded.at or last_seen.at > ${ahead}`;
      });
      for (const [userId, at] of batch)
        if (this.#unwritten.get(userId) === at) this.#unwritten.delete(userId);
    }
    for (const [userId, at] of this.#heard) if (at + HEARD_MS <= this.#now()) this.#heard.delete(userId);
  }

  #latestOf(userId: string, stored: number | null): number | null {
    const own = this.#unwritten.get(userId);
    const heard = this.#heard.get(userId);
    if (own === undefined && heard === undefined) return stored;
    const isAhead = stored !== null && stored > this.#now() + AHEAD_MS;
    return Math.max(own ?? 0, heard ?? 0, isAhead ? 0 : (stored ?? 0));
  }
}

/** To be called in the transaction that erases an account, behind the lock of its row. */
export async function removeLastSeen(tx: Queries, userId: string): Promise<void> {
  await tx.run`delete from last_seen where user_id = ${userId}`;
}
