import type { Db } from '../db/db.ts';
import { inList } from '../db/fragments.ts';
import { badCursor, plainCursor } from '../http/pages.ts';
import type { Flag } from '../http/validation.ts';
import type { OnlineUsers } from '../presence/online-users.ts';
import { nameKey } from '../users/names.ts';
import {
  CURSOR,
  DIRECTORY_COLUMNS,
  type DirectoryEntry,
  type DirectoryQuery,
  type DirectoryRow,
  MAX_PAGE,
  toDirectoryEntry,
} from './schemas.ts';

/** Up to this many online users, a search reads them by their ids instead of all users of the name. */
const FEW_ONLINE = 1000;
/** How many pages of matches one answer searches for online users. */
const MAX_SEARCHED_PAGES = 5;
/** Appended to a prefix, it sorts after every key that starts with the prefix: keys sort by bytes. */
const LAST_CHARACTER = '\u{10ffff}';

interface Page {
  readonly entries: DirectoryEntry[];
  readonly next?: string;
}

/** A row with the cursor of the page after it. */
interface Match {
  readonly row: DirectoryRow;
  readonly cursor: string;
}

/**
 * One page of the directory (interface 4.6; the parameters are our choice). All users, and all online users, are ordered by
 * id, which is by age among those whose ids this service made. A search has users whose username matches, by username, then those
 * whose nickname alone matches, by nickname and id. A search for online users among many may return a page that is not full, or empty, with a `next`. Who is not listed
 * is found by their whole username alone. Who does not show everyone when they are online counts as offline.
 *
 * @param showsOnline whether the caller sees who is online; else everyone is offline to them
 * @throws {ServiceError} `invalid`, word `bad_cursor`, for an `after` that no answer contained
 */
export async function listPage(
  db: Db,
  presence: OnlineUsers,
  query: DirectoryQuery,
  showsOnline = true,
): Promise<Page> {
  const { limit = MAX_PAGE } = query;
  const online = query.online !== 1 ? null : showsOnline ? presence.onlineIds() : [];
  const after = query.after === undefined ? undefined : readCursor(query.after);
  const { matches, stoppedAt } = await (query.q === undefined
    ? listById(db, online, after?.slice(2) ?? '', limit + 1)
    : search(db, nameKey(query.q), online, after ?? 'u:', limit + 1));
  const shown = matches.slice(0, limit);
  const entries = shown.map(({ row }) => toDirectoryEntry(row, showsOnline && presence.isOnline(row.id)));
  const next = matches.length > limit ? shown.at(-1)?.cursor : stoppedAt;
  return next === undefined ? { entries } : { entries, next };
}

interface Matches {
  readonly matches: Match[];
  /** Where to continue a search that stopped before its page was full. */
  readonly stoppedAt?: string;
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

/** Cursors are `u:<username key>` while usernames match, then those of {@link nicknameCursor}. */
async function search(
  db: Db,
  prefix: string,
  online: string[] | null,
  after: string,
  count: number,
): Promise<Matches> {
  if (online && online.length <= FEW_ONLINE) return searchAmong(db, prefix, online, after, count);
  let cursor = after;
  const found: Match[] = [];
  const onlineIds = online && new Set(online);
  for (let pages = 0; found.length < count; pages++) {
    if (pages === MAX_SEARCHED_PAGES) return { matches: found, stoppedAt: cursor };
    const page = cursor.startsWith('u:')
      ? await listByUsername(db, prefix, cursor.slice(2), MAX_PAGE)
      : await listByNickname(db, prefix, cursor, MAX_PAGE);
    for (const match of page)
      if (!onlineIds || (match.row.isOnline === 1 && onlineIds.has(match.row.id))) found.push(match);
    if (page.length === MAX_PAGE) cursor = page.at(-1)?.cursor ?? '';
    else if (cursor.startsWith('u:')) cursor = 'n:';
    else break;
  }
  return { matches: found.slice(0, count) };
}

/** The same search among these users alone, in the same order. */
async function searchAmong(
  db: Db,
  prefix: string,
  ids: readonly string[],
  after: string,
  count: number,
): Promise<Matches> {
  const rows = await db.all<DirectoryRow & { is_listed: Flag; username_key: string; nickname_key: string }>`
    select ${DIRECTORY_COLUMNS}, is_listed, username_key, nickname_key from users
    where id in ${inList(ids)} and status <> 'deleted'`;
  const start = toSortKey(after);
  const found = rows.flatMap(({ is_listed, username_key, nickname_key, ...row }) => {
    if (!row.isOnline || !(is_listed || username_key === prefix)) return [];
    const isByUsername = username_key.startsWith(prefix);
    if (!isByUsername && !nickname_key.startsWith(prefix)) return [];
    const cursor = isByUsername ? `u:${username_key}` : nicknameCursor(nickname_key, row.id);
    const sortKey = toSortKey(cursor);
    return sortKey.compare(start) > 0 ? [{ row, cursor, sortKey }] : [];
  });
  found.sort((a, b) => a.sortKey.compare(b.sortKey));
  return { matches: found.slice(0, count) };
}

/** Bytes that sort cursors in the order of a search, as the databases compare. No key contains U+0000. */
function toSortKey(cursor: string): Buffer {
  if (cursor.startsWith('u:')) return Buffer.from(`0${cursor.slice(2)}`);
  const [key, id] = readNicknameCursor(cursor);
  return Buffer.from(`1${key}\0${id}`);
}

async function listByUsername(db: Db, prefix: string, afterKey: string, count: number): Promise<Match[]> {
  const rows = await db.all<DirectoryRow & { username_key: string }>`
    select ${DIRECTORY_COLUMNS}, username_key from users
    where username_key >= ${prefix} and username_key < ${prefix + LAST_CHARACTER} and username_key > ${afterKey} and status <> 'deleted'
      and (is_listed = 1 or username_key = ${prefix})
    order by username_key limit ${count}`;
  return rows.map(({ username_key, ...row }) => ({ row, cursor: `u:${username_key}` }));
}

async function listByNickname(db: Db, prefix: string, after: string, count: number): Promise<Match[]> {
  const [key, id] = readNicknameCursor(after);
  const rows = await db.all<DirectoryRow & { nickname_key: string }>`
    select ${DIRECTORY_COLUMNS}, nickname_key from users
    where nickname_key >= ${prefix} and nickname_key < ${prefix + LAST_CHARACTER}
      and (nickname_key, id) > (${key}, ${id})
      and not (username_key >= ${prefix} and username_key < ${prefix + LAST_CHARACTER}) and status <> 'deleted' and is_listed = 1
    order by nickname_key, id limit ${count}`;
  return rows.map(({ nickname_key, ...row }) => ({ row, cursor: nicknameCursor(nickname_key, row.id) }));
}

/** `n:<nickname key>:<id>`, the colons of the id as spaces, which no id has: so the last colon ends the key, which may have colons too. */
function nicknameCursor(key: string, id: string): string {
  return `n:${key}:${id.replaceAll(':', ' ')}`;
}

/** @returns the key and the id; both '' for the `n:` with which nicknames begin */
function readNicknameCursor(cursor: string): [key: string, id: string] {
  const split = cursor.lastIndexOf(':');
  return [cursor.slice(2, split), cursor.slice(split + 1).replaceAll(' ', ':')];
}

/** Reads the cursors of earlier versions too, in which an id stands alone. */
function readCursor(cursor: string): string {
  const plain = plainCursor(cursor);
  const place = plain.includes(':') ? plain : `a:${plain}`;
  if (!CURSOR.test(place) || place.includes('\0')) throw badCursor();
  return place;
}
