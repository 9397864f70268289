import { KeyCounts } from '../collections/key-counts.ts';

export interface Disconnect {
  /** None of the user's connections was active before. */
  readonly wasIdle: boolean;
  /** The user left on purpose, by `bye`. */
  readonly saidGoodbye: boolean;
}

/** @param disconnect only of a user who went offline */
type Listener = (userId: string, online: boolean, disconnect: Disconnect | undefined) => void;

/** Called when a user gets or loses sockets, by how many, and of these by how many active ones. */
type CountListener = (userId: string, sockets: number, active: number, saidGoodbye: boolean) => void;

/**
 * The users who are online: those with at least one connection that said `hello` (interface 3.2). A user is idle if none of
 * their connections is active (architecture 7). There is no grace here: the HTTP answers say 0 as soon as the last connection
 * is closed. One of these holds the connections of this process; with several nodes another one is the union of all of them.
 */
export class OnlineUsers {
  readonly #connections = new KeyCounts();
  readonly #active = new KeyCounts();
  readonly #listeners = new Set<Listener>();
  readonly #activityListeners = new Set<(userId: string) => void>();
  readonly #countListeners = new Set<CountListener>();

  connected(userId: string, isActive = true): void {
    this.change(userId, 1, isActive ? 1 : 0);
  }

  /** @param isActive whether the connection was active when it ended */
  disconnected(userId: string, isActive = true, saidGoodbye = false): void {
    if (this.isOnline(userId)) this.change(userId, -1, isActive ? -1 : 0, saidGoodbye);
  }

  /** One of the user's connections has become active, or is no longer active. */
  changeActivity(userId: string, isActive: boolean): void {
    this.change(userId, 0, isActive ? 1 : -1);
  }

  /**
   * Adds to the number of the user's connections, and of their active ones.
   *
   * @param saidGoodbye whether the last of them left by `bye`, if this ends it
   */
  change(userId: string, connections: number, active: number, saidGoodbye = false): void {
    const wasOnline = this.isOnline(userId);
    const wasIdle = this.isIdle(userId);
    this.#active.add(userId, active);
    this.#connections.add(userId, connections);
    for (const listener of this.#countListeners) listener(userId, connections, active, saidGoodbye);
    const isOnline = this.isOnline(userId);
    if (isOnline !== wasOnline) {
      const disconnect = isOnline ? undefined : { wasIdle, saidGoodbye };
      for (const listener of this.#listeners) listener(userId, isOnline, disconnect);
    } else if (isOnline && this.isIdle(userId) !== wasIdle)
      for (const listener of this.#activityListeners) listener(userId);
  }

  countsOf(userId: string): { connections: number; active: number } {
    return { connections: this.#connections.get(userId), active: this.#active.get(userId) };
  }

  isOnline(userId: string): boolean {
    return this.#connections.get(userId) > 0;
  }

  isIdle(userId: string): boolean {
    return this.isOnline(userId) && this.#active.get(userId) === 0;
  }

  onlineIds(): string[] {
    return [...this.#connections.keys()];
  }

  /** Called for each user who goes online or offline, before the call that caused it returns. */
  onChange(listener: Listener): void {
    this.#listeners.add(listener);
  }

  /** Called for each user who becomes idle or active while they are online. */
  onActivity(listener: (userId: string) => void): void {
    this.#activityListeners.add(listener);
  }

  /** Called for each change of a user's counts, before the listeners of {@link onChange} and {@link onActivity}. */
  onCount(listener: CountListener): void {
    this.#countListeners.add(listener);
  }
}
