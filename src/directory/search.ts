import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { Db } from '../db/db.ts';
import { inList } from '../db/fragments.ts';
import { USER_ID_PATTERN } from '../db/ids.ts';
import { ServiceError } from '../errors.ts';
import { badCursor } from '../http/pages.ts';
import {
  beginWords,
  cutKey,
  foldName,
  isCut,
  type KeyedUser,
  nameKeys,
  namesOf,
  wordsOf,
} from '../users/name-keys.ts';
import { nameKey } from '../users/names.ts';
import { DIRECTORY_COLUMNS, type DirectoryRow, MAX_PAGE } from './schemas.ts';

/** Up to this many online users, a search reads them by their ids instead of all keys. */
const FEW_ONLINE = 1000;
/** How many keys one answer reads at most, in pages of {@link MAX_PAGE}. */
const MAX_READ_KEYS = 5 * MAX_PAGE;
/** Appended to a prefix, it sorts after every key that starts with the prefix: keys sort by bytes. */
export const LAST_CHARACTER = '\u{10ffff}';
/** A cursor: the key has no colon, the id may have some. */
const PLACE = new RegExp(`^k:([^:\0]*):((?:${USER_ID_PATTERN})?)$`, 'u');

/** A place among the keys. */
type Place = Record<'key' | 'id', string>;
type Found = DirectoryRow & KeyedUser & { username_key: string };

/** A row with the cursor of the page after it. */
type Match = { readonly row: DirectoryRow; readonly cursor: string };

export interface Matches {
  readonly matches: readonly Match[];
  /** Where to continue a search that stopped before its page was full. */
  readonly stoppedAt?: string;
}

interface Query {
  /** Of the whole text as a username. */
  readonly usernameKey: string;
  /** Folded; each begins a word of one name. */
  readonly texts: readonly string[];
  /** All words of several texts. A key has all words of its name, unless it was cut, so that most users need not be read. */
  readonly words: readonly string[];
  /** How the keys begin that are read: the longest text. */
  readonly prefix: string;
  readonly online: ReadonlySet<string> | null;
}

/**
 * Users with a name in which each word of `q` begins a word, in the order of their keys and ids, each once on a page and perhaps again on
 * a later one. Before them, on the first page, the user with this whole username, also if they are not listed. A page may be empty, or
 * not full, with a `stoppedAt`, where 5,000 keys were read for it.
 *
 * @throws {ServiceError} `invalid`: `bad_query` without a letter or digit, unless it is a whole username; `bad_cursor`
 */
export async function search(
  db: Db,
  q: string,
  online: readonly string[] | null,
  after: string | undefined,
  count: number,
): Promise<Matches> {
  const [, key, id] = PLACE.exec(after ?? 'k::') ?? [];
  if (key === undefined || id === undefined) throw badCursor();
  const folded = foldName(q);
  const texts = folded.split(' ');
  const [longest = ''] = texts.toSorted((a, b) => [...b].length - [...a].length);
  const query: Query = {
    usernameKey: nameKey(q),
    texts,
    words: texts.length > 1 ? texts.flatMap(wordsOf) : [],
    prefix: cutKey(longest),
    online: online && new Set(online),
  };
  const named = after === undefined ? await findNamed(db, query.usernameKey) : undefined;
  const first = named && isShown(named, query) ? [{ row: named, cursor: 'k::' }] : [];
  if (!/[\p{L}\p{N}]/u.test(folded)) {
    if (!named) throw new ServiceError('invalid', 'bad_query', '搜索内容需包含文字或数字');
    return { matches: first };
  }
  if (key !== '' && !key.startsWith(query.prefix)) throw badCursor();
  const from = key === '' ? { key: query.prefix, id: '' } : { key, id };
  const rest =
    online && online.length <= FEW_ONLINE
      ? await searchAmong(db, query, online, from, count)
      : await searchKeys(db, query, from, count);
  return { ...rest, matches: [...first, ...rest.matches].slice(0, count) };
}

