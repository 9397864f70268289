import type { Queries } from '../../db/db.ts';

/** How many of a slice of subscriptions were made with one VAPID key. */
interface OfKey {
  /** The public key, as subscriptions store it. */
  readonly key: string;
  readonly count: number;
  /** The greatest id of them. */
  readonly last: string;
}

/** Counts the `limit` subscriptions after the id `after`, in the order of their ids, by their VAPID keys. */
export async function countByVapidKey(db: Queries, after: string, limit: number): Promise<OfKey[]> {
  return db.all<OfKey>`
    select vapid_public as key, count(*) as count, max(id) as last from (
      select id, vapid_public from push_subscriptions where id > ${after} order by id limit ${limit}) as slice
    group by vapid_public`;
}
