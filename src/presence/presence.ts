type Listener = (userId: string, online: boolean) => void;

/**
 * Who is online in this process: everybody with at least one connection that said `hello` (interface 3.2).
 * No grace here: the HTTP answers say 0 as soon as the last connection is closed (DESIGN 6).
 */
export class Presence {
  readonly #connections = new Map<string, number>();
  readonly #listeners = new Set<Listener>();

  connected(userId: string): void {
    const count = this.#connections.get(userId) ?? 0;
    this.#connections.set(userId, count + 1);
    if (count === 0) this.#tell(userId, true);
  }

  disconnected(userId: string): void {
    const count = this.#connections.get(userId) ?? 0;
    if (count > 1) this.#connections.set(userId, count - 1);
    else if (this.#connections.delete(userId)) this.#tell(userId, false);
  }

  isOnline(userId: string): boolean {
    return this.#connections.has(userId);
  }

  onlineIds(): string[] {
    return [...this.#connections.keys()];
  }

  /** Hears of every change at once, before the call that made it returns. */
  onChange(listener: Listener): void {
    this.#listeners.add(listener);
  }

  #tell(userId: string, online: boolean): void {
    for (const listener of this.#listeners) listener(userId, online);
  }
}
