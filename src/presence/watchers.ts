import { Multimap } from '../collections/multimap.ts';
import type { Db } from '../db/db.ts';
import type { Events } from '../events/hints.ts';
import { MAX_UNSENT_BYTES } from '../inbox/delivery.ts';
import { readBlocksAmong } from '../relations/blocks.ts';
import type { LastSeen } from './last-seen.ts';
import type { PresenceState } from './schemas.ts';
import type { VisiblePresence } from './visible-presence.ts';

/** A socket as this room sees it. It leaves out users whose `block` frame was written to it. */
export interface WatchingDevice {
  readonly userId: string;
  /** All events before its connection are written. Until then, an `unblock` may be stored that it does not have yet. */
  readonly isLive: boolean;
  /** Bytes that were written and not sent yet. */
  readonly unsentBytes: number;
  writePresence(users: readonly PresenceState[]): void;
}

interface Watcher {
  readonly device: WatchingDevice;
  watched: ReadonlySet<string>;
  /** The watched users that the device's user blocks. */
  blocked: Set<string>;
  /** The watched users who block the device's user. */
  blockedBy: Set<string>;
  /** The watched users whose state is sent at the next flush. */
  readonly pendingIds: Set<string>;
  /** The users that changed blocks hide while the blocks are read from the database; null at other times. */
  hiddenMeanwhile: { readonly blocked: Set<string>; readonly blockedBy: Set<string> } | null;
}

/**
 * Which device watches which users. Changes are collected and sent once a second, only the last state of each user, and only
 * to devices that watch them. While one of two users blocks the other, each appears offline to the other, as if never seen
 * (architecture 6).
 */
export class Watchers {
  readonly #db: Db;
  readonly #visiblePresence: VisiblePresence;
  readonly #lastSeen: LastSeen;
  readonly #byDevice = new Map<WatchingDevice, Watcher>();
  readonly #byWatchedUser = new Multimap<string, Watcher>();
  /** Devices whose blocks changed: they are read from the database at the next flush. */
  readonly #outdated = new Set<Watcher>();

  constructor(db: Db, events: Events, visiblePresence: VisiblePresence, lastSeen: LastSeen) {
    this.#db = db;
    this.#visiblePresence = visiblePresence;
    this.#lastSeen = lastSeen;
    events.subscribe((event) => {
      if (event.type === 'block-changed') this.#onBlockChange(event.blockerId, event.blockedId);
    });
  }

