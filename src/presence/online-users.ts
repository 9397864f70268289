import { KeyCounts } from '../key-counts.ts';

/** How a user's last connection ended. */
export interface Disconnect {
  /** None of the user's connections was active before. */
  readonly wasIdle: boolean;
  /** The user left on purpose, by `bye`. */
  readonly saidGoodbye: boolean;
}

/** @param disconnect only of a user who went offline */
type Listener = (userId: string, online: boolean, disconnect: Disconnect | undefined) => void;

/**
 * The users online in this process: those with at least one connection that said `hello` (interface 3.2). A user is idle if
 * none of their connections is active (architecture 7). There is no grace here: the HTTP answers say 0 as soon as the last
 * connection is closed.
 */
export class OnlineUsers {
  readonly #connections = new KeyCounts();
  readonly #active = new KeyCounts();
  readonly #listeners = new Set<Listener>();
  readonly #activityListeners = new Set<(userId: string) => void>();

  connected(userId: string, isActive = true): void {
    const isFirst = this.#connections.add(userId, 1) === 1;
    const isFirstActive = isActive && this.#active.add(userId, 1) === 1;
    if (isFirst) for (const listener of this.#listeners) listener(userId, true, undefined);
    else if (isFirstActive) this.#notifyActivity(userId);
  }

  /** @param isActive whether the connection was active when it ended */
  disconnected(userId: string, isActive = true, saidGoodbye = false): void {
    if (!this.isOnline(userId)) return;
    const wasIdle = this.isIdle(userId);
    const isLastActive = isActive && this.#active.add(userId, -1) === 0;
    if (this.#connections.add(userId, -1) === 0)
      for (const listener of this.#listeners) listener(userId, false, { wasIdle, saidGoodbye });
    else if (isLastActive) this.#notifyActivity(userId);
  }

  /** One of the user's connections has become active, or is no longer active. */
  changeActivity(userId: string, isActive: boolean): void {
    const count = this.#active.add(userId, isActive ? 1 : -1);
    if (count === (isActive ? 1 : 0)) this.#notifyActivity(userId);
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

  #notifyActivity(userId: string): void {
    for (const listener of this.#activityListeners) listener(userId);
  }
}
