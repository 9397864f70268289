/** How a user's last connection ended. */
export interface Leave {
  /** None of the user's connections was active before. */
  readonly wasIdle: boolean;
  /** The user left on purpose, by `bye`. */
  readonly saidBye: boolean;
}

type Listener = (userId: string, online: boolean, leave: Leave | undefined) => void;

/**
 * The users online in this process: those with at least one connection that said `hello` (interface 3.2), idle if none
 * of them is active (architecture 7). No grace here: the HTTP answers say 0 as soon as the last connection is closed.
 */
export class Presence {
  readonly #connections = new Map<string, number>();
  readonly #active = new Map<string, number>();
  readonly #listeners = new Set<Listener>();
  readonly #activityListeners = new Set<(userId: string) => void>();

  connected(userId: string, isActive = true): void {
    const isFirst = add(this.#connections, userId, 1) === 1;
    const isFirstActive = isActive && add(this.#active, userId, 1) === 1;
    if (isFirst) for (const listener of this.#listeners) listener(userId, true, undefined);
    else if (isFirstActive) this.#tellActivity(userId);
  }

  /** @param isActive whether the connection was, when it went */
  disconnected(userId: string, isActive = true, saidBye = false): void {
    if (!this.isOnline(userId)) return;
    const wasIdle = this.isIdle(userId);
    const isLastActive = isActive && add(this.#active, userId, -1) === 0;
    if (add(this.#connections, userId, -1) === 0)
      for (const listener of this.#listeners) listener(userId, false, { wasIdle, saidBye });
    else if (isLastActive) this.#tellActivity(userId);
  }

  /** One of the user's connections has become active, or no longer is. */
  changeActivity(userId: string, isActive: boolean): void {
    const count = add(this.#active, userId, isActive ? 1 : -1);
    if (count === (isActive ? 1 : 0)) this.#tellActivity(userId);
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

  /** Called for each user who comes or goes, before the call that caused it returns. */
  onChange(listener: Listener): void {
    this.#listeners.add(listener);
  }

  /** Called for each user who becomes idle or active while they are online. */
  onActivity(listener: (userId: string) => void): void {
    this.#activityListeners.add(listener);
  }

  #tellActivity(userId: string): void {
    for (const listener of this.#activityListeners) listener(userId);
  }
}

/** @returns the new count; what came to 0 is forgotten */
function add(counts: Map<string, number>, key: string, change: 1 | -1): number {
  const count = Math.max(0, (counts.get(key) ?? 0) + change);
  if (count === 0) counts.delete(key);
  else counts.set(key, count);
  return count;
}
