import { randomInt } from 'node:crypto';
import type { Tx } from '../db/db.ts';
import { endProofsOfUser } from './device-proofs.ts';
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
 * end. An account that is suspended stays so.
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
  return sessionIds;
}
