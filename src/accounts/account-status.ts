import type { Queries, Tx } from '../db/db.ts';
import { nameKey } from '../users/names.ts';
import { USER_COLUMNS, type UserRow } from '../users/schemas.ts';
import { findUserByKey, userNotFound } from '../users/users.ts';
import { endProofsOfUser } from './device-proofs.ts';
import { endLinkOfUser } from './password-links.ts';
import { endSessionsOfUser } from './sessions.ts';

/** The user with this id or this name, compared by its key; also a suspended or deleted one. */
export async function findUserByNameOrId(db: Queries, nameOrId: string): Promise<UserRow | undefined> {
  const byId = await db.get<UserRow>`select ${USER_COLUMNS} from users where id = ${nameOrId}`;
  return byId ?? findUserByKey(db, nameKey(nameOrId));
}

/**
 * Suspends a user until they are restored, and ends their password link. A repeat changes nothing; a deleted user stays deleted.
 *
 * @returns the ids of the ended sessions
 * @throws {ServiceError} `not-found`
 */
export async function suspendUser(tx: Tx, id: string): Promise<string[]> {
  const changed =
    await tx.run`update users set status = 'suspended' where id = ${id} and status <> 'deleted'`;
  if (changed === 0) throw userNotFound();
  await endLinkOfUser(tx, id);
  return endSessionsOfUser(tx, id, null);
}

/**
 * Removes the stored data of a user, in the transaction that deletes the account: all fields but the name, which stays
 * taken, and all sessions, device proofs and their password link. A repeat changes nothing.
 *
 * @returns the ids of the ended sessions
 * @throws {ServiceError} `not-found`
 */
export async function eraseUser(tx: Tx, id: string): Promise<string[]> {
  const changed = await tx.run`
    update users set status = 'deleted', password_hash = '', nickname = username, nickname_key = '', email = '', phone = '',
      avatar = '', gender = '', bio = '' where id = ${id}`;
  if (changed === 0) throw userNotFound();
  const sessionIds = await endSessionsOfUser(tx, id, null);
  await endProofsOfUser(tx, id);
  await endLinkOfUser(tx, id);
  return sessionIds;
}

/** Whether a deleted user's data is removed, so that they cannot be restored. Earlier versions deleted without removing it. */
export function isErased({ status, password_hash }: UserRow): boolean {
  return status === 'deleted' && password_hash === '';
}

/**
 * Makes a suspended user active again, with the same password; also one deleted by an earlier version.
 *
 * @throws {ServiceError} `not-found`, also for an erased user ({@link isErased})
 */
export async function restoreUser(tx: Tx, id: string): Promise<void> {
  const restored = await tx.run`update users set status = 'active' where id = ${id} and password_hash <> ''`;
  if (restored === 0) throw userNotFound();
}
