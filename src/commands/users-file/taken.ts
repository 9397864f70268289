import { type AddressRow, findTakenAddresses } from '../../accounts/address/addresses.ts';
import { heldKey } from '../../accounts/held-names.ts';
import { openMac } from '../../accounts/secrets.ts';
import type { Queries } from '../../db/db.ts';
import { inList } from '../../db/fragments.ts';
import { type ImportVerdict, type NamedUser, PRESENT, refuseLine } from '../../users/imported.ts';
import type { UserRow } from '../../users/schemas.ts';

interface KnownUser extends NamedUser {
  /** `undefined` in a dry run, for a user who would get a new one. */
  readonly id: string | undefined;
  readonly username: string;
}

/** Who has the names, by their keys, and the ids; and the keys of the verified addresses that users have. */
export interface Taken {
  readonly names: Map<string, KnownUser>;
  readonly users: Map<string, KnownUser>;
  readonly addresses: Set<string>;
}

/** What a line wants for its user alone. */
export interface Wanted extends KnownUser {
  readonly key: string;
  readonly addressKey: AddressRow['address_key'] | undefined;
}

export function nothingTaken(): Taken {
  return { names: new Map(), users: new Map(), addresses: new Set() };
}

/** Adds what the database has of it. */
export async function readTaken(db: Queries, taken: Taken, wanted: readonly Wanted[]): Promise<void> {
  const mac = await openMac(db);
  const keyOf = new Map(wanted.flatMap(({ key }) => [key, heldKey(mac, key)].map((stored) => [stored, key])));
  const ids = wanted.flatMap(({ id }) => id ?? []);
  type Row = Pick<UserRow, 'id' | 'username' | 'username_key' | 'status' | 'shows_read'>;
  const [named, known, addresses] = await Promise.all([
    db.all<Row>`
      select id, username, username_key, status, shows_read from users where username_key in ${inList([...keyOf.keys()])}`,
    db.all<Row>`
      select id, username, username_key, status, shows_read from users where id in ${inList(ids)}`,
    findTakenAddresses(
      db,
      wanted.flatMap(({ addressKey }) => addressKey ?? []),
    ),
  ]);
  for (const { username_key: stored, ...user } of [...named, ...known])
    take(taken, { ...user, key: keyOf.get(stored) ?? stored });
  for (const addressKey of addresses) taken.addresses.add(addressKey);
}

export function take(
  { names, users, addresses }: Taken,
  { key, addressKey, ...user }: Omit<Wanted, 'addressKey'> & Partial<Wanted>,
): void {
  names.set(key, user);
  if (user.id !== undefined) users.set(user.id, user);
  if (addressKey !== undefined) addresses.add(addressKey);
}

/**
 * A line whose id and name, in the same spelling, are those of one user was imported before, or is a repeat; without an id the name
 * decides.
 *
 * @returns `undefined` if nothing is taken of what it wants
 */
export function judgeTaken(
  { id, username, key, addressKey }: Wanted,
  taken: Taken,
): ImportVerdict | undefined {
  const named = taken.names.get(key);
  const owner = id === undefined ? named : taken.users.get(id);
  if (named?.username === '') return refuseLine('username is taken by a deleted user');
  if (owner?.username === '') return refuseLine('id is taken by a deleted user');
  if (owner && owner.id === named?.id && username === named?.username) return PRESENT;
  if (id !== undefined && owner && owner.id !== named?.id)
    return refuseLine(`id is taken by ${JSON.stringify(owner.username)}`);
  if (named)
    return refuseLine(`username is taken: there is ${JSON.stringify(named.username)}${withId(named, id)}`);
  if (addressKey !== undefined && taken.addresses.has(addressKey))
    return refuseLine('verified_email is taken by another user');
  return undefined;
}

/** Says the id of a user whose name alone is that of the line. */
function withId(named: KnownUser, wanted: string | undefined): string {
  if (wanted === undefined || named.id === wanted) return '';
  return named.id === undefined ? ' without an id' : ` with the id ${JSON.stringify(named.id)}`;
}
