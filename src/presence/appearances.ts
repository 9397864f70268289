import type { Clock } from '../clock.ts';
import type { LastSeen } from './last-seen.ts';
import type { Leave, Presence } from './presence.ts';
import type { Sight } from './schemas.ts';

/** How long a user whose connection broke still appears online, so that a reload does not flicker (architecture 7). */
const GRACE_MS = 10_000;

interface Grace {
  /** Monotonic milliseconds. */
  readonly endsAt: number;
  readonly wasIdle: boolean;
}

/** The presence of users as watchers see it: with grace, and when each was last online. */
export class Appearances {
  readonly #presence: Presence;
  readonly #lastSeen: LastSeen;
  readonly #clock: Clock;
  /** In the order in which they end. */
  readonly #graces = new Map<string, Grace>();
  #changed = new Set<string>();

  constructor(presence: Presence, lastSeen: LastSeen, clock: Clock) {
    this.#presence = presence;
    this.#lastSeen = lastSeen;
    this.#clock = clock;
    presence.onActivity((userId) => this.#changed.add(userId));
    presence.onChange((userId, _online, leave) => {
      this.#lastSeen.note(userId, this.#clock.now());
      if (leave) this.#leave(userId, leave);
      else this.#come(userId);
    });
  }

  /** Whose appearance may have changed since the last call. */
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

  appearsOnline(userId: string): boolean {
    return this.#presence.isOnline(userId) || this.#graces.has(userId);
  }

  /** @param lastSeen when each was last there, at least for those who do not appear online */
  show(userId: string, lastSeen: ReadonlyMap<string, number>): Sight {
    if (!this.appearsOnline(userId))
      return { id: userId, online: 0, idle: 0, lastSeen: lastSeen.get(userId) ?? 0 };
    const isIdle = this.#graces.get(userId)?.wasIdle ?? this.#presence.isIdle(userId);
    return { id: userId, online: 1, idle: isIdle ? 1 : 0, lastSeen: 0 };
  }

  #come(userId: string): void {
    this.#graces.delete(userId);
    this.#changed.add(userId);
  }

  #leave(userId: string, { wasIdle, saidBye }: Leave): void {
    if (saidBye) this.#changed.add(userId);
    else this.#graces.set(userId, { endsAt: this.#clock.monotonicMs() + GRACE_MS, wasIdle });
  }
}
