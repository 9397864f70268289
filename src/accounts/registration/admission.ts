import type { BoundedQueue } from '../../collections/bounded-queue.ts';
import type { Registration } from '../../config/settings.ts';
import type { Db, Tx } from '../../db/db.ts';
import { ServiceError } from '../../errors.ts';
import { openInviteHash, readInviteCode } from './invite-codes.ts';
import { isInviteGood, takeInvite } from './invites.ts';

/** Judges by `REGISTRATION` who may register. */
export interface Admission {
  /**
   * @param invite the code that was sent, if any
   * @throws {ServiceError} `forbidden`, word `registration_closed`, or `invite_required` without the code of a good invite; and
   *   what the queue of hashes throws
   */
  judge(invite: string | undefined, now: number, signal: AbortSignal): Promise<Admitted>;
}

/** The part of an admitted registration that belongs in its transaction. */
interface Admitted {
  /** @throws {ServiceError} `invite_required` if the invite was used up or revoked meanwhile */
  take(tx: Tx): Promise<void>;
}

const FREE: Admitted = { take: async () => {} };

export const openToAll: Admission = { judge: async () => FREE };

const closed: Admission = {
  judge: async () => {
    throw new ServiceError('forbidden', 'registration_closed', '注册已关闭');
  },
};

export async function openAdmission(
  db: Db,
  registration: Registration,
  queue: BoundedQueue,
): Promise<Admission> {
  if (registration === 'open') return openToAll;
  if (registration === 'closed') return closed;
  const hashCode = await openInviteHash(db, queue);
  return {
    async judge(invite, now, signal) {
      const symbols = readInviteCode(invite ?? '');
      const hash = symbols && (await hashCode(symbols, signal));
      if (!hash || !(await isInviteGood(db, hash, now))) throw inviteRequired();
      return {
        take: async (tx) => {
          if (!(await takeInvite(tx, hash, now))) throw inviteRequired();
        },
      };
    },
  };
}

/** The same for a missing, unknown, expired and used-up code, which only the operator has to tell apart. */
function inviteRequired(): ServiceError {
  return new ServiceError('forbidden', 'invite_required', '需要有效的邀请码');
}
