import type { Link } from '../connection/socket.ts';
import { DoormanError } from '../errors.ts';

const AGAIN_MS = 5_000;

/** How far the user has read, told as soon as it can be: the greatest number of each conversation. */
export class Marks {
  readonly #live: () => Link | undefined;
  #wanted = new Map<string, number>();
  #told = new Map<string, number>();
  #busy = new Set<string>();

  constructor(live: () => Link | undefined) {
    this.#live = live;
  }

  /** Another person. */
  forget(): void {
    this.#wanted = new Map();
    this.#told = new Map();
    this.#busy = new Set();
  }

  read(peer: string, n: number): void {
    if (n <= (this.#told.get(peer) ?? 0) || n <= (this.#wanted.get(peer) ?? 0)) return;
    this.#wanted.set(peer, n);
    this.send();
  }

  /** Tells what is not told yet, if the connection is live. */
  send(): void {
    const link = this.#live();
    if (!link) return;
    for (const [peer, n] of this.#wanted) if (!this.#busy.has(peer)) void this.#sendOne(link, peer, n);
  }

  async #sendOne(link: Link, peer: string, n: number): Promise<void> {
    const [wanted, told, busy] = [this.#wanted, this.#told, this.#busy];
    busy.add(peer);
    try {
      await link.request({ type: 'mark', peer, read: n });
      told.set(peer, n);
    } catch (error) {
      if (!(error instanceof DoormanError)) throw error;
      // Broken off: again on the next connection. The service is in trouble: a little later. Else it would be refused again.
      if (error.code >= 429) setTimeout(() => this.send(), AGAIN_MS);
      if (error.code !== 400 && error.code !== 403 && error.code !== 404) return;
    } finally {
      busy.delete(peer);
    }
    if (wanted.get(peer) === n) wanted.delete(peer);
    if (wanted === this.#wanted) this.send();
  }
}
