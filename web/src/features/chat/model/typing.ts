import { KeyedStore } from '../../../data/keyed-store.ts';
import type { Readable } from '../../../data/store.ts';

/** A client sends `typing` about once a second; this long after the last one, typing has ended. */
const ENDS_AFTER_MS = 4_000;

/** Which peers are typing to the user. */
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
      setTimeout(() => this.end(peer), ENDS_AFTER_MS),
    );
    this.#views.refresh(peer);
  }

  /** The peer sent a message or was blocked. */
  end(peer: string): void {
    clearTimeout(this.#ends.get(peer));
    this.#ends.delete(peer);
    this.#views.refresh(peer);
  }

  clear(): void {
    for (const peer of [...this.#ends.keys()]) this.end(peer);
  }
}
