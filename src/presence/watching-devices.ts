import { Multimap } from '../collections/multimap.ts';
import type { OnlineUsers } from './online-users.ts';
import type { PresenceState } from './schemas.ts';

/** A socket as this room sees it. It leaves out users whose `block` frame was written to it. */
export interface WatchingDevice {
  readonly userId: string;
  /** All events before its connection are written. Until then, an `unblock` may be stored that it does not have yet. */
  readonly isLive: boolean;
  /** Bytes that were written and not sent yet. */
  readonly unsentBytes: number;
  writePresence(users: readonly PresenceState[]): void;
}

export interface Watcher {
  readonly device: WatchingDevice;
  watched: ReadonlySet<string>;
  /** The watched users that the device's user blocks. */
  blocked: Set<string>;
  /** The watched users who block the device's user. */
  blockedBy: Set<string>;
  /** The watched users who hide their presence from the device's user, or from whom that user hides theirs. */
  hidden: Set<string>;
  /** The watched users whose state is sent at the next flush. */
  readonly pendingIds: Set<string>;
  /** The users that changes hide while the database is read; null at other times. */
  hiddenMeanwhile: Pick<Watcher, 'blocked' | 'blockedBy' | 'hidden'> | null;
}

/** Which device watches which users. */
export class WatchingDevices {
  readonly #online: Pick<OnlineUsers, 'here'>;
  readonly #byDevice = new Map<object, Watcher>();
  readonly #byWatchedUser = new Multimap<string, Watcher>();

  constructor(online: Pick<OnlineUsers, 'here'>) {
    this.#online = online;
  }

  find(device: WatchingDevice): Watcher | undefined {
    return this.#byDevice.get(device);
  }

  all(): Watcher[] {
    return [...this.#byDevice.values()];
  }

  /** The devices that watch the user. */
  of(userId: string): Iterable<Watcher> {
    return this.#byWatchedUser.get(userId);
  }

  /** The devices that watch the user, and the user's own, once for each user that they watch; `peerId` is the other one of the two. */
  *pairsOf(userId: string): Generator<{ watcher: Watcher; watchedId: string; peerId: string }> {
    for (const watcher of this.of(userId))
      yield { watcher, watchedId: userId, peerId: watcher.device.userId };
    for (const connection of this.#online.here(userId)) {
      const watcher = this.#byDevice.get(connection);
      if (watcher) for (const id of watcher.watched) yield { watcher, watchedId: id, peerId: id };
    }
  }

  setWatched(device: WatchingDevice, watched: ReadonlySet<string>): Watcher {
    const watcher = this.find(device) ?? newWatcher(device);
    this.#byDevice.set(device, watcher);
    for (const id of watcher.watched) if (!watched.has(id)) this.#byWatchedUser.delete(id, watcher);
    for (const id of watched) this.#byWatchedUser.add(id, watcher);
    watcher.watched = watched;
    return watcher;
  }

  remove(device: WatchingDevice): void {
    this.setWatched(device, new Set());
    this.#byDevice.delete(device);
  }
}

function newWatcher(device: WatchingDevice): Watcher {
  return {
    device,
    watched: new Set(),
    blocked: new Set(),
    blockedBy: new Set(),
    hidden: new Set(),
    pendingIds: new Set(),
    hiddenMeanwhile: null,
  };
}
