import { randomInt } from 'node:crypto';
import type { Tx } from '../db/db.ts';
import { ServiceError } from '../errors.ts';
import { recordChange } from '../events/changes.ts';
import { type Inboxes, lockInbox } from '../inbox/inbox.ts';
import { refuseCommonPassword } from './common-passwords.ts';
import { endProofsOfUser, issueProof, type Proof } from './device-proofs.ts';
import { consumeLink, endLinkOfUser, findUserOfLink } from './password-links.ts';
import type { Passwords } from './passwords.ts';
import { endSessionsOfUser } from './sessions.ts';

/** Letters and digits without those that look alike. */
const SYMBOLS = 'abcdefghjkmnpqrstuvwxyz23456789';
const GROUPS = 4;
const GROUP_SYMBOLS = 5;

/** A random password of 99 bits, in groups that can be read out: `k7mpq-2dxhe-w9tzn-bc4ra`. */
export function createPassword(): string {
  const symbol = () => SYMBOLS[randomInt(SYMBOLS.length)];
  const group = () => Array.from({ length: GROUP_SYMBOLS }, symbol).join('');
  return Array.from({ length: GROUPS }, group).join('-');
}

/**
 * Gives a user a new password without their old one, as an operator does who knows them. All their sessions and device proofs
 * end, and their password link. An account that is suspended stays so.
 *
 * @returns the ids of the ended sessions; `undefined` if the user does not exist or was deleted
 */
export async function resetPassword(
  tx: Tx,
  userId: string,
  passwordHash: string,
): Promise<string[] | undefined> {
  const changed = await tx.run`
    update users set password_hash = ${passwordHash} where id = ${userId} and status <> 'deleted'`;
  if (changed === 0) return undefined;
  const sessionIds = await endSessionsOfUser(tx, userId, null);
  await endProofsOfUser(tx, userId);
  await endLinkOfUser(tx, userId);
  return sessionIds;
}

/**
 * Sets a new password by a link of the operator, and uses the link up: {@link resetPassword} for a user who does it themselves.
 *
 * @param now reads the time, in epoch milliseconds
 * @param signal aborts when the client disconnects: a hash that is still queued is dropped
 * @param wantsProof the device uses device proofs: it gets one, so that its user can sign in while others guess the password
 * @returns whose password was set, the proof, and how many sessions ended
 * @throws {ServiceError} `invalid`, word `link_invalid`, for a token that is unknown, used, replaced or expired, or whose account is not
 *   active; what {@link refuseCommonPassword} and {@link Passwords.hash} throw: then the link stays valid
 */
export async function resetPasswordByLink(
  {
    db,
    events,
    passwords,
    commonPasswords,
    now,
    signal,
  }: Inboxes & {
    passwords: Passwords;
    commonPasswords: ReadonlySet<string> | null;
    now: () => number;
    signal: AbortSignal;
  },
  token: string,
  newPassword: string,
  wantsProof: boolean,
): Promise<{ userId: string; proof: Proof | undefined; ended: number }> {
  // Only a valid token costs a hash.
  const userId = await findUserOfLink(db, token, now());
  if (userId === undefined) throw linkInvalid();
  refuseCommonPassword(commonPasswords, newPassword);
  const passwordHash = await passwords.hash(newPassword, signal);
  const { proof, event, change } = await db.transaction(async (tx) => {
    await lockInbox(tx, userId);
    if (!(await consumeLink(tx, userId, token, now()))) throw linkInvalid();
    const sessionIds = (await resetPassword(tx, userId, passwordHash)) ?? [];
    const event = { type: 'sessions-ended', sessionIds } as const;
    return {
      proof: wantsProof ? await issueProof(tx, userId, null, now()) : undefined,
      event,
      change: sessionIds.length > 0 ? await recordChange(tx, event) : undefined,
    };
  });
  if (change) await events.publishChange(event, change);
  return { userId, proof, ended: event.sessionIds.length };
}

/** The same for every cause, so that a caller who tries tokens learns nothing. */
function linkInvalid(): ServiceError {
  return new ServiceError('invalid', 'link_invalid', '链接已过期或已被使用，请重新获取');
}
