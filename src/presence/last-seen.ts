import type { Db } from '../db/db.ts';

/** Rows in one transaction, so that nobody waits long behind a thousand who went at once. */
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

  /** Epoch milliseconds; nothing for those who were never there. */
  async read(userIds: readonly string[]): Promise<Map<string, number>> {
    if (userIds.length === 0) return new Map();
    const rows = await this.#db.all<{ user_id: string; at: number }>`
      select user_id, at from last_seen where user_id in ${this.#db.list(userIds)}`;
    const known = new Map(rows.map((row) => [row.user_id, row.at]));
    for (const userId of userIds) {
      const at = this.#unwritten.get(userId);
      if (at !== undefined) known.set(userId, at);
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
