import { randomUUID } from 'node:crypto';
import { assertSessionActive, sessionEnded } from '../accounts/session-lookup.ts';
import type { Db } from '../db/db.ts';
import { ServiceError } from '../errors.ts';
import type { Picture } from '../events/log-events.ts';
import { lockUser } from '../users/users.ts';
import type { Rewritten } from './containers/container.ts';
import { DAY_MS } from './remove-pictures.ts';
import { tooManyPictures } from './uploads.ts';

/** One commit takes no longer with it than with a message or two. */
const PIECE_BYTES = 64 * 1024;
/** Of a user in any 24 hours. */
const MAX_BYTES_A_DAY = 100 * 1024 * 1024;
/** The values of `picture_pieces.part`. */
export const PARTS = { picture: 0, preview: 1 };

interface Uploader {
  readonly userId: string;
  readonly sessionId: string;
}

/**
 * Stores a picture for a message that its uploader sends later. The row is first, then each piece is a transaction of its own, then the row
 * says that all are there: what an end of the process leaves has a row, by which it is removed after a day.
 *
 * @throws {ServiceError} `unauthenticated` when the session ended meanwhile; `rate-limited`, word `too_many_pictures`, where the uploads of
 *   a day would have more than 100 MiB
 */
export async function storePicture(
  db: Db,
  { userId, sessionId }: Uploader,
  type: Picture['type'],
  { bytes, width, height }: Rewritten,
  now: number,
): Promise<Picture> {
  const size = bytes.length;
  const id = randomUUID();
  await db.transaction(async (tx) => {
    // Behind the lock of their row parallel uploads of a user are counted one after the other, and before or after a deletion.
    if (!(await lockUser(tx, userId))) throw sessionEnded();
    await assertSessionActive(tx, sessionId);
    const today = await tx.get<{ bytes: number | null; first: number | null }>`
      select sum(size) as bytes, min(created_at) as first from pictures
      where owner_id = ${userId} and created_at > ${now - DAY_MS}`;
    if ((today?.bytes ?? 0) + size > MAX_BYTES_A_DAY)
      throw tooManyPictures(Math.min(DAY_MS, (today?.first ?? now) + DAY_MS - now) / 1000);
    await tx.run`
      insert into pictures (id, owner_id, type, size, width, height, created_at, remove_at)
      values (${id}, ${userId}, ${type}, ${size}, ${width}, ${height}, ${now}, ${now + DAY_MS})`;
  });
  for (let piece = 0; piece * PIECE_BYTES < size; piece++) {
    const part = bytes.subarray(piece * PIECE_BYTES, (piece + 1) * PIECE_BYTES);
    await db.run`
      insert into picture_pieces (id, part, piece, bytes) values (${id}, ${PARTS.picture}, ${piece}, ${part})`;
  }
  await db.transaction(async (tx) => {
    if (!(await lockUser(tx, userId))) throw sessionEnded();
    await tx.run`update pictures set is_whole = 1 where id = ${id}`;
  });
  return { id, type, size, width, height };
}

/**
 * Stores the preview of a picture that the caller has uploaded and not sent yet; another one replaces it.
 *
 * @throws {ServiceError} `not-found`, word `picture_unknown`
 */
export async function storePreview(db: Db, userId: string, id: string, { bytes }: Rewritten): Promise<void> {
  const stored = await db.run`
    insert into picture_pieces (id, part, piece, bytes)
    select id, ${PARTS.preview}, 0, ${bytes} from pictures
    where id = ${id} and owner_id = ${userId} and is_whole = 1 and low_id is null
    on conflict (id, part, piece) do update set bytes = excluded.bytes`;
  if (stored === 0) throw pictureUnknown();
}

/** The refusal of a picture that there is not, or not for the caller. */
export function pictureUnknown(): ServiceError {
  return new ServiceError('not-found', 'picture_unknown', '图片不存在');
}
