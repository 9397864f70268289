import type { Db } from '../db/db.ts';
import type { Events } from '../events/hints.ts';
import type { OnlineUsers } from '../presence/online-users.ts';
import { listUsersAfter } from './directory.ts';
import { type DirectoryRow, toDirectoryEntry } from './schemas.ts';

/** Users in a piece: some 100 KB, made in about a millisecond, so that other requests are not held up. */
const PIECE_USERS = 500;
/** Bounds the memory; pieces beyond it are made for each answer. */
const MAX_CACHED_BYTES = 64 * 1024 * 1024;

/** The users after the id `after` up to the id `last`, each as `,{..}`. Its bounds stay when its bytes are dropped. */
interface Piece {
  readonly after: string;
  readonly last: string;
  bytes: Buffer | null;
  /** Where each user's text starts in `bytes`; at the end, where the last one ends. */
  starts: Uint32Array;
}

/** Users as they are sent, each as `,{..}`, up to the id `last`; null if no user comes after them. */
interface Chunk {
  readonly bytes: Buffer;
  readonly last: string | null;
}

/**
 * All users as the bytes of `GET /api/users` (interface 4.6), oldest first, read in pieces, so that an answer takes
 * constant memory. Full pieces are cached: presence changes one byte in them, a changed user drops the bytes of their piece
 * (measured: docs/performance.md).
 */
export class DirectoryCache {
  readonly #db: Db;
  readonly #presence: OnlineUsers;
  readonly #events: Pick<Events, 'isCurrent'>;
  readonly #pieces: Piece[] = [];
  #cachedBytes = 0;
  /** Rises with every change, so that what was read before a change is not cached after it. */
  #changes = 0;

  constructor(db: Db, presence: OnlineUsers, events: Events) {
    this.#db = db;
    this.#presence = presence;
    this.#events = events;
    presence.onChange((userId, online) => this.#setOnline(userId, online));
    events.subscribe((event) => {
      if (event.type === 'user-changed') this.#drop(this.#pieceOf(event.userId));
      else if (event.type === 'external-change') {
        this.#changes++;
        for (const piece of this.#pieces) this.#drop(piece);
      }
    });
  }

  /** The elements of the answer's array, in order, with commas between them. */
  async *elements(): AsyncGenerator<Buffer, void> {
    let isFirst = true;
    let after: string | null = '';
    for (let index = 0; after !== null; index++) {
      const { bytes, last }: Chunk = this.#recall(index, after) ?? (await this.#read(index, after));
      if (bytes.length > 0) {
        yield isFirst ? bytes.subarray(1) : bytes;
        isFirst = false;
      }
      after = last;
    }
  }

  #recall(index: number, after: string): Chunk | undefined {
    const piece = this.#pieces[index];
    return piece?.bytes && piece.after === after && this.#events.isCurrent
      ? { bytes: piece.bytes, last: piece.last }
      : undefined;
  }

  /**
   * Reads the users after `after`: up to the end of the piece at `index`, or as many as make a new piece. After a change a
   * reader may be at an id between the pieces' bounds; what it reads is then sent and not cached.
   */
  async #read(index: number, after: string): Promise<Chunk> {
    const before = this.#changes;
    const known = this.#pieces[index];
    const rows = known
      ? await this.#readUpTo(after, known.last)
      : await listUsersAfter(this.#db, after, PIECE_USERS);
    const encoded = this.#encode(rows);
    const last = known?.last ?? (rows.length < PIECE_USERS ? null : (rows.at(-1)?.id ?? null));
    // Nothing else ran since the last await, so the presence is current; the rows are if there was no change.
    if (last !== null && before === this.#changes) this.#cache(index, { after, last, ...encoded });
    return { bytes: encoded.bytes, last: last !== null && last < after ? after : last };
  }

  /** Adds a piece, or gives a known one its bytes again, if the bounds are those of the pieces. */
  #cache(index: number, made: Piece & { bytes: Buffer }): void {
    const known = this.#pieces[index];
    if (
      known ? known.after !== made.after || known.last !== made.last : !this.#isNextPiece(index, made.after)
    )
      return;
    const piece = known ?? { ...made, bytes: null };
    if (!known) this.#pieces.push(piece);
    if (piece.bytes !== null || this.#cachedBytes + made.bytes.length > MAX_CACHED_BYTES) return;
    piece.bytes = made.bytes;
    piece.starts = made.starts;
    this.#cachedBytes += made.bytes.length;
  }

  /** Whether users from `after` on would be the next piece. */
  #isNextPiece(index: number, after: string): boolean {
    return this.#pieces.length === index && (this.#pieces.at(-1)?.last ?? '') === after;
  }

  /** Without a second statement with an upper bound: a piece holds few more users than it was made with. */
  async #readUpTo(after: string, last: string): Promise<DirectoryRow[]> {
    const rows: DirectoryRow[] = [];
    let from = after;
    while (from < last) {
      const read = await listUsersAfter(this.#db, from, PIECE_USERS);
      for (const row of read) {
        if (row.id > last) return rows;
        rows.push(row);
      }
      if (read.length < PIECE_USERS) return rows;
      from = read.at(-1)?.id ?? last;
    }
    return rows;
  }

  #encode(rows: readonly DirectoryRow[]): { bytes: Buffer; starts: Uint32Array } {
    const texts = rows.map(
      (row) => `,${JSON.stringify(toDirectoryEntry(row, this.#presence.isOnline(row.id)))}`,
    );
    const starts = new Uint32Array(rows.length + 1);
    texts.forEach((text, i) => {
      starts[i + 1] = (starts[i] ?? 0) + Buffer.byteLength(text);
    });
    // Not from Node's pool: a cached piece would keep the other buffers of its slab.
    const bytes = Buffer.allocUnsafeSlow(starts[rows.length] ?? 0);
    bytes.write(texts.join(''));
    return { bytes, starts };
  }

  /** Writes the digit of `isOnline`, which is the last field of each element. */
  #setOnline(userId: string, online: boolean): void {
    const piece = this.#pieceOf(userId);
    if (!piece?.bytes) return; // what is being read now takes the presence when it is encoded
    const end = this.#endOf(piece, piece.bytes, userId);
    if (end !== undefined) piece.bytes[end - 2] = online ? 0x31 : 0x30;
  }

  #endOf(piece: Piece, bytes: Buffer, userId: string): number | undefined {
    const idAt = (i: number) => {
      const from = (piece.starts[i] ?? 0) + ',{"id":"'.length;
      return bytes.toString('latin1', from, from + userId.length);
    };
    const i = findFirst(piece.starts.length - 1, (at) => idAt(at) >= userId);
    return i < piece.starts.length - 1 && idAt(i) === userId ? piece.starts[i + 1] : undefined;
  }

  #pieceOf(userId: string): Piece | undefined {
    const piece =
      this.#pieces[findFirst(this.#pieces.length, (at) => (this.#pieces[at]?.last ?? '') >= userId)];
    return piece && userId > piece.after ? piece : undefined;
  }

  #drop(piece: Piece | undefined): void {
    this.#changes++;
    if (!piece?.bytes) return;
    this.#cachedBytes -= piece.bytes.length;
    piece.bytes = null;
  }
}

/** Binary search: the first of `count` positions at which `holds` is true, and stays true; `count` if there is none. */
function findFirst(count: number, holds: (at: number) => boolean): number {
  let low = 0;
  let high = count;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (holds(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}
