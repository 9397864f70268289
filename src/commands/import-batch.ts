import { insertUser, type NewUser } from '../accounts/accounts.ts';
import type { Passwords } from '../accounts/passwords.ts';
import type { Db } from '../db/db.ts';
import { recordExternalChange } from '../db/external-changes.ts';
import { newId } from '../db/ids.ts';
import { nameKey } from '../users/names.ts';
import type { readUserLine, UserToImport } from './user-line.ts';

export interface Entry {
  readonly line: number;
  readonly read: ReturnType<typeof readUserLine>;
}

/** The result of a line. `present`: a user of exactly this name exists already and was left unchanged. */
export type Outcome =
  | { readonly kind: 'imported' | 'present'; readonly line: number }
  | { readonly kind: 'refused'; readonly line: number; readonly reason: string };

interface Names {
  /** Those of the keys that are taken, each with the name as it is spelt. */
  findNames(keys: readonly string[]): Promise<Map<string, string>>;
}

/** The database, or for a dry run something that only remembers which names were taken. */
export type Destination = Names &
  ({ readonly db: Db; readonly passwords: Passwords } | { take(names: ReadonlyMap<string, string>): void });

interface Candidate {
  readonly line: number;
  readonly key: string;
  readonly user: UserToImport;
}

/**
 * Stores the users of some lines, all or none of them. Whose name is there is not hashed, so going on after a break is
 * quick.
 *
 * @returns one outcome for each line, in their order
 */
export async function importBatch(destination: Destination, entries: readonly Entry[]): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  const candidates: Candidate[] = [];
  for (const { line, read } of entries) {
    if ('reason' in read) outcomes.push({ kind: 'refused', line, reason: read.reason });
    else candidates.push({ line, key: nameKey(read.fields.username), user: read });
  }

  const taken = await destination.findNames(candidates.map(({ key }) => key));
  const fresh = new Map<string, Candidate>();
  for (const candidate of candidates) {
    const { key } = candidate;
    const name = taken.get(key) ?? fresh.get(key)?.user.fields.username;
    if (name === undefined) fresh.set(key, candidate);
    else outcomes.push(judgeTaken(candidate, name));
  }

  const overtaken = await store(destination, [...fresh.values()]);
  const names = overtaken.length > 0 ? await destination.findNames(overtaken.map(({ key }) => key)) : taken;
  for (const candidate of overtaken) {
    fresh.delete(candidate.key);
    outcomes.push(judgeTaken(candidate, names.get(candidate.key) ?? ''));
  }
  for (const { line } of fresh.values()) outcomes.push({ kind: 'imported', line });
  return outcomes.sort((a, b) => a.line - b.line);
}

/** A name that is taken in this very spelling is the same user: the line was imported before, or stands there twice. */
function judgeTaken({ line, user }: Candidate, name: string): Outcome {
  if (name === user.fields.username) return { kind: 'present', line };
  return { kind: 'refused', line, reason: `username is taken: there is ${JSON.stringify(name)}` };
}

/** @returns those whose names were taken meanwhile */
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
    // Ids sort by the moment they were made, so the users' order is that of their lines.
    return { created_at: now, ...user.fields, id: newId(now), password_hash: passwordHash };
  });
  return db.transaction(async (tx) => {
    const rows = await Promise.all(users.map((user) => insertUser(tx, user)));
    const overtaken = hashed.filter((_, at) => rows[at] === undefined);
    if (overtaken.length < users.length) await recordExternalChange(tx);
    return overtaken;
  });
}

/** Never more hashes asked for than run at once, so the line before them stays empty. Answers in the lines' order. */
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
