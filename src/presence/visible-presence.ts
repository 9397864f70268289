import type { Clock } from '../clock.ts';
import type { OnlineUsers } from './online-users.ts';
import type { PresenceState } from './schemas.ts';

/** How long a user whose connection broke still appears online, so that a reload does not flicker (architecture 7). */
const GRACE_MS = 10_000;

interface Grace {
  /** Monotonic milliseconds. */
  readonly endsAt: number;
  readonly wasIdle: boolean;
}

/** The presence of users as watchers see it: with grace, and with the time at which each was last online. */
export class VisiblePresence {
  readonly #onlineUsers: OnlineUsers;
  readonly #clock: Clock;
  /** In the order in which they end. */
  readonly #graces = new Map<string, Grace>();
  #changed = new Set<string>();

  constructor(onlineUsers: OnlineUsers, clock: Clock) {
    this.#onlineUsers = onlineUsers;
    this.#clock = clock;
    onlineUsers.onChange((userId, _online, disconnect) => {
      if (disconnect && !disconnect.saidGoodbye) {
        this.#graces.set(userId, { endsAt: clock.monotonicMs() + GRACE_MS, wasIdle: disconnect.wasIdle });
      } else {
        this.#graces.delete(userId);
        this.#changed.add(userId);
      }
    });
  }

  /** The users whose visible state may have changed since the last call. */
  takeChanged(): ReadonlySet<string> {
    const nowMs = this.#clock.monotonicMs();
    for (const [userId, { endsAt }] of this.#graces) {
      if (endsAt > nowMs) break;
      this.#graces.delete(userId);
      this.#changed.add(userId);
    }
    const changed = this.#changed;
    this.#changed = new Set();
    return changed;
  }

  /** Online, or within the grace. */
  appearsOnline(userId: string): boolean {
    return this.#onlineUsers.isOnline(userId) || this.#graces.has(userId);
  }

  /** @param lastSeen when each user was last online, at least for users who do not appear online */
  stateOf(userId: string, lastSeen: ReadonlyMap<string, number>): PresenceState {
    if (!this.appearsOnline(userId))
      return { id: userId, online: 0, idle: 0, lastSeen: lastSeen.get(userId) ?? 0 };
    const isIdle = this.#graces.get(userId)?.wasIdle ?? this.#onlineUsers.isIdle(userId);
    return { id: userId, online: 1, idle: isIdle ? 1 : 0, lastSeen: 0 };
  }
}