function findNamed(db: Db, key: string): Promise<DirectoryRow | undefined> {
  return db.get<DirectoryRow>`
    select ${DIRECTORY_COLUMNS} from users where username_key = ${key} and status <> 'deleted'`;
}

/** @param from begins with the prefix. It is the only lower bound, as SQLite searches the index by one, and compares each row with another. */
async function searchKeys(db: Db, query: Query, from: Place, count: number): Promise<Matches> {
  const found = new Map<string, Match>();
  let after = from;
  for (let read = 0; found.size < count; ) {
    if (read === MAX_READ_KEYS) return { matches: [...found.values()], stoppedAt: cursorOf(after) };
    if (read > 0) await yieldToEventLoop();
    // The first statement reads as many as the usual search needs.
    const size = Math.min(read === 0 ? 2 * count : MAX_PAGE, MAX_PAGE, MAX_READ_KEYS - read);
    const places = await db.all<Place>`
      select key, user_id as id from name_keys
      where (key, user_id) > (${after.key}, ${after.id}) and key < ${query.prefix + LAST_CHARACTER}
      order by key, user_id limit ${size}`;
    const possible = places.filter(({ key, id }) => !found.has(id) && mayMatch(key, query));
    const users = await readUsers(db, new Set(possible.map(({ id }) => id)));
    for (const [id, match] of toMatches(possible, users, query)) found.set(id, match);
    if (places.length < size) break;
    after = places.at(-1) ?? after;
    read += size;
  }
  return { matches: [...found.values()] };
}

/** The same search among these users alone, in the same order. */
async function searchAmong(
  db: Db,
  query: Query,
  ids: readonly string[],
  from: Place,
  count: number,
): Promise<Matches> {
  const users = (await readUsers(db, new Set(ids))).filter((user) => isMatch(user, query));
  const start = toSortKey(from);
  const places = users
    .flatMap((user) => [...nameKeys(namesOf(user))].map((key) => ({ key, id: user.id })))
    .filter(({ key }) => key.startsWith(query.prefix) && mayMatch(key, query))
    .map((place) => ({ ...place, sortKey: toSortKey(place) }))
    .filter(({ sortKey }) => sortKey.compare(start) > 0)
    .sort((a, b) => a.sortKey.compare(b.sortKey));
  return { matches: [...toMatches(places, users, query).values()].slice(0, count) };
}

/** Bytes that sort as the databases compare. No key contains U+0000. */
function toSortKey({ key, id }: Place): Buffer {
  return Buffer.from(`${key}\0${id}`);
}

async function readUsers(db: Db, ids: ReadonlySet<string>): Promise<Found[]> {
  if (ids.size === 0) return [];
  return db.all<Found>`
    select ${DIRECTORY_COLUMNS}, username_key, status, is_listed from users where id in ${inList([...ids])}`;
}

/** Those who match, by id, each at the first of their places. */
function toMatches(places: readonly Place[], users: readonly Found[], query: Query): Map<string, Match> {
  const matching = new Map(users.filter((user) => isMatch(user, query)).map((user) => [user.id, user]));
  const matches = new Map<string, Match>();
  for (const place of places) {
    const user = matching.get(place.id);
    if (!user || matches.has(place.id)) continue;
    const { username_key: _, status: __, is_listed: ___, ...row } = user;
    matches.set(place.id, { row, cursor: cursorOf(place) });
  }
  return matches;
}

function mayMatch(key: string, { words }: Query): boolean {
  return words.length === 0 || isCut(key) || beginWords(words, key);
}

/** Whether the present names match, as the keys may be of earlier ones. Who is named by the whole text was on the first page. */
function isMatch(user: Found, query: Query): boolean {
  if (user.username_key === query.usernameKey || !isShown(user, query)) return false;
  return new Set(namesOf(user).split('\n')).values().some((name) => beginWords(query.texts, foldName(name)));
}

function isShown({ id, isOnline }: DirectoryRow, { online }: Query): boolean {
  return online === null || (isOnline === 1 && online.has(id));
}

function cursorOf({ key, id }: Place): string {
  return `k:${key}:${id}`;
}
