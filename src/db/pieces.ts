import { setImmediate as otherWork } from 'node:timers/promises';

/** Rows that clean-up writes in one transaction: one or two milliseconds, so that no request waits long behind it. */
const PIECE_ROWS = 200;

/**
 * Does clean-up work bit by bit: repeats `piece` until it finds fewer rows than it was asked for. Other work is served
 * between two pieces.
 *
 * @param piece removes or changes up to `limit` rows and answers how many there were
 */
export async function inPieces(piece: (limit: number) => Promise<number>): Promise<void> {
  while ((await piece(PIECE_ROWS)) >= PIECE_ROWS) await otherWork();
}