  /** Replaces the watched users of the device. @returns the presence of each */
  async watch(device: WatchingDevice, userIds: readonly string[]): Promise<PresenceState[]> {
    const watcher = this.#watcherOf(device);
    this.#replaceWatched(watcher, new Set(userIds));
    try {
      return await this.#readBlocks(watcher, async () => {
        const lastSeen = await this.#readLastSeen(watcher.watched);
        watcher.pendingIds.clear();
        return [...watcher.watched].map((id) => this.#stateFor(watcher, id, lastSeen));
      });
    } catch (error) {
      this.#replaceWatched(watcher, new Set());
      throw error;
    }
  }

  leave(device: WatchingDevice): void {
    const watcher = this.#byDevice.get(device);
    if (!watcher) return;
    this.#replaceWatched(watcher, new Set());
    this.#byDevice.delete(device);
    this.#outdated.delete(watcher);
  }

  /** The `unblock` frame was written to the device: from here on it gets the presence of `userId` again. */
  resumeShowing(device: WatchingDevice, userId: string): void {
    const watcher = this.#byDevice.get(device);
    if (watcher?.watched.has(userId)) watcher.pendingIds.add(userId);
  }

  /** Sends what changed since the last flush, and stores when users were last online. */
  async flush(): Promise<void> {
    for (const userId of this.#visiblePresence.takeChanged())
      for (const watcher of this.#byWatchedUser.get(userId)) watcher.pendingIds.add(userId);
    await this.#refreshOutdated();
    const ready = [...this.#byDevice.values()].filter((watcher) => this.#isReady(watcher));
    const lastSeen = await this.#readLastSeen(ready.flatMap((watcher) => [...watcher.pendingIds]));
    for (const watcher of ready) {
      if (!this.#isReady(watcher)) continue;
      const users = [...watcher.pendingIds]
        .filter((id) => !watcher.blocked.has(id))
        .map((id) => this.#stateFor(watcher, id, lastSeen));
      watcher.pendingIds.clear();
      if (users.length > 0) watcher.device.writePresence(users);
    }
    await this.#lastSeen.write();
  }

  /** A device with much unsent output gets presence at a later flush: only the last state counts. */
  #isReady({ device, pendingIds, hiddenMeanwhile }: Watcher): boolean {
    return (
      pendingIds.size > 0 &&
      hiddenMeanwhile === null &&
      device.isLive &&
      device.unsentBytes < MAX_UNSENT_BYTES
    );
  }

  #stateFor(watcher: Watcher, id: string, lastSeen: ReadonlyMap<string, number>): PresenceState {
    if (watcher.blocked.has(id) || watcher.blockedBy.has(id)) return { id, online: 0, idle: 0, lastSeen: 0 };
    return this.#visiblePresence.stateOf(id, lastSeen);
  }

  async #readLastSeen(userIds: Iterable<string>): Promise<Map<string, number>> {
    const offline = new Set(userIds).values().filter((id) => !this.#visiblePresence.appearsOnline(id));
    return this.#lastSeen.read([...offline]);
  }

  /** Reads the blocks of the devices whose blocks changed, and shows the users that were hidden only meanwhile. */
  async #refreshOutdated(): Promise<void> {
    for (const watcher of this.#outdated) {
      if (watcher.hiddenMeanwhile !== null) continue; // `watch` is reading them, perhaps from before the change
      const { blocked, blockedBy } = watcher;
      this.#outdated.delete(watcher);
      try {
        await this.#readBlocks(watcher, () => {
          for (const id of blocked.difference(watcher.blocked)) watcher.pendingIds.add(id);
          for (const id of blockedBy.symmetricDifference(watcher.blockedBy)) watcher.pendingIds.add(id);
        });
      } catch (error) {
        this.#outdated.add(watcher);
        throw error;
      }
    }
  }

  /**
   * Reads which of the watched users are hidden. What is hidden while the database answers stays hidden until the next time. Nothing
   * is sent to the device before `use` has ended.
   */
  async #readBlocks<T>(watcher: Watcher, use: () => Promise<T> | T): Promise<T> {
    const hidden = { blocked: new Set<string>(), blockedBy: new Set<string>() };
    watcher.hiddenMeanwhile = hidden;
    try {
      const read = await readBlocksAmong(this.#db, watcher.device.userId, [...watcher.watched]);
      // Otherwise the device has begun to watch other users, and their blocks are read.
      if (watcher.hiddenMeanwhile === hidden) {
        watcher.blocked = read.blocked.union(hidden.blocked);
        watcher.blockedBy = read.blockedBy.union(hidden.blockedBy);
      }
      return await use();
    } finally {
      if (watcher.hiddenMeanwhile === hidden) watcher.hiddenMeanwhile = null;
    }
  }

  /**
   * Hides the two users from each other until their blocks are read again, whichever way the change went: those of several nodes may
   * come out of order. The blocker's devices get nothing about a block but its own frame; the blocked user sees the blocker go offline.
   */
  #onBlockChange(blockerId: string, blockedId: string): void {
    for (const watcher of this.#byWatchedUser.get(blockedId)) {
      if (watcher.device.userId !== blockerId) continue;
      watcher.blocked.add(blockedId);
      watcher.hiddenMeanwhile?.blocked.add(blockedId);
      this.#outdated.add(watcher);
    }
    for (const watcher of this.#byWatchedUser.get(blockerId)) {
      if (watcher.device.userId !== blockedId) continue;
      watcher.blockedBy.add(blockerId);
      watcher.hiddenMeanwhile?.blockedBy.add(blockerId);
      watcher.pendingIds.add(blockerId);
      this.#outdated.add(watcher);
    }
  }

  #watcherOf(device: WatchingDevice): Watcher {
    const known = this.#byDevice.get(device);
    if (known) return known;
    const watcher: Watcher = {
      device,
      watched: new Set(),
      blocked: new Set(),
      blockedBy: new Set(),
      pendingIds: new Set(),
      hiddenMeanwhile: null,
    };
    this.#byDevice.set(device, watcher);
    return watcher;
  }

  #replaceWatched(watcher: Watcher, watched: ReadonlySet<string>): void {
    for (const id of watcher.watched) if (!watched.has(id)) this.#byWatchedUser.delete(id, watcher);
    for (const id of watched) this.#byWatchedUser.add(id, watcher);
    watcher.watched = watched;
  }
}
