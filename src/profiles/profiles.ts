import type { Db } from '../db/db.ts';
import { type Inboxes, withInboxes } from '../inbox/inbox.ts';
import { nameKey, refuseUnsafeAvatar, searchKey } from '../users/names.ts';
import { toOwnUser, USER_COLUMNS, type UserRow } from '../users/schemas.ts';
import { getUser, userNotFound } from '../users/users.ts';
import { maskPhone } from './phone-mask.ts';
import type { ProfileBody, PublicUser } from './schemas.ts';

/** @throws {ServiceError} `not-found` */
export async function getPublicUser(db: Db, userId: string): Promise<PublicUser> {
  const { id, username, avatar, nickname, gender, bio, phone } = await getUser(db, userId);
  return { id, username, avatar, nickname, gender, bio, phone: maskPhone(phone) };
}

/**
 * Changes the fields that were sent (interface 4.8) and appends a `profile` event for the user's devices. An empty nickname
 * becomes the username, as at registration. A body without fields changes nothing and appends nothing.
 *
 * @param now epoch milliseconds
 * @throws {ServiceError} `invalid` for an unsafe avatar; `not-found`
 */
export async function updateProfile(
  inboxes: Inboxes,
  userId: string,
  body: ProfileBody,
  now: number,
): Promise<UserRow> {
  refuseUnsafeAvatar(body.avatar ?? '');
  const { avatar = null, gender = null, bio = null, phone = null, email = null } = body;
  return withInboxes(inboxes, [userId], now, async (tx, append) => {
    const user = await getUser(tx, userId);
    const nickname = body.nickname === '' ? user.username : (body.nickname ?? null);
    const nicknameKey = nickname === null ? null : searchKey(nickname, nameKey(user.username));
    if ([nickname, avatar, gender, bio, phone, email].every((field) => field === null)) return user;
    const row = await tx.get<UserRow>`
      update users set
        nickname = coalesce(${nickname}, nickname), nickname_key = coalesce(${nicknameKey}, nickname_key),
        avatar = coalesce(${avatar}, avatar), gender = coalesce(${gender}, gender), bio = coalesce(${bio}, bio),
        phone = coalesce(${phone}, phone), email = coalesce(${email}, email)
      where id = ${userId} returning ${USER_COLUMNS}`;
    if (!row) throw userNotFound();
    await append(userId, 'profile', toOwnUser(row));
    append.publish({ type: 'user-changed', userId });
    return row;
  });
}
