import type { Db } from '../db/db.ts';
import type { Events } from '../events/hints.ts';
import type { OnlineUsers } from '../presence/online-users.ts';
import { listUsers } from './directory.ts';
import { type DirectoryRow, toDirectoryEntry } from './schemas.ts';

/** Users in a piece: some 100 KB, made in about a millisecond, so that other requests are not held up. */
const PIECE_USERS = 500;
/** A piece that has got so many is cut, as new users may have ids between those of others. */
const MAX_PIECE_USERS = 2 * PIECE_USERS;
/** Bounds the memory; pieces beyond it are made for each answer. */
const MAX_CACHED_BYTES = 64 * 1024 * 1024;

/** The users after the id `after` up to the id `last`, each as `,{..}`. Its bounds stay when its bytes are dropped. */
interface Piece {
  after: string;
  readonly last: string;
  bytes: Buffer | null;
  /** Where each user's text starts in `bytes`; at the end, where the last one ends. */
  starts: Uint32Array;
  /** The users who do not show everyone when they are online. */
  hiding: ReadonlySet<string>;
  /** The same bytes with everyone offline, for callers who do not show it themselves; null before the first of them. */
  offline: Buffer | null;
}

type Encoded = Pick<Piece, 'starts' | 'hiding'> & { readonly bytes: Buffer };

/**
 * All users as the bytes of `GET /api/users` (interface 4.6), ordered by id, read in pieces, so that an answer takes
 * constant memory. Full pieces are cached: presence changes one byte in them, a changed user drops the bytes of their piece
 * (measured: docs/performance.md).
 */
export class DirectoryCache {
  readonly #db: Db;
  readonly #presence: OnlineUsers;
  readonly #events: Pick<Events, 'isCurrent'>;
  readonly #maxBytes: number;
  readonly #pieces: Piece[] = [];
  #cachedBytes = 0;
  /** Rises with every change, so that what was read before a change is not cached after it. */
  #changes = 0;

