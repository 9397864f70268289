import type { Socket } from '../connection/socket.ts';

/** The service forwards no more often. */
const INTERVAL_MS = 1_000;

/** That the user is typing: sent to each peer at most once a second, and not stored. */
export class Typing {
  readonly #live: () => Socket | undefined;
  readonly #sentAt = new Map<string, number>();

  constructor(live: () => Socket | undefined) {
    this.#live = live;
  }

  /** Another user. */
  reset(): void {
    this.#sentAt.clear();
  }

  send(to: string): void {
    const now = performance.now();
    const socket = this.#live();
    if (!socket || now - (this.#sentAt.get(to) ?? Number.NEGATIVE_INFINITY) < INTERVAL_MS) return;
    this.#sentAt.set(to, now);
    // A request, because an invalid frame without an id ends the connection.
    socket.request({ type: 'typing', to }).catch(() => {});
  }
}
