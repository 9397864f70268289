import type { BoundedQueue } from '../../collections/bounded-queue.ts';
import type { Config } from '../../config/config.ts';
import type { Db, Tx } from '../../db/db.ts';
import { ServiceError } from '../../errors.ts';
import { hashInviteCode } from './invite-codes.ts';

/**
 * Decides by `REGISTRATION` whether a caller may register.
 *
 * @param code of an invite, if one was sent
 * @returns the invite to be taken in the transaction of the registration ({@link takeInvite}); `undefined` if none is needed
 * @throws {ServiceError} `forbidden`, word `registration_closed`, or `invite_required` without the code of a good invite; and
 *   what the queue of hashes throws
 */
export async function admit(
  db: Db,
  registration: Config['registration'],
  queue: BoundedQueue,
  code: string | undefined,
  now: number,
  signal: AbortSignal,
): Promise<string | undefined> {
  if (registration === 'closed') throw new ServiceError('forbidden', 'registration_closed', '注册已关闭');
  if (registration === 'open') return undefined;
  const hash = await hashInviteCode(db, queue, code ?? '', signal);
  const invite =
    hash &&
    (await db.get`select id from invites where hash = ${hash} and uses_left > 0 and expires_at > ${now}`);
  if (!invite) throw inviteRequired();
  return hash;
}

/**
 * Takes one use of an invite in the transaction of the registration. Others that use the same invite wait for its end, so all
 * together never take more than there are.
 *
 * @throws {ServiceError} `invite_required` if the invite was used up or revoked meanwhile
 */
export async function takeInvite(tx: Tx, hash: string, now: number): Promise<void> {
  const taken = await tx.run`
    update invites set uses_left = uses_left - 1 where hash = ${hash} and uses_left > 0 and expires_at > ${now}`;
  if (taken === 0) throw inviteRequired();
}

/** The same for a missing, unknown, expired and used-up code, which only the operator has to tell apart. */
function inviteRequired(): ServiceError {
  return new ServiceError('forbidden', 'invite_required', '需要有效的邀请码');
}
