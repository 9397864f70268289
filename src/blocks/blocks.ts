import type { Db, Queries } from '../db/db.ts';
import { type BlockedRow, type BlockedUser, toBlockedUser } from './schemas.ts';

/** Whom this user blocks, the newest first (interface 4.12). */
export async function listBlocked(db: Db, blockerId: string): Promise<BlockedUser[]> {
  const rows = await db.all<BlockedRow>`
    select users.id, users.username, users.avatar, blocks.created_at
    from blocks join users on users.id = blocks.blocked_id
    where blocks.blocker_id = ${blockerId} order by blocks.position desc`;
  return rows.map(toBlockedUser);
}

export async function findBlocked(db: Queries, blockerId: string, blockedId: string): Promise<BlockedUser | undefined> {
  const row = await db.get<BlockedRow>`
    select users.id, users.username, users.avatar, blocks.created_at
    from blocks join users on users.id = blocks.blocked_id
    where blocks.blocker_id = ${blockerId} and blocks.blocked_id = ${blockedId}`;
  return row && toBlockedUser(row);
}
