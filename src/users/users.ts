import type { Queries } from '../db/db.ts';
import { asTable } from '../db/fragments.ts';
import { ServiceError } from '../errors.ts';
import { keepNameKeys } from './name-keys.ts';
import { searchKey } from './names.ts';
import { PRIVACY_COLUMNS, PRIVACY_TABLE, type PrivacyRow, privacyRowOf } from './privacy.ts';
import { PROFILE_COLUMNS, PROFILE_TABLE, profileOf } from './profile-fields.ts';
import { USER_COLUMNS, type UserRow } from './schemas.ts';

/** The user with this id, unless deleted. */
export async function findUser(db: Queries, id: string): Promise<UserRow | undefined> {
  return db.get<UserRow>`select ${USER_COLUMNS} from users where id = ${id} and status <> 'deleted'`;
}

/** The user whose name has this key, also if suspended or deleted. That of an erased user is held by another key (`held-names.ts`). */
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
 * would search every referencing table. @returns what decides about their access; `undefined` if there is no such user, or a deleted one
 */
export async function lockUser(tx: Queries, id: string) {
  return tx.get<Pick<UserRow, 'status' | 'password_hash'>>`
    update users set status = status where id = ${id} and status <> 'deleted' returning status, password_hash`;
}

/**
 * Stores the profile in `user`, with the keys of the names; an empty nickname becomes the username. The row was read behind the lock of the
 * user's log, which every writer of the profile holds.
 *
 * @returns the stored row
 */
export async function writeProfile(tx: Queries, user: UserRow): Promise<UserRow> {
  const profile = { ...profileOf(user), nickname: user.nickname || user.username };
  const row = await tx.get<UserRow & { keyed_names: string }>`
    update users set nickname_key = ${searchKey(profile.nickname, user.username_key)},
      (${PROFILE_COLUMNS}) = (select ${PROFILE_COLUMNS} from ${asTable(PROFILE_TABLE, [profile])} as profile)
    where id = ${user.id} returning ${USER_COLUMNS}, keyed_names`;
  if (!row) throw userNotFound();
  await keepNameKeys(tx, row);
  const { keyed_names: _, ...stored } = row;
  return stored;
}

/** Stores what the user has chosen; who is not listed has no keys of names. The row was read behind the lock of their log, as for {@link writeProfile}. */
export async function writePrivacy(tx: Queries, userId: string, row: PrivacyRow): Promise<void> {
  const user = await tx.get<UserRow & { keyed_names: string }>`
    update users set (${PRIVACY_COLUMNS}) =
      (select ${PRIVACY_COLUMNS} from ${asTable(PRIVACY_TABLE, [privacyRowOf(row)])} as privacy)
    where id = ${userId} returning ${USER_COLUMNS}, keyed_names`;
  if (user) await keepNameKeys(tx, user);
}

export function userNotFound(): ServiceError {
  return new ServiceError('not-found', 'user_not_found', '用户不存在');
}
