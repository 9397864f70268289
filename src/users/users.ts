import type { Queries } from '../db/db.ts';
import { ServiceError } from '../errors.ts';
import { USER_COLUMNS, type UserRow } from './schemas.ts';

/** The user with this id, unless deleted. */
export async function findUser(db: Queries, id: string): Promise<UserRow | undefined> {
  return db.get<UserRow>`select ${USER_COLUMNS} from users where id = ${id} and status <> 'deleted'`;
}

/** The user whose name has this key, also if suspended or deleted: the name of a deleted user stays taken. */
export async function findUserByKey(db: Queries, key: string): Promise<UserRow | undefined> {
  return db.get<UserRow>`select ${USER_COLUMNS} from users where username_key = ${key}`;
}

/** @throws {ServiceError} `not-found` (our choice: interface 4.7 does not show an unknown id) */
export async function getUser(db: Queries, id: string): Promise<UserRow> {
  const user = await findUser(db, id);
  if (!user) throw userNotFound();
  return user;
}

/**
 * Locks one user's row until the transaction ends. It writes a column that no foreign key references: a write of the key
 * would search every referencing table. @returns whether the user exists and is not deleted
 */
export async function lockUser(tx: Queries, id: string): Promise<boolean> {
  return (await tx.run`update users set status = status where id = ${id} and status <> 'deleted'`) > 0;
}

export function userNotFound(): ServiceError {
  return new ServiceError('not-found', 'user_not_found', '用户不存在');
}
