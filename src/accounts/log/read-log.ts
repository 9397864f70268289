import type { Queries } from '../../db/db.ts';
import { inList } from '../../db/fragments.ts';
import type { UserRow } from '../../users/schemas.ts';
import { type AccountLogEntry, type AccountLogPage, MAX_ENTRIES } from './schemas.ts';

/** Greater than every id. */
const END = '~';

/**
 * A page of the user's own log, newest first. It has network addresses, so never show it to others.
 *
 * @param page.before `next` of the page before
 */
export async function readLog(
  db: Queries,
  userId: string,
  { before = END, limit = MAX_ENTRIES }: { before?: string; limit?: number },
): Promise<AccountLogPage> {
  const rows = await db.all<Omit<AccountLogEntry, 'detail'> & { data: string }>`
    select id, at, what, session_id as session, device, address, data from account_log
    where user_id = ${userId} and id < ${before} order by id desc limit ${limit + 1}`;
  const items = rows.slice(0, limit).map(({ data, ...row }) => ({ ...row, detail: JSON.parse(data) }));
  await nameUsers(db, items);
  const next = rows.length > limit ? items.at(-1)?.id : undefined;
  return { items, ...(next !== undefined && { next }) };
}

/** Entries store the id of another user alone: the name comes from their account, unless it is deleted. */
async function nameUsers(db: Queries, items: readonly Pick<AccountLogEntry, 'detail'>[]): Promise<void> {
  const others = items.map(({ detail }) => detail).filter(({ user }) => user !== undefined);
  const rows = await db.all<Pick<UserRow, 'id' | 'username'>>`
    select id, username from users where id in ${inList(others.map(({ user }) => String(user)))} and status <> 'deleted'`;
  const names = new Map(rows.map(({ id, username }) => [id, username]));
  for (const detail of others) {
    delete detail.username; // which earlier versions stored
    const username = names.get(String(detail.user));
    if (username !== undefined) detail.username = username;
  }
}
