import { finished, type Writable } from 'node:stream';
import { KeyCounts } from '../collections/key-counts.ts';
import { overloaded } from '../errors.ts';

const MIB = 1024 * 1024;
const [MAX_OF_USER, MAX_OF_ALL] = [16 * MIB, 128 * MIB];
const MAX_MS = 60_000;

/** Bounds the bytes of answers that their readers have not taken yet: each answer is in memory until then. */
export class UnreadBytes {
  readonly #ofUsers = new KeyCounts();
  #ofAll = 0;

  /**
   * Counts an answer until all of it was written, or its connection has ended, after a minute by force.
   *
   * @throws {ServiceError} `rate-limited`, word `overloaded`
   */
  hold(userId: string, bytes: number, answer: Writable): void {
    if (this.#ofUsers.get(userId) + bytes > MAX_OF_USER || this.#ofAll + bytes > MAX_OF_ALL)
      throw overloaded();
    this.#ofAll += bytes;
    this.#ofUsers.add(userId, bytes);
    const late = setTimeout(() => answer.destroy(), MAX_MS).unref();
    finished(answer, () => {
      clearTimeout(late);
      this.#ofAll -= bytes;
      this.#ofUsers.add(userId, -bytes);
    });
  }
}
