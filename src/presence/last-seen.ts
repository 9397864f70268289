import type { Db } from '../db/db.ts';

/** Rows in one transaction, so that others wait little behind a thousand users who left at once. */
const AT_ONCE = 200;

/** When users went offline: kept in memory until it is written, which is done in bundles. */
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

  /** Epoch milliseconds; nothing for those who were never there or whose account is deleted. */
  async read(userIds: readonly string[]): Promise<Map<string, number>> {
    if (userIds.length === 0) return new Map();
    const rows = await this.#db.all<{ id: string; at: number | null }>`
      select users.id, last_seen.at from users left join last_seen on last_seen.user_id = users.id
      where users.id in ${this.#db.list(userIds)} and users.status <> 'deleted'`;
    const known = new Map<string, number>();
    for (const { id, at } of rows) {
      const lastAt = this.#unwritten.get(id) ?? at;
      if (lastAt !== null) known.set(id, lastAt);
    }
    return known;
  }

  async write(): Promise<void> {
    const entries = [...this.#unwritten];
    for (let i = 0; i < entries.length; i += AT_ONCE) {
      const some = entries.slice(i, i + AT_ONCE);
      await this.#db.transaction(async (tx) => {
        for (const [userId, at] of some)
          await tx.run`
            insert into last_seen (user_id, at) values (${userId}, ${at})
            on conflict (user_id) do update set at = excluded.at`;
      });
      for (const [userId, at] of some) if (this.#unwritten.get(userId) === at) this.#unwritten.delete(userId);
    }
  }
}
