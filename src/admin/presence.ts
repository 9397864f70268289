import type { Db } from '../db/db.ts';
import { inList } from '../db/fragments.ts';
import type { PresenceServices } from '../presence/presence-services.ts';
import type { UserPresence } from './schemas.ts';

/** The presence of these users in the same order, without unknown and deleted ones, whatever they show to other users. */
export async function readPresence(
  db: Db,
  { online, lastSeen }: Pick<PresenceServices, 'online' | 'lastSeen'>,
  ids: readonly string[],
): Promise<UserPresence[]> {
  const [rows, times] = await Promise.all([
    db.all<{ id: string }>`select id from users where id in ${inList(ids)} and status <> 'deleted'`,
    lastSeen.read(ids),
  ]);
  const known = new Set(rows.map(({ id }) => id));
  return ids
    .filter((id) => known.has(id))
    .map((id) => {
      const isOnline = online.isOnline(id);
      return { id, isOnline: isOnline ? 1 : 0, lastSeen: isOnline ? 0 : (times.get(id) ?? 0) };
    });
}
