import type { Tx } from '../db/db.ts';
import { overloaded, ServiceError } from '../errors.ts';
import { withInboxes } from '../inbox/inbox.ts';
import { getUser, lockUser, userNotFound } from '../users/users.ts';
import type { AccountContext } from './accounts.ts';
import { refuseCommonPassword } from './common-passwords.ts';
import { issueProof, type Proof } from './device-proofs.ts';
import { logAct } from './log/account-log.ts';
import { consumeLink, findUserOfLink } from './password-links.ts';
import { queueNotice } from './recovery/notices.ts';
import { createReadableCode } from './secrets.ts';
import { assertSessionActive } from './session-lookup.ts';
import { endAccess } from './sessions.ts';

/** Letters and digits without those that look alike. */
const SYMBOLS = 'abcdefghjkmnpqrstuvwxyz23456789';

/** A random password of 99 bits: `k7mpq-2dxhe-w9tzn-bc4ra`. */
export function createPassword(): string {
  return createReadableCode(SYMBOLS, 4);
}

/**
 * Gives a user a new password and ends their access but what is kept ({@link endAccess}): alone, as an operator does who knows
 * them, or by one of the functions below. An account that is suspended stays so.
 *
 * @returns the ids of the ended sessions
 * @throws {ServiceError} `not-found`, also for a deleted user
 */
export async function setPassword(
  tx: Tx,
  userId: string,
  passwordHash: string,
  kept?: Parameters<typeof endAccess>[2],
): Promise<string[]> {
  const changed = await tx.run`
    update users set password_hash = ${passwordHash} where id = ${userId} and status <> 'deleted'`;
  if (changed === 0) throw userNotFound();
  return endAccess(tx, userId, kept);
}

/**
 * Changes the caller's password and ends all other sessions of theirs (interface 4.5), and their password link. The caller's own
 * session gets a `sessions` event.
 *
 * @param proofs the proofs of the caller's device, which stay valid; all other proofs of the user end
 * @returns the sessions that ended
 * @throws {ServiceError} `invalid`, word `wrong_old_password`, and for a common password ({@link refuseCommonPassword}); `unauthenticated` if the session ended meanwhile
 */
export async function changePassword(
  { db, events, passwords, commonPasswords, now, signal, address, device, hasMail }: AccountContext,
  { userId, sessionId }: { userId: string; sessionId: string },
  oldPassword: string,
  newPassword: string,
  proofs: readonly Proof[] = [],
): Promise<string[]> {
  refuseCommonPassword(commonPasswords, newPassword);
  for (let attempt = 0; attempt < 5; attempt++) {
    const { password_hash: oldHash } = await getUser(db, userId);
    const verified = await passwords.verify(oldPassword, oldHash, signal);
    if (!verified.ok) throw new ServiceError('invalid', 'wrong_old_password', '旧密码错误');
    const newHash = await passwords.hash(newPassword, signal);
    const ended = await withInboxes({ db, events }, [userId], now(), async (tx, append) => {
      const user = await lockUser(tx, userId);
      await assertSessionActive(tx, sessionId);
      if (user?.password_hash !== oldHash) return undefined;
      const ended = await setPassword(tx, userId, newHash, { sessionId, proofs });
      const detail = { ended: ended.length };
      await logAct(tx, { userId, at: now(), what: 'password_changed', sessionId, device, address, detail });
      if (hasMail) {
        await queueNotice(tx, 'password_changed', userId, {}, now());
        append.publish({ type: 'mail-queued' });
      }
      if (ended.length > 0) {
        await append(userId, 'sessions', { ended });
        append.publish({ type: 'sessions-ended', sessionIds: ended });
      }
      return ended;
    });
    if (ended) return ended;
  }
  // In every attempt the hash was replaced between reading and writing it.
  throw overloaded();
}

/**
 * Sets a new password by a link, of the operator or of a mail, and uses the link up.
 *
 * @param wantsProof the device uses device proofs: it gets one, so that its user can sign in while others guess the password
 * @returns whose password was set, the proof, and how many sessions ended
 * @throws {ServiceError} `invalid`, word `link_invalid`, for a token that is unknown, used, replaced or expired, or whose account is not
 *   active; what {@link refuseCommonPassword} and {@link Passwords.hash} throw: then the link stays valid
 */
export async function resetPasswordByLink(
  { db, events, passwords, commonPasswords, now, signal, address, device, hasMail }: AccountContext,
  token: string,
  newPassword: string,
  wantsProof: boolean,
): Promise<{ userId: string; proof: Proof | undefined; ended: number }> {
  // Only a valid token costs a hash.
  const userId = await findUserOfLink(db, token, now());
  if (userId === undefined) throw linkInvalid();
  refuseCommonPassword(commonPasswords, newPassword);
  const passwordHash = await passwords.hash(newPassword, signal);
  return withInboxes({ db, events }, [userId], now(), async (tx, append) => {
    if (!(await consumeLink(tx, userId, token, now()))) throw linkInvalid();
    const sessionIds = await setPassword(tx, userId, passwordHash);
    if (sessionIds.length > 0) append.publish({ type: 'sessions-ended', sessionIds });
    const detail = { ended: sessionIds.length };
    await logAct(tx, { userId, at: now(), what: 'password_reset', device, address, detail });
    if (hasMail) {
      await queueNotice(tx, 'password_changed', userId, {}, now());
      append.publish({ type: 'mail-queued' });
    }
    const proof = wantsProof ? await issueProof(tx, userId, null, now()) : undefined;
    return { userId, proof, ended: sessionIds.length };
  });
}

/** The same for every cause, so that a caller who tries tokens learns nothing. */
function linkInvalid(): ServiceError {
  return new ServiceError('invalid', 'link_invalid', '链接已过期或已被使用，请重新获取');
}
