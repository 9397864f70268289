import type { Db, Queries } from '../db/db.ts';
import type { Picture } from '../events/log-events.ts';
import { PARTS, pictureUnknown } from './store-picture.ts';

/** The bytes of a picture in pieces: to join them would cost as much as to read them. */
interface PictureBytes {
  readonly type: Picture['type'];
  readonly size: number;
  readonly pieces: readonly Uint8Array[];
}

const MAX_KEPT_BYTES = 32 * 1024 * 1024;

/**
 * Reads pictures, and keeps the bytes of those that were read last, as both users open a new one on several devices. Who may read is asked
 * of the database each time.
 */
export class PictureReader {
  readonly #db: Db;
  readonly #maxBytes: number;
  /** The last read is the last entry. */
  readonly #kept = new Map<string, PictureBytes>();
  #keptBytes = 0;

  constructor(db: Db, maxBytes = MAX_KEPT_BYTES) {
    this.#db = db;
    this.#maxBytes = maxBytes;
  }

  /**
   * The bytes of a picture or its preview, for the two users of the conversation, or for its uploader before it is sent. Only what was sent
   * is kept: another preview may replace one before.
   *
   * @throws {ServiceError} `not-found`, word `picture_unknown`: also for other users, an unsent one, and where there is no preview
   */
  async read(userId: string, id: string, part: keyof typeof PARTS): Promise<PictureBytes> {
    const readable = await this.#db.get<{ is_sent: number }>`
      select case when low_id is null then 0 else 1 end as is_sent from pictures
      where id = ${id} and is_whole = 1 and ${userId} in (coalesce(low_id, owner_id), coalesce(high_id, owner_id))`;
    if (!readable) throw pictureUnknown();
    const key = `${id} ${part}`;
    const found = this.#kept.get(key) ?? (await readPieces(this.#db, id, PARTS[part]));
    if (!found) throw pictureUnknown();
    if (readable.is_sent === 1) this.#keep(key, found);
    return found;
  }

  #keep(key: string, picture: PictureBytes): void {
    if (!this.#kept.delete(key)) this.#keptBytes += picture.size;
    this.#kept.set(key, picture);
    for (const [oldest, { size }] of this.#kept) {
      if (this.#keptBytes <= this.#maxBytes) return;
      this.#kept.delete(oldest);
      this.#keptBytes -= size;
    }
  }
}

/** For the operator, also a picture that was unsent and is kept as it was reported; undefined once it is removed. */
export function readKeptPicture(db: Queries, id: string): Promise<PictureBytes | undefined> {
  return readPieces(db, id, PARTS.picture);
}

/** By one statement, so that a removal at the same moment leaves no half. */
async function readPieces(db: Queries, id: string, part: number): Promise<PictureBytes | undefined> {
  const rows = await db.all<{ bytes: Uint8Array }>`
    select bytes from picture_pieces where id = ${id} and part = ${part} order by piece`;
  if (rows.length === 0) return undefined;
  const pieces = rows.map((row) => row.bytes);
  return { pieces, size: pieces.reduce((sum, { length }) => sum + length, 0), type: typeOf(pieces[0]) };
}

/** By the first byte, as the service has written the container. */
function typeOf(piece: Uint8Array | undefined): Picture['type'] {
  if (piece?.[0] === 0xff) return 'image/jpeg';
  return piece?.[0] === 0x89 ? 'image/png' : 'image/webp';
}
