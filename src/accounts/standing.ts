import type { Queries, Tx } from '../db/db.ts';
import { nameKey } from '../users/names.ts';
import type { UserRow } from '../users/schemas.ts';
import { findUserByKey, userNotFound } from '../users/users.ts';
import { endProofsOfUser } from './device-proofs.ts';
import { endSessionsOfUser } from './sessions.ts';

/** The user with this id or, whatever way it is spelt, this name; also one who was suspended or deleted. */
export async function findUserByNameOrId(db: Queries, nameOrId: string): Promise<UserRow | undefined> {
  const byId = await db.get<UserRow>`select * from users where id = ${nameOrId}`;
  return byId ?? findUserByKey(db, nameKey(nameOrId));
}

/**
 * Keeps a user out until they are restored. A repeat changes nothing; a deleted user stays deleted.
 *
 * @returns the sessions that ended
 * @throws {ServiceError} `not-found`
 */
export async function suspendUser(tx: Tx, id: string): Promise<string[]> {
  const changed =
    await tx.run`update users set status = 'suspended' where id = ${id} and status <> 'deleted'`;
  if (changed === 0) throw userNotFound();
  return endSessionsOfUser(tx, id, null);
}

/**
 * Removes what is stored of a user, in the transaction that deletes the account: all fields but their name, which stays
 * taken, sessions and device proofs. A repeat changes nothing.
 *
 * @returns the sessions that ended
 * @throws {ServiceError} `not-found`
 */
export async function eraseUser(tx: Tx, id: string): Promise<string[]> {
  const changed = await tx.run`
    update users set status = 'deleted', password_hash = '', nickname = username, nickname_key = '', email = '', phone = '',
      avatar = '', gender = '', bio = '' where id = ${id}`;
  if (changed === 0) throw userNotFound();
  const sessionIds = await endSessionsOfUser(tx, id, null);
  await endProofsOfUser(tx, id);
  return sessionIds;
}

/** Whether nothing is left of a deleted user that could be restored; users deleted by earlier versions kept everything. */
export function isErased({ status, password_hash }: UserRow): boolean {
  return status === 'deleted' && password_hash === '';
}

/**
 * Lets a suspended user in again, with the password they had; also one whom an earlier version deleted.
 *
 * @throws {ServiceError} `not-found`, also for a user of whom `deleteUser` left only the name
 */
export async function restoreUser(tx: Tx, id: string): Promise<void> {
  const restored = await tx.run`update users set status = 'active' where id = ${id} and password_hash <> ''`;
  if (restored === 0) throw userNotFound();
}
