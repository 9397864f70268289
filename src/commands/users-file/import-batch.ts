import { insertUsers, type NewUser } from '../../accounts/accounts.ts';
import { parseHash } from '../../accounts/hashes/hash-formats.ts';
import type { Passwords } from '../../accounts/passwords.ts';
import type { SchemaDb } from '../../db/db.ts';
import { inList } from '../../db/fragments.ts';
import { newId } from '../../db/ids.ts';
import { recordExternalChange } from '../../events/changes.ts';
import { IMPORTED, type ImportVerdict, type NamedUser, PRESENT, refuseLine } from '../../users/imported.ts';
import { nameKey } from '../../users/names.ts';
import type { UserToImport } from './user-line.ts';

export interface Destination {
  /** null: a dry run where there is none. */
  readonly db: SchemaDb | null;
  readonly passwords: Passwords;
  /** A dry run stores nothing but the users of earlier lines. Otherwise null. */
  readonly seen: SeenUsers | null;
}

interface SeenUsers {
  /** Their names, by the keys of these. */
  readonly names: Map<string, string>;
  /** By id. */
  readonly users: Map<string, NamedUser>;
}

interface Candidate {
  readonly place: number;
  readonly key: string;
  readonly user: UserToImport;
}

/** Whether the user's password is hashed when they are stored. */
export function isHashed({ password, passwordHash }: UserToImport): boolean {
  return password !== undefined || parseHash(passwordHash)?.format === 'digest';
}

/**
 * Stores some users, all or none of them. Passwords of users who exist are not hashed, so an interrupted import continues quickly.
 *
 * @returns one verdict for each, in their order; `present` where a user of exactly this name exists, who stays unchanged
 */
export async function importBatch(
  destination: Destination,
  users: readonly UserToImport[],
): Promise<ImportVerdict[]> {
  const verdicts: ImportVerdict[] = [];
  const candidates = users.map((user, place) => ({ place, key: nameKey(user.fields.username), user }));
  const taken = await findTakenNames(destination, candidates);
  const fresh = new Map<string, Candidate>();
  for (const candidate of candidates) {
    const { key, place } = candidate;
    const name = taken.get(key) ?? fresh.get(key)?.user.fields.username;
    if (name === undefined) fresh.set(key, candidate);
    else verdicts[place] = judgeTaken(candidate, name);
  }

  const conflicting = await store(destination, [...fresh.values()]);
  const names = conflicting.length > 0 ? await findTakenNames(destination, conflicting) : taken;
  for (const candidate of conflicting) {
    fresh.delete(candidate.key);
    verdicts[candidate.place] = judgeTaken(candidate, names.get(candidate.key) ?? '');
  }
  for (const { place } of fresh.values()) verdicts[place] = IMPORTED;
  return verdicts;
}

/** The keys of candidates that are taken, each with the name as it is stored. */
async function findTakenNames({ db, seen }: Destination, candidates: readonly Candidate[]) {
  const keys = candidates.map(({ key }) => key);
  const taken = new Map<string, string>();
  for (const key of keys) if (seen?.names.has(key)) taken.set(key, seen.names.get(key) ?? '');
  if (!db) return taken;
  const rows = await db.all<{ username_key: string; username: string }>`
    select username_key, username from users where username_key in ${inList(keys)}`;
  for (const row of rows) taken.set(row.username_key, row.username);
  return taken;
}

/** A taken name in the same spelling is the same user: the line was imported before, or is a repeat. */
function judgeTaken({ user }: Candidate, name: string): ImportVerdict {
  if (name === user.fields.username) return PRESENT;
  return refuseLine(`username is taken: there is ${JSON.stringify(name)}`);
}

/** Stores all candidates, but those whose names were taken meanwhile. @returns these */
async function store(
  { db, passwords, seen }: Destination,
  candidates: readonly Candidate[],
): Promise<readonly Candidate[]> {
  for (const { key, user } of candidates) seen?.names.set(key, user.fields.username);
  if (candidates.length === 0 || seen || !db) return [];
  const hashes = await hashAll(passwords, candidates);
  const now = Date.now();
  const users = candidates.map(({ user }, at): NewUser => {
    // New ids sort by the order in which they are made, so users without one are listed in the order of their lines.
    return { id: newId(now), created_at: now, ...user.fields, password_hash: hashes[at] ?? '' };
  });
  return db.transaction(async (tx) => {
    const stored = new Set((await insertUsers(tx, users)).map(({ username }) => username));
    const conflicting = candidates.filter(({ user }) => !stored.has(user.fields.username));
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
