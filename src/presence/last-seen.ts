import type { Db } from '../db/db.ts';

/** Rows in one transaction, so that other writes wait only briefly after a thousand users left at the same moment. */
const ROWS_PER_TRANSACTION = 200;

/** When users were last online. Times are kept in memory first and written to the database in batches. */
export class LastSeen {
  readonly #db: Db;
  readonly #unwritten = new Map<string, number>();

  constructor(db: Db) {
    this.#db = db;
  }

  /** @param at epoch milliseconds */
  note(userId: string, at: number): void {
    this.#unwritten.set(userId, at);
  }

  /** Epoch milliseconds; no entry for users who were never online or whose account is deleted. */
  async read(userIds: readonly string[]): Promise<Map<string, number>> {
    if (userIds.length === 0) return new Map();
    const rows = await this.#db.all<{ id: string; at: number | null }>`
      select users.id, last_seen.at from users left join last_seen on last_seen.user_id = users.id
      where users.id in ${this.#db.list(userIds)} and users.status <> 'deleted'`;
    const lastSeen = new Map<string, number>();
    for (const { id, at } of rows) {
      const latest = this.#unwritten.get(id) ?? at;
      if (latest !== null) lastSeen.set(id, latest);
    }
    return lastSeen;
  }

  /** Writes all times that are not written yet. */
  async write(): Promise<void> {
    const entries = [...this.#unwritten];
    for (let i = 0; i < entries.length; i += ROWS_PER_TRANSACTION) {
      const batch = entries.slice(i, i + ROWS_PER_TRANSACTION);
      await this.#db.transaction(async (tx) => {
        for (const [userId, at] of batch)
          await tx.run`
            insert into last_seen (user_id, at) values (${userId}, ${at})
            on conflict (user_id) do update set at = excluded.at`;
      });
      for (const [userId, at] of batch)
        if (this.#unwritten.get(userId) === at) this.#unwritten.delete(userId);
    }
  }
}
