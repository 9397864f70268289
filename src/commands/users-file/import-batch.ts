import { insertUser, type NewUser } from '../../accounts/accounts.ts';
import type { Passwords } from '../../accounts/passwords.ts';
import type { Db } from '../../db/db.ts';
import { inList } from '../../db/fragments.ts';
import { newId } from '../../db/ids.ts';
import { recordExternalChange } from '../../events/changes.ts';
import { nameKey } from '../../users/names.ts';
import type { Line } from './jsonl.ts';
import { readUserLine, type UserToImport } from './user-line.ts';

/** The result of a line. `present`: a user of exactly this name exists and stays unchanged. */
export type LineResult =
  | { readonly kind: 'imported' | 'present'; readonly line: number }
  | { readonly kind: 'refused'; readonly line: number; readonly reason: string };

export interface Destination {
  /** null: a dry run where there is none. */
  readonly db: Db | null;
  readonly passwords: Passwords;
  /** A dry run stores nothing but the names that earlier lines took, by their keys: 160 MB for a million. Otherwise null. */
  readonly seen: Map<string, string> | null;
}

interface Candidate {
  readonly line: number;
  readonly key: string;
  readonly user: UserToImport;
}

/**
 * Stores the users of some lines, all or none of them. Passwords of users who exist are not hashed, so an interrupted import
 * continues quickly.
 *
 * @returns one result for each line, in their order
 */
export async function importBatch(destination: Destination, lines: readonly Line[]): Promise<LineResult[]> {
  const results: LineResult[] = [];
  const candidates: Candidate[] = [];
  for (const { number: line, bytes } of lines) {
    const read = readUserLine(bytes);
    if ('reason' in read) results.push({ kind: 'refused', line, reason: read.reason });
    else candidates.push({ line, key: nameKey(read.fields.username), user: read });
  }

  const taken = await findTakenNames(destination, candidates);
  const fresh = new Map<string, Candidate>();
  for (const candidate of candidates) {
    const { key } = candidate;
    const name = taken.get(key) ?? fresh.get(key)?.user.fields.username;
    if (name === undefined) fresh.set(key, candidate);
    else results.push(toTakenResult(candidate, name));
  }

  const conflicting = await store(destination, [...fresh.values()]);
  const names = conflicting.length > 0 ? await findTakenNames(destination, conflicting) : taken;
  for (const candidate of conflicting) {
    fresh.delete(candidate.key);
    results.push(toTakenResult(candidate, names.get(candidate.key) ?? ''));
  }
  for (const { line } of fresh.values()) results.push({ kind: 'imported', line });
  return results.sort((a, b) => a.line - b.line);
}

/** The keys of candidates that are taken, each with the name as it is stored. */
async function findTakenNames({ db, seen }: Destination, candidates: readonly Candidate[]) {
  const keys = candidates.map(({ key }) => key);
  const taken = new Map<string, string>();
  for (const key of keys) if (seen?.has(key)) taken.set(key, seen.get(key) ?? '');
  if (!db) return taken;
  const rows = await db.all<{ username_key: string; username: string }>`
    select username_key, username from users where username_key in ${inList(keys)}`;
  for (const row of rows) taken.set(row.username_key, row.username);
  return taken;
}

/** A taken name in the same spelling is the same user: the line was imported before, or is a repeat. */
function toTakenResult({ line, user }: Candidate, name: string): LineResult {
  if (name === user.fields.username) return { kind: 'present', line };
  return { kind: 'refused', line, reason: `username is taken: there is ${JSON.stringify(name)}` };
}

/** Stores all candidates, but those whose names were taken meanwhile. @returns these */
async function store(
  { db, passwords, seen }: Destination,
  candidates: readonly Candidate[],
): Promise<readonly Candidate[]> {
  for (const { key, user } of candidates) seen?.set(key, user.fields.username);
  if (candidates.length === 0 || seen || !db) return [];
  const hashes = await hashAll(passwords, candidates);
  const now = Date.now();
  const users = candidates.map(({ user }, at): NewUser => {
    // Ids sort by the order in which they are made, so users are listed in the order of their lines.
    return { created_at: now, ...user.fields, id: newId(now), password_hash: hashes[at] ?? '' };
  });
  return db.transaction(async (tx) => {
    const rows = await Promise.all(users.map((user) => insertUser(tx, user)));
    const conflicting = candidates.filter((_, at) => rows[at] === undefined);
    if (conflicting.length < users.length) await recordExternalChange(tx);
    return conflicting;
  });
}

/** Requests no more hashes than run at once, so that none is refused by the queue. */
async function hashAll(passwords: Passwords, candidates: readonly Candidate[]): Promise<string[]> {
  const hashes: string[] = [];
  const waiting = candidates.entries();
  const work = async () => {
    for (const [at, { user }] of waiting)
      hashes[at] = await (user.password === undefined
        ? passwords.wrapLegacy(user.passwordHash)
        : passwords.hash(user.password));
  };
  await Promise.all(Array.from({ length: passwords.queue.concurrency }, work));
  return hashes;
}
