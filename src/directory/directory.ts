import type { Db } from '../db/db.ts';
import { inList } from '../db/fragments.ts';
import { USER_ID_PATTERN } from '../db/ids.ts';
import { badCursor, plainCursor } from '../http/pages.ts';
import type { Flag } from '../http/validation.ts';
import type { OnlineUsers } from '../presence/online-users.ts';
import {
  DIRECTORY_COLUMNS,
  type DirectoryEntry,
  type DirectoryQuery,
  type DirectoryRow,
  MAX_PAGE,
  toDirectoryEntry,
} from './schemas.ts';
import { LAST_CHARACTER, type Matches, search } from './search.ts';

const ID_CURSOR = new RegExp(`^a:${USER_ID_PATTERN}$`);

interface Page {
  readonly entries: DirectoryEntry[];
  readonly next?: string;
}

/**
 * One page of the directory (interface 4.6; the parameters are our choice). All users, and all online users, are ordered by
 * id, which is by age among those whose ids this service made. A search has its own order ({@link search}). Who is not listed
 * is found by their whole username alone. Who does not show everyone when they are online counts as offline.
 *
 * @param showsOnline whether the caller sees who is online; else everyone is offline to them
 * @throws {ServiceError} `invalid`, word `bad_cursor`, for an `after` that no such page contained; what {@link search} throws
 */
export async function listPage(
  db: Db,
  presence: OnlineUsers,
  query: DirectoryQuery,
  showsOnline = true,
): Promise<Page> {
  const { q, after, limit = MAX_PAGE } = query;
  const online = query.online !== 1 ? null : showsOnline ? presence.onlineIds() : [];
  const { matches, stoppedAt } = await (q === undefined
    ? listById(db, online, after === undefined ? '' : readCursor(after), limit + 1)
    : search(db, q, online, after, limit + 1));
  const shown = matches.slice(0, limit);
  const entries = shown.map(({ row }) => toDirectoryEntry(row, showsOnline && presence.isOnline(row.id)));
  const next = matches.length > limit ? shown.at(-1)?.cursor : stoppedAt;
  return next === undefined ? { entries } : { entries, next };
}

/** Users with ids after one and up to another, in the order of their ids. */
export async function listUsers(
  db: Db,
  after: string,
  count: number,
  upTo = LAST_CHARACTER,
): Promise<DirectoryRow[]> {
  return db.all<DirectoryRow>`
    select ${DIRECTORY_COLUMNS} from users
    where id > ${after} and id <= ${upTo} and status <> 'deleted' and is_listed = 1 order by id limit ${count}`;
}

async function listById(db: Db, online: string[] | null, after: string, count: number): Promise<Matches> {
  const rows = online
    ? await listOnline(db, online.filter((id) => id > after).sort(), count)
    : await listUsers(db, after, count);
  return { matches: rows.map((row) => ({ row, cursor: `a:${row.id}` })) };
}

/**
 * The first of these users who show everyone that they are online. It looks up one page of them, and more only where some of it are
 * hidden. It does not stop before the page is full: a cursor there would name a user who is hidden.
 */
async function listOnline(db: Db, ids: readonly string[], count: number): Promise<DirectoryRow[]> {
  const found: DirectoryRow[] = [];
  for (let from = 0, to = count; from < ids.length && found.length < count; from = to, to += MAX_PAGE) {
    // Who is hidden is left out here: with more conditions PostgreSQL may walk through all users.
    const rows = await db.all<DirectoryRow & { is_listed: Flag }>`
      select ${DIRECTORY_COLUMNS}, is_listed from users
      where id in ${inList(ids.slice(from, to))} and status <> 'deleted' order by id`;
    for (const { is_listed, ...row } of rows) if (is_listed && row.isOnline) found.push(row);
  }
  return found.slice(0, count);
}

/** The id in a cursor, also in those of earlier versions, in which it stands alone. */
function readCursor(cursor: string): string {
  const plain = plainCursor(cursor);
  const place = plain.includes(':') ? plain : `a:${plain}`;
  if (!ID_CURSOR.test(place)) throw badCursor();
  return place.slice(2);
}
