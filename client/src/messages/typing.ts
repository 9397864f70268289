import type { Link } from '../connection/socket.ts';

/** The service passes it on no more often. */
const EVERY_MS = 1_000;

/** That the user types: told to each at most once a second, and not kept. */
export class Typing {
  readonly #live: () => Link | undefined;
  readonly #toldAt = new Map<string, number>();

  constructor(live: () => Link | undefined) {
    this.#live = live;
  }

  /** Another person. */
  forget(): void {
    this.#toldAt.clear();
  }

  tell(to: string): void {
    const now = performance.now();
    const link = this.#live();
    if (!link || now - (this.#toldAt.get(to) ?? Number.NEGATIVE_INFINITY) < EVERY_MS) return;
    this.#toldAt.set(to, now);
    // A request, because a frame without an id that the service cannot read ends the connection.
    link.request({ type: 'typing', to }).catch(() => {});
  }
}
