import { insertUsers, type NewUser } from '../../accounts/accounts.ts';
import { insertAddresses } from '../../accounts/address/addresses.ts';
import { parseHash } from '../../accounts/hashes/hash-formats.ts';
import { insertDeletion } from '../../accounts/leaving/deletions.ts';
import type { Passwords } from '../../accounts/passwords.ts';
import type { SchemaDb } from '../../db/db.ts';
import { newId } from '../../db/ids.ts';
import { recordExternalChange } from '../../events/changes.ts';
import { addressKey } from '../../mail/address.ts';
import { IMPORTED, type ImportVerdict } from '../../users/imported.ts';
import { nameKey } from '../../users/names.ts';
import { judgeTaken, nothingTaken, readTaken, type Taken, take, type Wanted } from './taken.ts';
import type { UserToImport } from './user-line.ts';

export interface Destination {
  /** null: a dry run where there is none. */
  readonly db: SchemaDb | null;
  readonly passwords: Passwords;
  /** A dry run stores nothing but the users of earlier lines. Otherwise null. */
  readonly seen: Taken | null;
}

interface Candidate {
  readonly place: number;
  readonly wanted: Wanted;
  readonly user: UserToImport;
}

/** Another process took an id, a name or an address after it was looked up. */
class TakenMeanwhile extends Error {}

/** Whether the user's password is hashed when they are stored. */
export function isHashed({ password, passwordHash }: UserToImport): boolean {
  return password !== undefined || parseHash(passwordHash)?.format === 'digest';
}

/**
 * Stores some users, all or none of them. Passwords of users who exist are not hashed, so an interrupted import continues quickly.
 *
 * @param below fewer than so many are to be stored: each attempt found one more that another process took
 * @returns one verdict for each, in their order; `present` where the user exists, who stays unchanged
 */
export async function importBatch(
  destination: Destination,
  users: readonly UserToImport[],
  below = users.length + 1,
): Promise<ImportVerdict[]> {
  const { db, seen } = destination;
  const candidates = users.map((user, place) => ({ place, wanted: toWanted(user), user }));
  const taken = seen ?? nothingTaken();
  if (db)
    await readTaken(
      db,
      taken,
      candidates.map(({ wanted }) => wanted),
    );
  const verdicts: ImportVerdict[] = [];
  const fresh: Candidate[] = [];
  for (const candidate of candidates) {
    const verdict = judgeTaken(candidate.wanted, taken);
    verdicts.push(verdict ?? IMPORTED);
    if (verdict) continue;
    take(taken, candidate.wanted);
    fresh.push(candidate);
  }
  if (fresh.length === 0 || seen || !db) return verdicts;
  try {
    await store(db, destination.passwords, fresh);
    return verdicts;
  } catch (error) {
    // It is found now, unless the database left it out for another cause.
    if (error instanceof TakenMeanwhile && fresh.length < below)
      return importBatch(destination, users, fresh.length);
    throw error;
  }
}

function toWanted({ fields, address }: UserToImport): Wanted {
  const { id, username, status = 'active', shows_read = 1 } = fields;
  const key = nameKey(username);
  return { id, username, status, shows_read, key, addressKey: address && addressKey(address) };
}

/** @throws {TakenMeanwhile} having stored none of them */
async function store(db: SchemaDb, passwords: Passwords, candidates: readonly Candidate[]): Promise<void> {
  const hashes = await hashAll(passwords, candidates);
  const now = Date.now();
  const users = candidates.map(({ user }, at): NewUser => {
    // New ids sort by the order in which they are made, so users without one are listed in the order of their lines.
    return { id: newId(now), created_at: now, ...user.fields, password_hash: hashes[at] ?? '' };
  });
  const addresses = candidates.flatMap(({ user: { address } }, at) => {
    const user_id = users[at]?.id;
    // The file does not say in which language its users read.
    return address && user_id ? [{ user_id, address, language: 'en' as const, verified_at: now }] : [];
  });
  await db.transaction(async (tx) => {
    const stored = await insertUsers(tx, users);
    const isStored =
      stored.length === users.length && (await insertAddresses(tx, addresses)) === addresses.length;
    if (!isStored) throw new TakenMeanwhile('an id, a name or an address was taken meanwhile');
    for (const [at, { user }] of candidates.entries())
      if (user.deleteAt !== undefined)
        await insertDeletion(tx, users[at]?.id ?? '', { askedAt: now, dueAt: user.deleteAt });
    await recordExternalChange(tx);
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
