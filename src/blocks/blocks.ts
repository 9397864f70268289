import type { Queries } from '../db/db.ts';
import { ServiceError } from '../errors.ts';
import { type BlockedRow, type BlockedUser, toBlockedUser } from './schemas.ts';

/** Whom this user blocks, the newest first (interface 4.12). */
export async function listBlocked(db: Queries, blockerId: string): Promise<BlockedUser[]> {
  const rows = await db.all<BlockedRow>`
    select users.id, users.username, users.avatar, blocks.created_at
    from blocks join users on users.id = blocks.blocked_id
    where blocks.blocker_id = ${blockerId} order by blocks.position desc`;
  return rows.map(toBlockedUser);
}

/** Whether one user blocks another. */
export async function findBlock(db: Queries, blockerId: string, blockedId: string): Promise<boolean> {
  const row =
    await db.get`select blocker_id from blocks where blocker_id = ${blockerId} and blocked_id = ${blockedId}`;
  return row !== undefined;
}

/** Whom the user blocks, and who blocks him, for what is filtered at his sockets. */
export async function readBlocks(
  db: Queries,
  userId: string,
): Promise<{ blocked: string[]; blockedBy: string[] }> {
  const [blocked, blockedBy] = await Promise.all([
    db.all<{ id: string }>`select blocked_id as id from blocks where blocker_id = ${userId}`,
    db.all<{ id: string }>`select blocker_id as id from blocks where blocked_id = ${userId}`,
  ]);
  return { blocked: blocked.map((row) => row.id), blockedBy: blockedBy.map((row) => row.id) };
}

/**
 * The one question other rooms ask before a person reaches another, behind the locks of both inboxes. To the sender a
 * block looks like a suspended or deleted account (DESIGN 4).
 *
 * @throws {ServiceError} `forbidden`: `unblock_first` when the sender blocks the recipient, else `not_accepting`
 */
export async function refuseIfBlocked(tx: Queries, senderId: string, recipientId: string): Promise<void> {
  const [own, theirs, recipient] = await Promise.all([
    findBlock(tx, senderId, recipientId),
    findBlock(tx, recipientId, senderId),
    tx.get`select id from users where id = ${recipientId} and status = 'active'`,
  ]);
  if (own) throw new ServiceError('forbidden', 'unblock_first', '请先取消拉黑该用户');
  if (theirs || !recipient) throw new ServiceError('forbidden', 'not_accepting', '对方暂不接收');
}

export async function findBlocked(
  db: Queries,
  blockerId: string,
  blockedId: string,
): Promise<BlockedUser | undefined> {
  const row = await db.get<BlockedRow>`
    select users.id, users.username, users.avatar, blocks.created_at
    from blocks join users on users.id = blocks.blocked_id
    where blocks.blocker_id = ${blockerId} and blocks.blocked_id = ${blockedId}`;
  return row && toBlockedUser(row);
}
