/** What an attentive device saw: its user's inbox up to `seq`. */
export interface Seen {
  readonly userId: string;
  readonly seq: number;
  /** The word by which the user knows the device. */
  readonly device: string;
}

/**
 * Who has an attentive device connected to this process: one that is visible and that somebody uses (architecture 8.1). The
 * sockets tell it; whether somebody is to be told by a push is decided by it.
 */
export class Attention {
  readonly #userOf = new Map<object, string>();
  readonly #attentive = new Map<string, number>();
  #seen = new Map<string, Seen>();
  #onSeen: () => void = () => {};

  /** A connection of the user is attentive from now on, or no longer. */
  set(connection: object, userId: string, attentive: boolean): void {
    if (this.#userOf.has(connection) === attentive) return;
    if (attentive) {
      this.#userOf.set(connection, userId);
      this.#attentive.set(userId, (this.#attentive.get(userId) ?? 0) + 1);
    } else this.gone(connection);
  }

  /** The connection has left. */
  gone(connection: object): void {
    const userId = this.#userOf.get(connection);
    if (userId === undefined) return;
    this.#userOf.delete(connection);
    const count = this.#attentive.get(userId) ?? 0;
    if (count > 1) this.#attentive.set(userId, count - 1);
    else this.#attentive.delete(userId);
  }

  isAttentive(userId: string): boolean {
    return this.#attentive.has(userId);
  }

  /**
   * An attentive device acknowledged the user's inbox up to `seq`, or became attentive having acknowledged that before.
   * What that means for pushes is written down a little later, together with what is seen until then.
   */
  seen(userId: string, seq: number, device: string): void {
    const known = this.#seen.get(userId);
    if (known && known.seq >= seq) return;
    this.#seen.set(userId, { userId, seq, device });
    if (this.#seen.size === 1 && !known) this.#onSeen();
  }

  /** What was seen since the last call. */
  takeSeen(): Seen[] {
    const seen = [...this.#seen.values()];
    this.#seen = new Map();
    return seen;
  }

  /** @param listener called when there is something to take again */
  whenSeen(listener: () => void): void {
    this.#onSeen = listener;
  }
}
