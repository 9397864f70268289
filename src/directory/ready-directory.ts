import type { Db } from '../db/db.ts';
import type { Events } from '../events/hints.ts';
import type { Presence } from '../presence/presence.ts';
import { listUsersAfter } from './directory.ts';
import { type DirectoryRow, toDirectoryEntry } from './schemas.ts';

/** Users in a piece: some 100 KB, made in about a millisecond, so other requests wait little behind it. */
const PIECE_USERS = 500;
/** Bounds the memory for pieces that are kept; pieces beyond it are made for each answer. */
const MAX_KEPT_BYTES = 64 * 1024 * 1024;

/** The users after `after` up to `last`, each as `,{..}`. A piece keeps its borders when its bytes are dropped. */
interface Piece {
  readonly after: string;
  readonly last: string;
  bytes: Buffer | null;
  /** Where each user's text starts in `bytes`, and where it ends. */
  starts: Uint32Array;
}

/** Users one after another, each as `,{..}`, up to `last`; null if no user comes after them. */
interface Stretch {
  readonly bytes: Buffer;
  readonly last: string | null;
}

/**
 * All users as the bytes of `GET /api/users` (interface 4.6), oldest first, piece by piece in constant memory.
 * Whole pieces are kept ready: presence changes one byte in them, a changed user drops their piece
 * (measured: docs/performance.md).
 */
export class ReadyDirectory {
  readonly #db: Db;
  readonly #presence: Presence;
  readonly #pieces: Piece[] = [];
  #keptBytes = 0;
  /** Rises with every change, so that what was read before one is not kept after it. */
  #changes = 0;

  constructor(db: Db, presence: Presence, events: Events) {
    this.#db = db;
    this.#presence = presence;
    presence.onChange((userId, online) => this.#mark(userId, online));
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
      const { bytes, last }: Stretch = this.#recall(index, after) ?? (await this.#read(index, after));
      if (bytes.length > 0) {
        yield isFirst ? bytes.subarray(1) : bytes;
        isFirst = false;
      }
      after = last;
    }
  }

  #recall(index: number, after: string): Stretch | undefined {
    const piece = this.#pieces[index];
    return piece?.bytes && piece.after === after ? { bytes: piece.bytes, last: piece.last } : undefined;
  }

  /**
   * Reads on behind `after`: up to the end of the piece at `index`, or as many users as make a new one. A reader that
   * changes have overtaken may stand at another border than the pieces have; it uses its own.
   */
  async #read(index: number, after: string): Promise<Stretch> {
    const before = this.#changes;
    const known = this.#pieces[index];
    const rows = known
      ? await this.#readUpTo(after, known.last)
      : await listUsersAfter(this.#db, after, PIECE_USERS);
    const written = this.#write(rows);
    const last = known?.last ?? (rows.length < PIECE_USERS ? null : (rows.at(-1)?.id ?? null));
    // From the last await to here nothing else ran, so only what changed in the database may be stale.
    if (last !== null && before === this.#changes) this.#keep(index, { after, last, ...written });
    return { bytes: written.bytes, last: last !== null && last < after ? after : last };
  }

  #keep(index: number, made: Piece & { bytes: Buffer }): void {
    const known = this.#pieces[index];
    if (known ? known.after !== made.after || known.last !== made.last : !this.#continues(index, made.after))
      return;
    const piece = known ?? { ...made, bytes: null };
    if (!known) this.#pieces.push(piece);
    if (piece.bytes !== null || this.#keptBytes + made.bytes.length > MAX_KEPT_BYTES) return;
    piece.bytes = made.bytes;
    piece.starts = made.starts;
    this.#keptBytes += made.bytes.length;
  }

  /** Whether what begins after `after` would be the next piece. */
  #continues(index: number, after: string): boolean {
    return this.#pieces.length === index && (this.#pieces.at(-1)?.last ?? '') === after;
  }

  /** Not a second query text with an upper border: a piece holds few more users than it was made with. */
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

  #write(rows: readonly DirectoryRow[]): { bytes: Buffer; starts: Uint32Array } {
    const texts = rows.map(
      (row) => `,${JSON.stringify(toDirectoryEntry(row, this.#presence.isOnline(row.id)))}`,
    );
    const starts = new Uint32Array(rows.length + 1);
    texts.forEach((text, i) => {
      starts[i + 1] = (starts[i] ?? 0) + Buffer.byteLength(text);
    });
    // Not from the pool: a kept piece would hold on to what shares its slab.
    const bytes = Buffer.allocUnsafeSlow(starts[rows.length] ?? 0);
    bytes.write(texts.join(''));
    return { bytes, starts };
  }

  /** `isOnline` comes last in each element, so its digit stands before the closing brace. */
  #mark(userId: string, online: boolean): void {
    const piece = this.#pieceOf(userId);
    if (!piece?.bytes) return; // what is being read is written as of its end
    const end = this.#endOf(piece, piece.bytes, userId);
    if (end !== undefined) piece.bytes[end - 2] = online ? 0x31 : 0x30;
  }

  #endOf(piece: Piece, bytes: Buffer, userId: string): number | undefined {
    const idAt = (i: number) => {
      const from = (piece.starts[i] ?? 0) + ',{"id":"'.length;
      return bytes.toString('latin1', from, from + userId.length);
    };
    const i = firstAtLeast(piece.starts.length - 1, (at) => idAt(at) >= userId);
    return i < piece.starts.length - 1 && idAt(i) === userId ? piece.starts[i + 1] : undefined;
  }

  #pieceOf(userId: string): Piece | undefined {
    const piece =
      this.#pieces[firstAtLeast(this.#pieces.length, (at) => (this.#pieces[at]?.last ?? '') >= userId)];
    return piece && userId > piece.after ? piece : undefined;
  }

  #drop(piece: Piece | undefined): void {
    this.#changes++;
    if (!piece?.bytes) return;
    this.#keptBytes -= piece.bytes.length;
    piece.bytes = null;
  }
}

/** The first of `count` positions at which `holds` is true, `count` if it never is; it stays true once it was. */
function firstAtLeast(count: number, holds: (at: number) => boolean): number {
  let low = 0;
  let high = count;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (holds(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}
