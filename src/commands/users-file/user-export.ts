import type { Queries } from '../../db/db.ts';
import { inList } from '../../db/fragments.ts';
import { USER_COLUMNS, type UserRow } from '../../users/schemas.ts';

/** Whole rows of users with ids after this one, the oldest first; also of suspended and deleted users. */
export async function listUserRows(db: Queries, afterId: string, count: number): Promise<UserRow[]> {
  return db.all<UserRow>`select ${USER_COLUMNS} from users where id > ${afterId} order by id limit ${count}`;
}

/** The taken ones among the keys, each with the name as it is stored. */
export async function findTakenNames(db: Queries, keys: readonly string[]): Promise<Map<string, string>> {
  const rows = await db.all<{ username_key: string; username: string }>`
    select username_key, username from users where username_key in ${inList(keys)}`;
  return new Map(rows.map((row) => [row.username_key, row.username]));
}
