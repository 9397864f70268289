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
  readonly #connections = new Map<string, number>();
  readonly #active = new Map<string, number>();
  readonly #listeners = new Set<Listener>();
  readonly #activityListeners = new Set<(userId: string) => void>();

  connected(userId: string, isActive = true): void {
    const isFirst = add(this.#connections, userId, 1) === 1;
    const isFirstActive = isActive && add(this.#active, userId, 1) === 1;
    if (isFirst) for (const listener of this.#listeners) listener(userId, true, undefined);
    else if (isFirstActive) this.#notifyActivity(userId);
  }

  /** @param isActive whether the connection was active when it ended */
  disconnected(userId: string, isActive = true, saidGoodbye = false): void {
    if (!this.isOnline(userId)) return;
    const wasIdle = this.isIdle(userId);
    const isLastActive = isActive && add(this.#active, userId, -1) === 0;
    if (add(this.#connections, userId, -1) === 0)
      for (const listener of this.#listeners) listener(userId, false, { wasIdle, saidGoodbye });
    else if (isLastActive) this.#notifyActivity(userId);
  }

  /** One of the user's connections has become active, or is no longer active. */
  changeActivity(userId: string, isActive: boolean): void {
    const count = add(this.#active, userId, isActive ? 1 : -1);
    if (count === (isActive ? 1 : 0)) this.#notifyActivity(userId);
  }

  isOnline(userId: string): boolean {
    return this.#connections.has(userId);
  }

  isIdle(userId: string): boolean {
    return this.isOnline(userId) && !this.#active.has(userId);
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

/** @returns the new count; a key whose count is 0 is removed */
function add(counts: Map<string, number>, key: string, change: 1 | -1): number {
  const count = Math.max(0, (counts.get(key) ?? 0) + change);
  if (count === 0) counts.delete(key);
  else counts.set(key, count);
  return count;
}
