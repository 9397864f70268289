import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { Queries } from '../db/db.ts';
import { inList } from '../db/fragments.ts';
import { ServiceError } from '../errors.ts';
import { cutPage, PAGE_ENTRIES, type PageRequest, readPlace } from '../http/pages.ts';
import { type BlockedPage, type BlockedRow, type BlockedUser, toBlockedUser } from './schemas.ts';

/**
 * A page of the users that this user blocks, the newest first (interface 4.12).
 *
 * @throws {ServiceError} `invalid`, word `bad_cursor`
 */
export async function readBlockedPage(
  db: Queries,
  blockerId: string,
  { limit = PAGE_ENTRIES, after }: PageRequest,
): Promise<BlockedPage> {
  const found = await db.all<BlockedRow & { position: number }>`
    select users.id, users.username, users.avatar, blocks.created_at, blocks.position
    from blocks join users on users.id = blocks.blocked_id
    where blocks.blocker_id = ${blockerId} and blocks.position < ${readPlace(after).at} and users.status <> 'deleted'
    order by blocks.position desc limit ${limit + 1}`;
  const { rows, next } = cutPage(found, limit, (row) => ({ at: row.position, id: '' }));
  return { items: rows.map(toBlockedUser), ...(next !== undefined && { next }) };
}

/** All users that this user blocks, the newest first (interface 4.12), read page by page so that the event loop is not blocked. */
export async function listBlocked(db: Queries, blockerId: string): Promise<BlockedUser[]> {
  const all: BlockedUser[] = [];
  for (let after: string | undefined; ; ) {
    const { items, next } = await readBlockedPage(db, blockerId, after === undefined ? {} : { after });
    all.push(...items);
    if (next === undefined) return all;
    after = next;
    await yieldToEventLoop();
  }
}

export async function hasBlocked(db: Queries, blockerId: string, blockedId: string): Promise<boolean> {
  const row =
    await db.get`select blocker_id from blocks where blocker_id = ${blockerId} and blocked_id = ${blockedId}`;
  return row !== undefined;
}

export async function isBlockedEitherWay(db: Queries, userId: string, peerId: string): Promise<boolean> {
  const [own, theirs] = await Promise.all([hasBlocked(db, userId, peerId), hasBlocked(db, peerId, userId)]);
  return own || theirs;
}

/** The ids of all users that this user blocks, for the filter of their sockets. */
export async function listBlockedIds(db: Queries, blockerId: string): Promise<string[]> {
  const rows = await db.all<{
    id: string;
  }>`select blocked_id as id from blocks where blocker_id = ${blockerId}`;
  return rows.map((row) => row.id);
}

/** Which of `peerIds` the user blocks, and which of them block the user. */
export async function readBlocksAmong(
  db: Queries,
  userId: string,
  peerIds: readonly string[],
): Promise<{ blocked: Set<string>; blockedBy: Set<string> }> {
  const [blocked, blockedBy] = await Promise.all([
    db.all<{ id: string }>`
      select blocked_id as id from blocks where blocker_id = ${userId} and blocked_id in ${inList(peerIds)}`,
    db.all<{ id: string }>`
      select blocker_id as id from blocks where blocked_id = ${userId} and blocker_id in ${inList(peerIds)}`,
  ]);
  return {
    blocked: new Set(blocked.map((row) => row.id)),
    blockedBy: new Set(blockedBy.map((row) => row.id)),
  };
}

/**
 * The refusal of what a sender does to a recipient, by what was read behind the locks of both inboxes: `forbidden`, word `unblock_first`
 * when the sender blocks the recipient, `not_accepting` when the recipient blocks the sender or their account is closed. For the
 * sender, a block looks like a suspended or deleted account (architecture 6).
 */
export function refusalBetween({
  hasBlocked,
  isBlocked,
  isRecipientActive,
}: {
  hasBlocked: boolean;
  isBlocked: boolean;
  isRecipientActive: boolean;
}): ServiceError | undefined {
  if (hasBlocked) return new ServiceError('forbidden', 'unblock_first', '请先取消拉黑该用户');
  if (isBlocked || !isRecipientActive) return new ServiceError('forbidden', 'not_accepting', '对方暂不接收');
  return undefined;
}

/** The entry of one blocked user in the blocker's list. */
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
