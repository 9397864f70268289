import type { Queries } from '../db/db.ts';
import type { UserRow } from '../users/schemas.ts';

/** Users with all that is stored of them, older first, after the one with this id, whatever became of them. */
export async function listWholeUsers(db: Queries, afterId: string, count: number): Promise<UserRow[]> {
  return db.all<UserRow>`select * from users where id > ${afterId} order by id limit ${count}`;
}

/** Those of the keys that are taken, each with the name as it is spelt. */
export async function findNames(db: Queries, keys: readonly string[]): Promise<Map<string, string>> {
  const rows = await db.all<{ username_key: string; username: string }>`
    select username_key, username from users where username_key in ${db.list(keys)}`;
  return new Map(rows.map((row) => [row.username_key, row.username]));
}
