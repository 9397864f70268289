import { KeyedStore } from '../../../data/keyed-store.ts';
import type { Readable } from '../../../data/store.ts';

/** A client that types says so once a second; after so long without it, typing has ended. */
const GOOD_FOR_MS = 4_000;

/** Who is typing to the user now. */
export class Typing {
  readonly #ends = new Map<string, ReturnType<typeof setTimeout>>();
  readonly #views = new KeyedStore<boolean>({ view: (peer) => this.#ends.has(peer) });

  of(peer: string): Readable<boolean> {
    return this.#views.of(peer);
  }

  start(peer: string): void {
    clearTimeout(this.#ends.get(peer));
    this.#ends.set(
      peer,
      setTimeout(() => this.end(peer), GOOD_FOR_MS),
    );
    this.#views.refresh(peer);
  }

  /** The user sent a message, or is hidden from now on. */
  end(peer: string): void {
    clearTimeout(this.#ends.get(peer));
    this.#ends.delete(peer);
    this.#views.refresh(peer);
  }

  clear(): void {
    for (const peer of [...this.#ends.keys()]) this.end(peer);
  }
}
