import type { Db, Tx } from '../db/db.ts';
import { newId } from '../db/ids.ts';
import { type Append, type Inboxes, withInboxes } from '../inbox/inbox.ts';
import { type PictureType, rewritePicture } from '../pictures/containers/rewrite-picture.ts';
import { toOwnUser, type UserRow } from '../users/schemas.ts';
import { getUser, writeProfile } from '../users/users.ts';
import { AVATAR_BOUNDS, avatarOf, insertAvatar, removeAvatars } from './avatars.ts';
import { type ProfileBody, PublicUser } from './schemas.ts';

const PUBLIC_NAMES = Object.keys(PublicUser.properties) as (keyof PublicUser)[]; // all keys of a schema

/**
 * @returns `showsOnline`: whether the user shows everyone when they are online
 * @throws {ServiceError} `not-found`
 */
export async function getPublicUser(
  db: Db,
  userId: string,
): Promise<{ user: PublicUser; showsOnline: boolean }> {
  const row = await getUser(db, userId);
  const shown = Object.fromEntries(PUBLIC_NAMES.map((name) => [name, row[name]])) as PublicUser; // the keys of its schema
  const user = { ...shown, phone: maskPhone(row.phone) };
  return { user, showsOnline: row.who_presence === 'everyone' };
}

/**
 * Changes the fields that were sent (interface 4.8) and appends a `profile` event for the user's devices. An empty nickname
 * becomes the username, as at registration. A body without fields changes nothing and appends nothing.
 *
 * @param now epoch milliseconds
 * @throws {ServiceError} `not-found`
 */
export async function updateProfile(
  inboxes: Inboxes,
  userId: string,
  body: ProfileBody,
  now: number,
): Promise<UserRow> {
  return withInboxes(inboxes, [userId], now, async (tx, append) =>
    changeProfile(tx, append, await getUser(tx, userId), body),
  );
}

/** {@link updateProfile} in a transaction that has locked the user's inbox and then read the user. */
export async function changeProfile(
  tx: Tx,
  append: Append,
  user: UserRow,
  body: ProfileBody,
): Promise<UserRow> {
  if (Object.keys(body).length === 0) return user;
  const { avatar = user.avatar } = body;
  if (avatar !== user.avatar) await removeAvatars(tx, user.id, avatar);
  return storeProfile(tx, append, { ...user, ...body });
}

/**
 * Stores an uploaded picture as that of the user, and appends a `profile` event. The picture before it stays, since lists that were read
 * before still name it; earlier ones are removed.
 *
 * @throws {ServiceError} `invalid`, as `rewritePicture`; `not-found`
 */
export async function setAvatar(
  inboxes: Inboxes,
  userId: string,
  { type, bytes }: { type: PictureType; bytes: Buffer },
  now: number,
): Promise<UserRow> {
  const picture = { type, bytes: rewritePicture(type, bytes, AVATAR_BOUNDS).bytes };
  const id = newId(now);
  return withInboxes(inboxes, [userId], now, async (tx, append) => {
    const user = await getUser(tx, userId);
    await removeAvatars(tx, userId, user.avatar);
    await insertAvatar(tx, id, userId, picture, now);
    return storeProfile(tx, append, { ...user, avatar: avatarOf(id) });
  });
}

async function storeProfile(tx: Tx, append: Append, user: UserRow): Promise<UserRow> {
  const row = await writeProfile(tx, user);
  await append(user.id, 'profile', toOwnUser(row));
  append.publish({ type: 'user-changed', userId: user.id });
  return row;
}

/**
 * A phone number as other users see it (interface 2.1 leaves the rule open, this one is our choice): of 11 digits or
 * more the first 3 and the last 4 stay, of 5 to 10 the last 2, of fewer none. Every other character becomes `*`, so the
 * length stays.
 */
export function maskPhone(phone: string): string {
  const digits = phone.replaceAll(/[^0-9]/g, '').length;
  const [head, tail] = digits >= 11 ? [3, 4] : [0, digits >= 5 ? 2 : 0];
  let seen = 0;
  const isShown = () => ++seen <= head || seen > digits - tail;
  return phone.replaceAll(/./gsu, (character) => (/[0-9]/.test(character) && isShown() ? character : '*'));
}
