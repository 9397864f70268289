import type { Db, Queries } from '../db/db.ts';
import type { Picture } from '../events/log-events.ts';
import { PARTS, pictureUnknown } from './store-picture.ts';

/** The bytes of a picture in pieces: to join them would cost as much as to read them. */
interface PictureBytes {
  readonly type: Picture['type'];
  readonly size: number;
  readonly pieces: readonly Uint8Array[];
}

/**
 * The bytes of a picture or its preview, for the two users of the conversation, or for its uploader before it is sent. One statement
 * reads all of it, so that an unsend at the same moment leaves no half.
 *
 * @throws {ServiceError} `not-found`, word `picture_unknown`: also for other users, an unsent one, and where there is no preview
 */
export async function readPicture(
  db: Db,
  userId: string,
  id: string,
  part: keyof typeof PARTS,
): Promise<PictureBytes> {
  const rows = await db.all<{ bytes: Uint8Array }>`
    select picture_pieces.bytes from pictures
    join picture_pieces on picture_pieces.id = pictures.id and picture_pieces.part = ${PARTS[part]}
    where pictures.id = ${id} and pictures.is_whole = 1
      and ${userId} in (coalesce(pictures.low_id, pictures.owner_id), coalesce(pictures.high_id, pictures.owner_id))
    order by picture_pieces.piece`;
  if (rows.length === 0) throw pictureUnknown();
  return toBytes(rows);
}

/** The same for the operator, also of a picture that was unsent and is kept as it was reported; undefined once it is removed. */
export async function readKeptPicture(db: Queries, id: string): Promise<PictureBytes | undefined> {
  const rows = await db.all<{ bytes: Uint8Array }>`
    select bytes from picture_pieces where id = ${id} and part = ${PARTS.picture} order by piece`;
  return rows.length === 0 ? undefined : toBytes(rows);
}

function toBytes(rows: readonly { bytes: Uint8Array }[]): PictureBytes {
  const pieces = rows.map((row) => row.bytes);
  return { pieces, size: pieces.reduce((sum, { length }) => sum + length, 0), type: typeOf(pieces[0]) };
}

/** By the first byte, as the service has written the container. */
function typeOf(piece: Uint8Array | undefined): Picture['type'] {
  if (piece?.[0] === 0xff) return 'image/jpeg';
  return piece?.[0] === 0x89 ? 'image/png' : 'image/webp';
}
