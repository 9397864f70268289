import { insertUser, type NewUser } from '../../accounts/accounts.ts';
import type { Passwords } from '../../accounts/passwords.ts';
import type { Db } from '../../db/db.ts';
import { newId } from '../../db/ids.ts';
import { recordExternalChange } from '../../events/changes.ts';
import { nameKey } from '../../users/names.ts';
import type { readUserLine, UserToImport } from './user-line.ts';

export interface Entry {
  readonly line: number;
  readonly read: ReturnType<typeof readUserLine>;
}

/** The result of a line. `present`: a user of exactly this name exists and stays unchanged. */
export type LineResult =
  | { readonly kind: 'imported' | 'present'; readonly line: number }
  | { readonly kind: 'refused'; readonly line: number; readonly reason: string };

interface Names {
  /** The taken ones among the keys, each with the name as it is stored. */
  findTakenNames(keys: readonly string[]): Promise<Map<string, string>>;
}

/** The database; for a dry run, an object that only remembers which names were taken. */
export type Destination = Names &
  ({ readonly db: Db; readonly passwords: Passwords } | { take(names: ReadonlyMap<string, string>): void });

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
export async function importBatch(
  destination: Destination,
  entries: readonly Entry[],
): Promise<LineResult[]> {
  const results: LineResult[] = [];
  const candidates: Candidate[] = [];
  for (const { line, read } of entries) {
    if ('reason' in read) results.push({ kind: 'refused', line, reason: read.reason });
    else candidates.push({ line, key: nameKey(read.fields.username), user: read });
  }

  const taken = await destination.findTakenNames(candidates.map(({ key }) => key));
  const fresh = new Map<string, Candidate>();
  for (const candidate of candidates) {
    const { key } = candidate;
    const name = taken.get(key) ?? fresh.get(key)?.user.fields.username;
    if (name === undefined) fresh.set(key, candidate);
    else results.push(toTakenResult(candidate, name));
  }

  const conflicting = await store(destination, [...fresh.values()]);
  const names =
    conflicting.length > 0 ? await destination.findTakenNames(conflicting.map(({ key }) => key)) : taken;
  for (const candidate of conflicting) {
    fresh.delete(candidate.key);
    results.push(toTakenResult(candidate, names.get(candidate.key) ?? ''));
  }
  for (const { line } of fresh.values()) results.push({ kind: 'imported', line });
  return results.sort((a, b) => a.line - b.line);
}

/** A taken name in the same spelling is the same user: the line was imported before, or is a repeat. */
function toTakenResult({ line, user }: Candidate, name: string): LineResult {
  if (name === user.fields.username) return { kind: 'present', line };
  return { kind: 'refused', line, reason: `username is taken: there is ${JSON.stringify(name)}` };
}

/** @returns the candidates whose names were taken meanwhile */
async function store(
  destination: Destination,
  candidates: readonly Candidate[],
): Promise<readonly Candidate[]> {
  if ('take' in destination) {
    destination.take(new Map(candidates.map(({ key, user }) => [key, user.fields.username])));
    return [];
  }
  if (candidates.length === 0) return [];
  const { db, passwords } = destination;
  const hashed = await hashAll(passwords, candidates);
  const now = Date.now();
  const users = hashed.map(({ user, passwordHash }): NewUser => {
    // Ids sort by the order in which they are made, so users are listed in the order of their lines.
    return { created_at: now, ...user.fields, id: newId(now), password_hash: passwordHash };
  });
  return db.transaction(async (tx) => {
    const rows = await Promise.all(users.map((user) => insertUser(tx, user)));
    const conflicting = hashed.filter((_, at) => rows[at] === undefined);
    if (conflicting.length < users.length) await recordExternalChange(tx);
    return conflicting;
  });
}

/** Requests no more hashes than run at once, so that none is refused by the queue. In the order of the lines. */
async function hashAll(passwords: Passwords, candidates: readonly Candidate[]) {
  const hashed: (Candidate & { passwordHash: string })[] = [];
  const waiting = candidates.values();
  const work = async () => {
    for (const candidate of waiting) {
      const { secret } = candidate.user;
      const passwordHash =
        'password' in secret
          ? await passwords.hash(secret.password)
          : await passwords.wrapLegacy(secret.passwordHash);
      hashed.push({ ...candidate, passwordHash });
    }
  };
  await Promise.all(Array.from({ length: passwords.queue.concurrency }, work));
  return hashed.sort((a, b) => a.line - b.line);
}
