import { ServiceError } from '../errors.ts';
import { type Inboxes, withInboxes } from '../inbox/inbox.ts';
import { cancelPushes } from '../push/queue/pending.ts';
import { findUser, userNotFound } from '../users/users.ts';
import { findBlocked } from './blocks.ts';
import { cancelRequests } from './friends.ts';
import type { BlockedUser } from './schemas.ts';

/** The result, and the event that must be written to the blocker's sockets before the request is answered. */
interface BlockChange<T> {
  readonly value: T;
  /** The number of the `block` or `unblock` event; 0 if nothing changed. */
  readonly seq: number;
}

/**
 * Records that `blockerId` no longer wants to hear from `blockedId` (interface 3.1), with its effects: open
 * friend requests between the two and pending pushes are cancelled, and the blocker's devices get the `block` event.
 * A repeat keeps the first entry. The times of a blocker's entries never decrease, even if the clock does.
 *
 * @param now epoch milliseconds, becomes `create_time` (interface 2.2)
 * @throws {ServiceError} `invalid` if both are the same user, `not-found` if there is no user `blockedId` (our choice)
 */
export async function blockUser(
  inboxes: Inboxes,
  blockerId: string,
  blockedId: string,
  now: number,
): Promise<BlockChange<BlockedUser>> {
  refuseSelf(blockerId, blockedId);
  return withInboxes(inboxes, [blockerId], now, async (tx, append) => {
    if (!(await findUser(tx, blockedId))) throw userNotFound();
    const inserted = await tx.run`
      insert into blocks (blocker_id, blocked_id, created_at, position)
      select ${blockerId}, ${blockedId},
        case when coalesce(max(created_at), 0) > ${now} then max(created_at) else ${now} end, coalesce(max(position), 0) + 1
      from blocks where blocker_id = ${blockerId}
      on conflict (blocker_id, blocked_id) do nothing`;
    const value = await findBlocked(tx, blockerId, blockedId);
    if (!value) throw new Error('a block that was just written is missing');
    if (inserted === 0) return { value, seq: 0 };
    await Promise.all([
      cancelRequests(tx, blockerId, blockedId),
      cancelPushes(tx, blockerId, blockedId, now),
      append(blockerId, 'block', { userId: blockedId }),
    ]);
    return { value, seq: append.seqOf(blockerId) };
  });
}

/**
 * Removes a block; without a block it changes nothing (interface 3.1).
 *
 * @throws {ServiceError} as {@link blockUser}
 */
export async function unblockUser(
  inboxes: Inboxes,
  blockerId: string,
  blockedId: string,
  now: number,
): Promise<BlockChange<void>> {
  refuseSelf(blockerId, blockedId);
  return withInboxes(inboxes, [blockerId], now, async (tx, append) => {
    const removed =
      await tx.run`delete from blocks where blocker_id = ${blockerId} and blocked_id = ${blockedId}`;
    if (removed === 0) {
      if (!(await findUser(tx, blockedId))) throw userNotFound();
      return { value: undefined, seq: 0 };
    }
    await append(blockerId, 'unblock', { userId: blockedId });
    return { value: undefined, seq: append.seqOf(blockerId) };
  });
}

function refuseSelf(blockerId: string, blockedId: string): void {
  if (blockerId === blockedId) throw new ServiceError('invalid', 'block_self', '不能拉黑自己');
}
