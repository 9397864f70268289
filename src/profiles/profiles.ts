import { searchKey } from '../accounts/accounts.ts';
import { nameKey, refuseUnsafeAvatar } from '../accounts/names.ts';
import type { UserRow } from '../accounts/schemas.ts';
import { getUser, userNotFound } from '../accounts/users.ts';
import type { Db } from '../db/db.ts';
import { maskPhone } from './phone-mask.ts';
import type { ProfileBody, PublicUser } from './schemas.ts';

/** @throws {ServiceError} `not-found` */
export async function getPublicUser(db: Db, userId: string): Promise<PublicUser> {
  const { id, username, avatar, nickname, gender, bio, phone } = await getUser(db, userId);
  return { id, username, avatar, nickname, gender, bio, phone: maskPhone(phone) };
}

/**
 * Changes what was sent and nothing else (interface 4.8); nothing sent, nothing changed.
 *
 * @throws {ServiceError} `invalid` for an avatar that will not do
 */
export async function updateProfile(db: Db, userId: string, body: ProfileBody): Promise<UserRow> {
  refuseUnsafeAvatar(body.avatar ?? '');
  const { nickname = null, avatar = null, gender = null, bio = null, phone = null, email = null } = body;
  const { username } = await getUser(db, userId);
  const nicknameKey = nickname === null ? null : searchKey(nickname, nameKey(username));
  const row = await db.get<UserRow>`
    update users set
      nickname = coalesce(${nickname}, nickname), nickname_key = coalesce(${nicknameKey}, nickname_key),
      avatar = coalesce(${avatar}, avatar), gender = coalesce(${gender}, gender), bio = coalesce(${bio}, bio),
      phone = coalesce(${phone}, phone), email = coalesce(${email}, email)
    where id = ${userId} and status <> 'deleted' returning *`;
  if (!row) throw userNotFound();
  return row;
}
