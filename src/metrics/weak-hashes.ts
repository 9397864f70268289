import type { Queries } from '../db/db.ts';

interface Slice {
  readonly count: number;
  /** The greatest id of them; null if there are none. */
  readonly last: string | null;
  /** Users whose password hash has another format than new ones, or a lower cost. Their next login replaces it (decision 003). */
  readonly weak: number;
}

/**
 * Looks at the `limit` users after the id `after`, in the order of their ids. Erased users have no hash.
 *
 * @param cost that of new hashes
 */
export async function countWeakHashes(
  db: Queries,
  cost: number,
  after: string,
  limit: number,
): Promise<Slice> {
  const slice = await db.get<Slice>`
    select count(*) as count, max(id) as last,
      coalesce(sum(case when password_hash = '' then 0 when password_hash not like '$bcrypt-sha256$v=2,t=2b,r=%' then 1
        when cast(rtrim(substr(password_hash, 27, 2), '$') as integer) < ${cost} then 1 else 0 end), 0) as weak
    from (select id, password_hash from users where id > ${after} order by id limit ${limit}) as slice`;
  return slice ?? { count: 0, last: null, weak: 0 };
}
