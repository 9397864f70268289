import type { Db } from '../db/db.ts';
import { inList } from '../db/fragments.ts';
import { ServiceError } from '../errors.ts';
import { plainCursor } from '../http/pages.ts';
import type { OnlineUsers } from '../presence/online-users.ts';
import { nameKey } from '../users/names.ts';
import {
  CURSOR,
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
interface RowWithCursor extends DirectoryRow {
  readonly cursor: string;
}

/**
 * One page of the directory (interface 4.6; the parameters are our choice). All users, and all online users, are ordered by
 * age, the oldest first. A search has users whose username matches, by username, then those whose nickname alone matches, by
 * nickname. A search for online users among many may return a page that is not full, or empty, with a `next`.
 *
 * @throws {ServiceError} `invalid`, word `bad_cursor`, for an `after` that no answer contained
 */
export async function listPage(db: Db, presence: OnlineUsers, query: DirectoryQuery): Promise<Page> {
  const { limit = MAX_PAGE } = query;
  const online = query.online === 1 ? presence.onlineIds() : null;
  const after = query.after === undefined ? undefined : readCursor(query.after);
  const { rows, stoppedAt } = await (query.q === undefined
    ? listByAge(db, online, after, limit + 1)
    : search(db, nameKey(query.q), online, after, limit + 1));
  const shown = rows.slice(0, limit);
  const entries = shown.map((row) => toDirectoryEntry(row, presence.isOnline(row.id)));
  const last = shown.at(-1);
  const next = rows.length > limit ? last?.cursor : stoppedAt;
  return next === undefined ? { entries } : { entries, next: toCursor(next) };
}

interface Matches {
  readonly rows: RowWithCursor[];
  /** Where to continue a search that stopped before its page was full. */
  readonly stoppedAt?: string;
}

/** Users with ids after this one, the oldest first. */
export async function listUsersAfter(db: Db, id: string, count: number): Promise<DirectoryRow[]> {
  return db.all<DirectoryRow>`
    select id, username, avatar, nickname, gender, bio from users
    where id > ${id} and status <> 'deleted' order by id limit ${count}`;
}

async function listByAge(
  db: Db,
  online: string[] | null,
  after: string | undefined,
  count: number,
): Promise<Matches> {
  const id = after ?? '';
  const rows = online
    ? await listByIds(
        db,
        online
          .filter((onlineId) => onlineId > id)
          .sort()
          .slice(0, count),
      )
    : await listUsersAfter(db, id, count);
  return { rows: rows.map((row) => ({ ...row, cursor: row.id })) };
}

async function listByIds(db: Db, ids: readonly string[]): Promise<DirectoryRow[]> {
  return db.all<DirectoryRow>`
    select id, username, avatar, nickname, gender, bio from users
    where id in ${inList(ids)} and status <> 'deleted' order by id`;
}

/** Cursors are `u:<username key>` while usernames match, then `n:<nickname key>:<id>`. */
async function search(
  db: Db,
  prefix: string,
  online: string[] | null,
  after: string | undefined,
  count: number,
): Promise<Matches> {
  let cursor = after ?? 'u:';
  if (online && online.length <= FEW_ONLINE) return searchAmong(db, prefix, online, cursor, count);
  const found: RowWithCursor[] = [];
  const onlineIds = online && new Set(online);
  for (let pages = 0; found.length < count; pages++) {
    if (pages === MAX_SEARCHED_PAGES) return { rows: found, stoppedAt: cursor };
    const rows = cursor.startsWith('u:')
      ? await listByUsername(db, prefix, cursor.slice(2), MAX_PAGE)
      : await listByNickname(db, prefix, cursor.slice(2), MAX_PAGE);
    for (const row of rows) if (!onlineIds || onlineIds.has(row.id)) found.push(row);
    if (rows.length === MAX_PAGE) cursor = rows.at(-1)?.cursor ?? '';
    else if (cursor.startsWith('u:')) cursor = 'n:';
    else break;
  }
  return { rows: found.slice(0, count) };
}

/** The same search among these users alone, in the same order. */
async function searchAmong(
  db: Db,
  prefix: string,
  ids: readonly string[],
  after: string,
  count: number,
): Promise<Matches> {
  const rows = await db.all<DirectoryRow & { username_key: string; nickname_key: string }>`
    select id, username, avatar, nickname, gender, bio, username_key, nickname_key from users
    where id in ${inList(ids)} and status <> 'deleted'`;
  const start = toSortKey(after);
  const found = rows
    .filter((row) => row.username_key.startsWith(prefix) || row.nickname_key.startsWith(prefix))
    .map((row) => ({
      ...row,
      cursor: row.username_key.startsWith(prefix) ? usernameCursor(row) : nicknameCursor(row),
    }))
    .map((row) => ({ row, sortKey: toSortKey(row.cursor) }))
    .filter(({ sortKey }) => sortKey.compare(start) > 0)
    .sort((a, b) => a.sortKey.compare(b.sortKey));
  return { rows: found.slice(0, count).map(({ row }) => row) };
}

/** Bytes that sort cursors in the order of a search, as the databases compare. No key contains U+0000. */
function toSortKey(cursor: string): Buffer {
  if (cursor.startsWith('u:')) return Buffer.from(`0${cursor.slice(2)}`);
  const split = cursor.lastIndexOf(':');
  return Buffer.from(`1${cursor.slice(2, split)}\0${cursor.slice(split + 1)}`);
}

function usernameCursor(row: { username_key: string }): string {
  return `u:${row.username_key}`;
}

function nicknameCursor(row: { nickname_key: string; id: string }): string {
  return `n:${row.nickname_key}:${row.id}`;
}

async function listByUsername(
  db: Db,
  prefix: string,
  afterKey: string,
  count: number,
): Promise<RowWithCursor[]> {
  const rows = await db.all<DirectoryRow & { username_key: string }>`
    select id, username, avatar, nickname, gender, bio, username_key from users
    where username_key >= ${prefix} and username_key < ${prefix + LAST_CHARACTER} and username_key > ${afterKey} and status <> 'deleted'
    order by username_key limit ${count}`;
  return rows.map((row) => ({ ...row, cursor: usernameCursor(row) }));
}

async function listByNickname(
  db: Db,
  prefix: string,
  after: string,
  count: number,
): Promise<RowWithCursor[]> {
  const split = after.lastIndexOf(':');
  const key = split < 0 ? '' : after.slice(0, split);
  const rows = await db.all<DirectoryRow & { nickname_key: string }>`
    select id, username, avatar, nickname, gender, bio, nickname_key from users
    where nickname_key >= ${prefix} and nickname_key < ${prefix + LAST_CHARACTER}
      and (nickname_key, id) > (${key}, ${after.slice(split + 1)})
      and not (username_key >= ${prefix} and username_key < ${prefix + LAST_CHARACTER}) and status <> 'deleted'
    order by nickname_key, id limit ${count}`;
  return rows.map((row) => ({ ...row, cursor: nicknameCursor(row) }));
}

function toCursor(place: string): string {
  return /^[un]:/.test(place) ? place : `a:${place}`;
}

/** Reads the cursors of earlier versions too, in which an id stands alone. */
function readCursor(cursor: string): string {
  const place = plainCursor(cursor);
  if (!CURSOR.test(place.includes(':') ? place : toCursor(place)) || place.includes('\0'))
    throw new ServiceError('invalid', 'bad_cursor', '参数 after 不正确');
  return place.replace(/^a:/, '');
}
