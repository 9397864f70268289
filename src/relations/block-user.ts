import { type ActingClient, logAct } from '../accounts/log/account-log.ts';
import type { Tx } from '../db/db.ts';
import { ServiceError } from '../errors.ts';
import { type Append, type Inboxes, withInboxes } from '../inbox/inbox.ts';
import { cancelPushes } from '../push/decide/pending.ts';
import { getUser } from '../users/users.ts';
import { findBlocked } from './blocks.ts';
import { cancelRequests } from './friends.ts';
import { declineRequest } from './message-requests.ts';
import type { BlockedUser } from './schemas.ts';

/**
 * Records that `blockerId` no longer wants to hear from `blockedId` (interface 3.1), with its effects: open
 * friend requests between the two and pending pushes are cancelled, and the blocker's devices get the `block` event.
 * A repeat keeps the first entry. The times of a blocker's entries never decrease, even if the clock does.
 *
 * @param now epoch milliseconds, becomes `create_time` (interface 2.2)
 * @param client who blocks, for the account's log
 * @returns `seq`: the number of the `block` event, which must be written to the blocker's sockets before the request is answered; 0
 *   if nothing changed
 * @throws {ServiceError} `invalid` if both are the same user, `not-found` if there is no user `blockedId` (our choice)
 */
export async function blockUser(
  inboxes: Inboxes,
  blockerId: string,
  blockedId: string,
  now: number,
  client: ActingClient = {},
): Promise<{ value: BlockedUser; seq: number }> {
  refuseSelf(blockerId, blockedId);
  return withInboxes(inboxes, [blockerId], now, async (tx, append) => {
    await Promise.all([getUser(tx, blockedId), getUser(tx, blockerId)]);
    return blockBehindLock(tx, append, blockerId, blockedId, now, client);
  });
}

/** The body of {@link blockUser} for a transaction that has locked the blocker's inbox and found the user whom they block. */
export async function blockBehindLock(
  tx: Tx,
  append: Append,
  blockerId: string,
  blockedId: string,
  now: number,
  client: ActingClient,
): Promise<{ value: BlockedUser; seq: number }> {
  const inserted = await tx.run`
    insert into blocks (blocker_id, blocked_id, created_at, position)
    select ${blockerId}, ${blockedId},
      case when coalesce(max(created_at), 0) > ${now} then max(created_at) else ${now} end, coalesce(max(position), 0) + 1
    from blocks where blocker_id = ${blockerId}
    on conflict (blocker_id, blocked_id) do nothing`;
  const value = await findBlocked(tx, blockerId, blockedId);
  if (!value) throw new Error('a block that was just written is missing');
  if (inserted === 0) return { value, seq: 0 };
  append.publish({ type: 'block-changed', blockerId, blockedId, isBlocked: true });
  const detail = { user: blockedId };
  const [seq] = await Promise.all([
    append(blockerId, 'block', { userId: blockedId }),
    logAct(tx, { ...client, userId: blockerId, at: now, what: 'blocked', detail }),
    cancelRequests(tx, blockerId, blockedId),
    declineRequest(tx, append, blockerId, blockedId, now),
    cancelPushes(tx, { userId: blockerId, peerId: blockedId, outcome: 'blocked', now }),
  ]);
  return { value, seq };
}

/**
 * Removes a block; without a block it changes nothing (interface 3.1).
 *
 * @returns the number of the `unblock` event, as {@link blockUser}
 * @throws {ServiceError} as {@link blockUser}
 */
export async function unblockUser(
  inboxes: Inboxes,
  blockerId: string,
  blockedId: string,
  now: number,
  client: ActingClient = {},
): Promise<number> {
  refuseSelf(blockerId, blockedId);
  return withInboxes(inboxes, [blockerId], now, async (tx, append) => {
    const blocked = await findBlocked(tx, blockerId, blockedId);
    if (!blocked) {
      await getUser(tx, blockedId);
      return 0;
    }
    await tx.run`delete from blocks where blocker_id = ${blockerId} and blocked_id = ${blockedId}`;
    await logAct(tx, {
      ...client,
      userId: blockerId,
      at: now,
      what: 'unblocked',
      detail: { user: blockedId },
    });
    append.publish({ type: 'block-changed', blockerId, blockedId, isBlocked: false });
    // What the blocked user changed meanwhile was not sent to the blocker.
    const conversation = await tx.get<{ revision: number }>`
      select revision from conversations where user_id = ${blockerId} and peer_id = ${blockedId}`;
    return append(blockerId, 'unblock', { userId: blockedId, revision: conversation?.revision ?? 0 });
  });
}

function refuseSelf(blockerId: string, blockedId: string): void {
  if (blockerId === blockedId) throw new ServiceError('invalid', 'block_self', '不能拉黑自己');
}