  constructor(db: Db, presence: OnlineUsers, events: Events, maxBytes = MAX_CACHED_BYTES) {
    this.#db = db;
    this.#presence = presence;
    this.#events = events;
    this.#maxBytes = maxBytes;
    presence.onChange((userId, online) => this.#setOnline(userId, online));
    events.subscribe((event) => {
      if (event.type === 'user-changed') this.#drop(this.#pieceOf(event.userId));
      else if (event.type === 'external-change') {
        this.#changes++;
        for (const piece of this.#pieces) this.#drop(piece);
      }
    });
  }

  /**
   * The elements of the answer's array, in order, with commas between them.
   *
   * @param showsOnline whether the caller sees who is online
   */
  async *elements(showsOnline = true): AsyncGenerator<Buffer, void> {
    let isFirst = true;
    let after = '';
    for (;;) {
      const piece = this.#pieceAfter(after);
      const cached = piece?.after === after && this.#events.isCurrent ? piece.bytes : null;
      const { bytes, last } =
        piece && cached
          ? { bytes: showsOnline ? cached : this.#offlineOf(piece, cached), last: piece.last }
          : await this.#read(piece, after, showsOnline);
      if (bytes.length > 0) {
        yield isFirst ? bytes.subarray(1) : bytes;
        isFirst = false;
      }
      if (last === null) return;
      after = last;
    }
  }

  /**
   * Reads the users after `after`: up to the end of the piece that holds them, unless it has too many, or as many as make a new piece.
   * After a change a reader may be at an id between the pieces' bounds; what it reads is then sent and not cached.
   *
   * @returns `last`: null if no user comes after them
   */
  async #read(
    piece: Piece | undefined,
    after: string,
    showsOnline: boolean,
  ): Promise<{ bytes: Buffer; last: string | null }> {
    const before = this.#changes;
    const wanted = piece ? MAX_PIECE_USERS : PIECE_USERS;
    const read = await listUsers(this.#db, after, wanted, piece?.last);
    const rows = read.length < wanted ? read : read.slice(0, PIECE_USERS);
    const encoded = this.#encode(rows);
    const last = (read.length < wanted ? piece?.last : rows.at(-1)?.id) ?? null;
    // Nothing else ran since the last await, so the presence is current; the rows are if there was no change.
    if (last !== null && before === this.#changes) this.#cache({ after, last, offline: null, ...encoded });
    return { bytes: showsOnline ? encoded.bytes : withoutOnline(encoded), last };
  }

  /** Adds a piece, cuts one, or gives a known one its bytes again, if the bounds are those of the pieces. */
  #cache({ after, last, bytes, ...rest }: Piece & { bytes: Buffer }): void {
    const known = this.#pieceAfter(after);
    const isCut = known?.after === after && last < known.last && !known.bytes;
    if (isCut) known.after = last;
    const at = isCut ? this.#pieces.indexOf(known) : this.#pieces.length;
    if (isCut || after === (this.#pieces.at(-1)?.last ?? ''))
      this.#pieces.splice(at, 0, { after, last, bytes: null, ...rest });
    const piece = this.#pieceAfter(after);
    if (piece?.after !== after || piece.last !== last || piece.bytes !== null) return;
    // The copies for callers who hide come second.
    if (!this.#hasRoom(bytes)) for (const other of this.#pieces) this.#dropOffline(other);
    if (!this.#hasRoom(bytes)) return;
    Object.assign(piece, { bytes, ...rest });
    this.#cachedBytes += bytes.length;
  }

  #offlineOf(piece: Piece, bytes: Buffer): Buffer {
    const offline = piece.offline ?? withoutOnline({ ...piece, bytes });
    if (!piece.offline && this.#hasRoom(offline)) {
      piece.offline = offline;
      this.#cachedBytes += offline.length;
    }
    return offline;
  }

  #encode(rows: readonly DirectoryRow[]): Encoded {
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
    return { bytes, starts, hiding: new Set(rows.filter((row) => row.isOnline === 0).map(({ id }) => id)) };
  }

  /** Writes the digit of `isOnline`, which is the last field of each element. */
  #setOnline(userId: string, online: boolean): void {
    const piece = this.#pieceOf(userId);
    if (!piece?.bytes || piece.hiding.has(userId)) return; // what is being read now takes the presence when it is encoded
    const end = this.#endOf(piece, piece.bytes, userId);
    if (end !== undefined) piece.bytes[end - 2] = online ? 0x31 : 0x30;
  }

  #endOf(piece: Piece, bytes: Buffer, userId: string): number | undefined {
    const idAt = (i: number) => {
      const from = (piece.starts[i] ?? 0) + ',{"id":"'.length;
      return bytes.toString('latin1', from, bytes.indexOf('"', from));
    };
    const i = findFirst(piece.starts.length - 1, (at) => idAt(at) >= userId);
    return i < piece.starts.length - 1 && idAt(i) === userId ? piece.starts[i + 1] : undefined;
  }

  #pieceOf(userId: string): Piece | undefined {
    return this.#pieces[findFirst(this.#pieces.length, (at) => (this.#pieces[at]?.last ?? '') >= userId)];
  }

  /** The piece with the first users after this id. */
  #pieceAfter(id: string): Piece | undefined {
    return this.#pieceOf(`${id}\0`);
  }

  #drop(piece: Piece | undefined): void {
    this.#changes++;
    if (!piece?.bytes) return;
    this.#cachedBytes -= piece.bytes.length;
    piece.bytes = null;
    this.#dropOffline(piece);
  }

  #dropOffline(piece: Piece): void {
    this.#cachedBytes -= piece.offline?.length ?? 0;
    piece.offline = null;
  }

  #hasRoom(bytes: Buffer): boolean {
    return this.#cachedBytes + bytes.length <= this.#maxBytes;
  }
}

/** A copy with the digit of `isOnline` of each user set to 0. */
function withoutOnline({ bytes, starts }: Pick<Encoded, 'bytes' | 'starts'>): Buffer {
  const copy = Buffer.allocUnsafeSlow(bytes.length);
  bytes.copy(copy);
  for (const end of starts.subarray(1)) copy[end - 2] = 0x30;
  return copy;
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
