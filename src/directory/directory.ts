import type { Db } from '../db/db.ts';
import { ServiceError } from '../errors.ts';
import type { Presence } from '../presence/presence.ts';
import { nameKey } from '../users/names.ts';
import { type DirectoryEntry, type DirectoryQuery, type DirectoryRow, toDirectoryEntry } from './schemas.ts';

const MAX_PAGE = 1000;
/** Up to so many online users are searched by their ids, which costs nothing for the others of the same name. */
const FEW_ONLINE = 1000;
/** Pages of matches that one answer looks through for online users. */
const MAX_LOOKED_THROUGH = 5;
/** Sorts after every key that starts with the same text: keys sort by bytes. */
const LAST = '\u{10ffff}';

interface Page {
  readonly entries: DirectoryEntry[];
  /** Where the next page starts. */
  readonly next?: string;
}

/** A row with the place in its order at which the next page goes on. */
interface Placed extends DirectoryRow {
  readonly cursor: string;
}

/**
 * One page of the directory (interface 4.6; parameters are ours). All users, and those online, come oldest first;
 * a search comes by username, then users of whom only the nickname matches, by nickname. A search for online users among many
 * may end before its page is full, even with nothing, and then says where to go on.
 *
 * @throws {ServiceError} `invalid`, word `bad_cursor`, for an `after` that no answer ever gave
 */
export async function listPage(db: Db, presence: Presence, query: DirectoryQuery): Promise<Page> {
  const limit = query.limit === undefined ? MAX_PAGE : Number(query.limit);
  const online = query.online === '1' ? presence.onlineIds() : null;
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

interface Found {
  readonly rows: Placed[];
  /** Where a search goes on that was ended before its page was full. */
  readonly stoppedAt?: string;
}

/** Users older first, after the user with this id. */
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
): Promise<Found> {
  const id = after ?? '';
  const rows = online
    ? await listSome(
        db,
        online
          .filter((one) => one > id)
          .sort()
          .slice(0, count),
      )
    : await listUsersAfter(db, id, count);
  return { rows: rows.map((row) => ({ ...row, cursor: row.id })) };
}

async function listSome(db: Db, ids: readonly string[]): Promise<DirectoryRow[]> {
  return db.all<DirectoryRow>`
    select id, username, avatar, nickname, gender, bio from users
    where id in ${db.list(ids)} and status <> 'deleted' order by id`;
}

/** Cursors are `u:<username key>` while usernames match, then `n:<nickname key>:<id>`. */
async function search(
  db: Db,
  prefix: string,
  online: string[] | null,
  after: string | undefined,
  count: number,
): Promise<Found> {
  let cursor = after ?? 'u:';
  if (online && online.length <= FEW_ONLINE) return searchFew(db, prefix, online, cursor, count);
  const found: Placed[] = [];
  const wanted = online && new Set(online);
  for (let pages = 0; found.length < count; pages++) {
    if (pages === MAX_LOOKED_THROUGH) return { rows: found, stoppedAt: cursor };
    const rows = cursor.startsWith('u:')
      ? await byUsername(db, prefix, cursor.slice(2), MAX_PAGE)
      : await byNickname(db, prefix, cursor.slice(2), MAX_PAGE);
    for (const row of rows) if (!wanted || wanted.has(row.id)) found.push(row);
    if (rows.length === MAX_PAGE) cursor = rows.at(-1)?.cursor ?? '';
    else if (cursor.startsWith('u:')) cursor = 'n:';
    else break;
  }
  return { rows: found.slice(0, count) };
}

/** The same among these users, in the same order. */
async function searchFew(
  db: Db,
  prefix: string,
  ids: readonly string[],
  after: string,
  count: number,
): Promise<Found> {
  const rows = await db.all<DirectoryRow & { username_key: string; nickname_key: string }>`
    select id, username, avatar, nickname, gender, bio, username_key, nickname_key from users
    where id in ${db.list(ids)} and status <> 'deleted'`;
  const start = toPlace(after);
  const found = rows
    .filter((row) => row.username_key.startsWith(prefix) || row.nickname_key.startsWith(prefix))
    .map((row) => ({ ...row, cursor: row.username_key.startsWith(prefix) ? byName(row) : byNick(row) }))
    .map((row) => ({ row, place: toPlace(row.cursor) }))
    .filter(({ place }) => place.compare(start) > 0)
    .sort((a, b) => a.place.compare(b.place));
  return { rows: found.slice(0, count).map(({ row }) => row) };
}

/** Where a cursor stands in the order of a search, by bytes as the databases compare. No key holds U+0000. */
function toPlace(cursor: string): Buffer {
  if (cursor.startsWith('u:')) return Buffer.from(`0${cursor.slice(2)}`);
  const split = cursor.lastIndexOf(':');
  return Buffer.from(`1${cursor.slice(2, split)}\0${cursor.slice(split + 1)}`);
}

function byName(row: { username_key: string }): string {
  return `u:${row.username_key}`;
}

function byNick(row: { nickname_key: string; id: string }): string {
  return `n:${row.nickname_key}:${row.id}`;
}

async function byUsername(db: Db, prefix: string, afterKey: string, count: number): Promise<Placed[]> {
  const rows = await db.all<DirectoryRow & { username_key: string }>`
    select id, username, avatar, nickname, gender, bio, username_key from users
    where username_key >= ${prefix} and username_key < ${prefix + LAST} and username_key > ${afterKey} and status <> 'deleted'
    order by username_key limit ${count}`;
  return rows.map((row) => ({ ...row, cursor: byName(row) }));
}

async function byNickname(db: Db, prefix: string, after: string, count: number): Promise<Placed[]> {
  const split = after.lastIndexOf(':');
  const key = split < 0 ? '' : after.slice(0, split);
  const rows = await db.all<DirectoryRow & { nickname_key: string }>`
    select id, username, avatar, nickname, gender, bio, nickname_key from users
    where nickname_key >= ${prefix} and nickname_key < ${prefix + LAST}
      and (nickname_key, id) > (${key}, ${after.slice(split + 1)})
      and not (username_key >= ${prefix} and username_key < ${prefix + LAST}) and status <> 'deleted'
    order by nickname_key, id limit ${count}`;
  return rows.map((row) => ({ ...row, cursor: byNick(row) }));
}

function toCursor(text: string): string {
  return Buffer.from(text).toString('base64url');
}

function readCursor(cursor: string): string {
  const text = Buffer.from(cursor, 'base64url').toString();
  if (toCursor(text) !== cursor || text.includes('\0'))
    throw new ServiceError('invalid', 'bad_cursor', '参数 after 不正确');
  return text;
}
