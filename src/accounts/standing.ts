import type { Queries, Tx } from '../db/db.ts';
import { nameKey } from './names.ts';
import type { UserRow } from './schemas.ts';
import { endSessionsOfUser } from './sessions.ts';
import { findUserByKey, type Status, userNotFound } from './users.ts';

/** The user with this id or, whatever way it is spelt, this name; also one who was suspended or deleted. */
export async function findUserByNameOrId(db: Queries, nameOrId: string): Promise<UserRow | undefined> {
  const byId = await db.get<UserRow>`select * from users where id = ${nameOrId}`;
  return byId ?? findUserByKey(db, nameKey(nameOrId));
}

/**
 * Keeps a user out until he is restored. A repeat changes nothing; a deleted user stays deleted.
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
 * Makes a user one whom nobody finds any more. What he was stays stored, so his name stays taken and he can be restored.
 *
 * @returns the sessions that ended
 * @throws {ServiceError} `not-found`
 */
export async function deleteUser(tx: Tx, id: string): Promise<string[]> {
  await setStatus(tx, id, 'deleted');
  return endSessionsOfUser(tx, id, null);
}

/**
 * Lets a suspended or deleted user in again, with the password he had.
 *
 * @throws {ServiceError} `not-found`
 */
export async function restoreUser(tx: Tx, id: string): Promise<void> {
  await setStatus(tx, id, 'active');
}

async function setStatus(tx: Tx, id: string, status: Status): Promise<void> {
  if ((await tx.run`update users set status = ${status} where id = ${id}`) === 0) throw userNotFound();
}
