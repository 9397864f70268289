import type { Queries } from '../db/db.ts';
import { inList } from '../db/fragments.ts';
import type { UserRow } from './schemas.ts';

/** The users that lines of an import name, by id. */
export type NamedUsers = Pick<ReadonlyMap<string, NamedUser>, 'get'>;
export type NamedUser = Pick<UserRow, 'status' | 'shows_read'>;

/** What becomes of a line of an import. `present`: what it says is stored already; `erased`: it is that of an erased user, and left out. */
export type ImportVerdict =
  | { readonly kind: 'imported' | 'present' | 'erased' }
  /** For the operator. */
  | { readonly kind: 'refused'; readonly reason: string };

export const IMPORTED: ImportVerdict = { kind: 'imported' };
export const PRESENT: ImportVerdict = { kind: 'present' };

export function refuseLine(reason: string): ImportVerdict {
  return { kind: 'refused', reason };
}

export async function readNamedUsers(db: Queries, ids: Iterable<string>): Promise<NamedUsers> {
  const rows = await db.all<Pick<UserRow, 'id' | 'status' | 'shows_read'>>`
    select id, status, shows_read from users where id in ${inList([...new Set(ids)])}`;
  return new Map(rows.map(({ id, ...user }) => [id, user]));
}

/** The refusal of what concerns two users at a time, if it is not over or they are not two users with accounts. */
export function refuseBetween(
  users: NamedUsers,
  [one, other]: readonly [string, string],
  at: number,
  now: number,
): ImportVerdict | undefined {
  if (one === other) return refuseLine('names one user twice');
  for (const id of [one, other]) {
    const status = users.get(id)?.status;
    if (status === undefined) return refuseLine(`there is no user ${JSON.stringify(id)}`);
    if (status === 'deleted') return refuseLine(`user ${JSON.stringify(id)} is deleted`);
  }
  return at > now ? refuseLine('at is in the future') : undefined;
}
