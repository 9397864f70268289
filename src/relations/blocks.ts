import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { Queries } from '../db/db.ts';
import { inList } from '../db/fragments.ts';
import { ServiceError } from '../errors.ts';
import { cutPage, PAGE_ENTRIES, type PageRequest, readPlace } from '../http/pages.ts';
import type { BlockedPage, BlockedUser } from './schemas.ts';

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
  const found = await db.all<BlockedUser & { position: number }>`
    select users.id, users.username, users.avatar, blocks.created_at as create_time, blocks.position
    from blocks join users on users.id = blocks.blocked_id
    where blocks.blocker_id = ${blockerId} and blocks.position < ${readPlace(after).at} and users.status <> 'deleted'
    order by blocks.position desc limit ${limit + 1}`;
  const page = cutPage(found, limit, (row) => ({ at: row.position, id: '' }));
  return { ...page, items: page.items.map(({ position, ...user }) => user) };
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

/** Whether receipts and typing between the two are kept back: one blocks the other, or has not accepted their message request. */
export async function isKeptBack(db: Queries, userId: string, peerId: string): Promise<boolean> {
  const row = await db.get`
    select 1 from blocks where blocker_id = ${userId} and blocked_id = ${peerId}
    union all select 1 from blocks where blocker_id = ${peerId} and blocked_id = ${userId}
    union all select 1 from message_requests where user_id = ${userId} and peer_id = ${peerId}
    union all select 1 from message_requests where user_id = ${peerId} and peer_id = ${userId}`;
  return row !== undefined;
}

/** The ids of all users that this user blocks, for the filter of their sockets. */
export async function listBlockedIds(db: Queries, blockerId: string): Promise<string[]> {
  const rows = await db.all<{
    id: string;
  }>`select blocked_id as id from blocks where blocker_id = ${blockerId}`;
  return rows.map((row) => row.id);
}

/**
 * Which of `peerIds` the user blocks, and which of them are hidden from the user: who blocks them, or has not accepted their message
 * request.
 */
export async function readBlocksAmong(
  db: Queries,
  userId: string,
  peerIds: readonly string[],
): Promise<{ blocked: Set<string>; blockedBy: Set<string> }> {
  const [blocked, blockedBy] = await Promise.all([
    db.all<{ id: string }>`
      select blocked_id as id from blocks where blocker_id = ${userId} and blocked_id in ${inList(peerIds)}`,
    db.all<{ id: string }>`
      select blocker_id as id from blocks where blocked_id = ${userId} and blocker_id in ${inList(peerIds)}
      union all select user_id as id from message_requests where peer_id = ${userId} and user_id in ${inList(peerIds)}`,
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
export function refusalBetween(row: FactsBetween): ServiceError | undefined {
  if (row.has_blocked) return new ServiceError('forbidden', 'unblock_first', '请先取消拉黑该用户');
  return row.is_blocked || !row.is_peer_active ? notAccepting() : undefined;
}

/** One word for a block, a closed account and what a user does not accept: the sender does not learn which. */
export function notAccepting(): ServiceError {
  return new ServiceError('forbidden', 'not_accepting', '对方暂不接收');
}

/** Columns of a row about a sender and a recipient, their peer. */
export interface FactsBetween {
  readonly has_blocked: 1 | null;
  /** Whether the peer blocks the sender. */
  readonly is_blocked: 1 | null;
  /** null for a suspended or deleted account. */
  readonly is_peer_active: 1 | null;
}

/** The entry of one blocked user in the blocker's list. */
export async function findBlocked(
  db: Queries,
  blockerId: string,
  blockedId: string,
): Promise<BlockedUser | undefined> {
  return db.get<BlockedUser>`
    select users.id, users.username, users.avatar, blocks.created_at as create_time
    from blocks join users on users.id = blocks.blocked_id
    where blocks.blocker_id = ${blockerId} and blocks.blocked_id = ${blockedId}`;
}

/** To be called in the transaction that erases an account, with its inbox locked. Blocks by others stay: they show in no list. */
export async function removeBlocksOfUser(tx: Queries, userId: string): Promise<void> {
  await tx.run`delete from blocks where blocker_id = ${userId}`;
}
