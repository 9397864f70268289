import type { Queries } from '../../db/db.ts';
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
  const next = rows.length > limit ? items.at(-1)?.id : undefined;
  return { items, ...(next !== undefined && { next }) };
}
