import type { Queries, Tx } from '../db/db.ts';
import type { PictureBounds, PictureType } from '../pictures/containers/rewrite-picture.ts';

/** The path under which uploaded pictures of users are served; {@link avatarOf} makes the value of `avatar` of it. */
export const AVATARS_PATH = '/media/avatars/';
export const AVATAR_BOUNDS: PictureBounds = {
  maxBytes: 64 * 1024,
  minPixels: 16,
  maxPixels: 512,
  isSquare: true,
};

interface Avatar {
  readonly type: PictureType;
  readonly bytes: Uint8Array;
}

/** A reference relative to the root of the service, so that another `PUBLIC_URL` breaks none. */
export function avatarOf(id: string): string {
  return AVATARS_PATH + id;
}

export async function findAvatar(db: Queries, id: string): Promise<Avatar | undefined> {
  return db.get<Avatar>`select type, bytes from avatars where id = ${id}`;
}

export async function insertAvatar(
  tx: Tx,
  id: string,
  userId: string,
  { type, bytes }: Avatar,
  now: number,
): Promise<void> {
  await tx.run`
    insert into avatars (id, user_id, type, bytes, created_at) values (${id}, ${userId}, ${type}, ${bytes}, ${now})`;
}

/** Removes the pictures that the user uploaded, but the one that the value of `avatar` names. */
export async function removeAvatars(tx: Tx, userId: string, kept = ''): Promise<void> {
  await tx.run`delete from avatars where user_id = ${userId} and ${AVATARS_PATH} || id <> ${kept}`;
}
