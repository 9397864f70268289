import { findUser, lockUser, userNotFound } from '../accounts/users.ts';
import type { Db } from '../db/db.ts';
import { ServiceError } from '../errors.ts';
import { findBlocked } from './blocks.ts';
import type { BlockedUser } from './schemas.ts';

/**
 * Records that `blockerId` no longer wants to hear from `blockedId` (interface 3.1). A repeat keeps the first entry.
 * A blocker's times never run backwards, whatever the clock does.
 *
 * @param now epoch milliseconds, becomes `create_time` (interface 2.2)
 * @throws {ServiceError} `invalid` if both are the same user, `not-found` if `blockedId` is nobody (our choice)
 */
export async function blockUser(db: Db, blockerId: string, blockedId: string, now: number): Promise<BlockedUser> {
  refuseOneself(blockerId, blockedId);
  return db.transaction(async (tx) => {
    await lockUser(tx, blockerId);
    if (!(await findUser(tx, blockedId))) throw userNotFound();
    await tx.run`
      insert into blocks (blocker_id, blocked_id, created_at, position)
      select ${blockerId}, ${blockedId},
        case when coalesce(max(created_at), 0) > ${now} then max(created_at) else ${now} end, coalesce(max(position), 0) + 1
      from blocks where blocker_id = ${blockerId}
      on conflict (blocker_id, blocked_id) do nothing`;
    const entry = await findBlocked(tx, blockerId, blockedId);
    if (!entry) throw new Error('a block that was just written is not there');
    return entry;
  });
}

/**
 * Lifts a block; one that is not there is lifted already (interface 3.1).
 *
 * @throws {ServiceError} as {@link blockUser}
 */
export async function unblockUser(db: Db, blockerId: string, blockedId: string): Promise<void> {
  refuseOneself(blockerId, blockedId);
  const lifted = await db.run`delete from blocks where blocker_id = ${blockerId} and blocked_id = ${blockedId}`;
  if (lifted === 0 && !(await findUser(db, blockedId))) throw userNotFound();
}

function refuseOneself(blockerId: string, blockedId: string): void {
  if (blockerId === blockedId) throw new ServiceError('invalid', 'block_self', '不能拉黑自己');
}
