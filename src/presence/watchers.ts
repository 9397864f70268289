import type { Db } from '../db/db.ts';
import type { Events } from '../events/hints.ts';
import type { LogEvent } from '../events/log-events.ts';
import { MAX_UNSENT_BYTES } from '../inbox/delivery.ts';
import { Multimap } from '../multimap.ts';
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
  /** Changes of blocks that came while the blocks are read from the database; null at other times. */
  queuedChanges: ((watcher: Watcher) => void)[] | null;
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
  /** By the user who watches. */
  readonly #byUser = new Multimap<string, Watcher>();
  /** By the user who is watched. */
  readonly #byWatchedUser = new Multimap<string, Watcher>();

  constructor(db: Db, events: Events, visiblePresence: VisiblePresence, lastSeen: LastSeen) {
    this.#db = db;
    this.#visiblePresence = visiblePresence;
    this.#lastSeen = lastSeen;
    events.subscribe((event) => {
      if (event.type === 'inbox') this.#onInboxEvent(event.userId, event.event);
    });
  }

  /** Replaces the watched users of the device. @returns the presence of each */
  async watch(device: WatchingDevice, userIds: readonly string[]): Promise<PresenceState[]> {
    const watcher = this.#watcherOf(device);
    this.#replaceWatched(watcher, new Set(userIds));
    const queuedChanges: Watcher['queuedChanges'] = [];
    watcher.queuedChanges = queuedChanges;
    try {
      const blocks = await readBlocksAmong(this.#db, device.userId, userIds);
      watcher.blocked = blocks.blocked;
      watcher.blockedBy = blocks.blockedBy;
      for (const change of queuedChanges) change(watcher);
      const lastSeen = await this.#readLastSeen(watcher.watched);
      watcher.pendingIds.clear();
      return [...watcher.watched].map((id) => this.#stateFor(watcher, id, lastSeen));
    } catch (error) {
      this.#replaceWatched(watcher, new Set());
      throw error;
    } finally {
      watcher.queuedChanges = null;
    }
  }

  /** Removes a device whose connection has ended. */
  leave(device: WatchingDevice): void {
    const watcher = this.#byDevice.get(device);
    if (!watcher) return;
    this.#replaceWatched(watcher, new Set());
    this.#byDevice.delete(device);
    this.#byUser.delete(device.userId, watcher);
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
  #isReady({ device, pendingIds, queuedChanges }: Watcher): boolean {
    return (
      pendingIds.size > 0 && queuedChanges === null && device.isLive && device.unsentBytes < MAX_UNSENT_BYTES
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

  /** The blocker's devices get nothing about a block but its own frame; the blocked user sees the blocker go offline. */
  #onInboxEvent(blocker: string, event: LogEvent): void {
    if (event.event !== 'block' && event.event !== 'unblock') return;
    const isBlocked = event.event === 'block';
    const blocked = event.data.userId;
    for (const watcher of this.#byUser.get(blocker))
      applyChange(watcher, (own) => {
        if (!isBlocked) own.blocked.delete(blocked);
        else if (own.watched.has(blocked)) own.blocked.add(blocked);
      });
    for (const watcher of this.#byUser.get(blocked))
      applyChange(watcher, (theirs) => {
        if (!theirs.watched.has(blocker)) return;
        if (isBlocked) theirs.blockedBy.add(blocker);
        else theirs.blockedBy.delete(blocker);
        theirs.pendingIds.add(blocker);
      });
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
      queuedChanges: null,
    };
    this.#byDevice.set(device, watcher);
    this.#byUser.add(device.userId, watcher);
    return watcher;
  }

  #replaceWatched(watcher: Watcher, watched: ReadonlySet<string>): void {
    for (const id of watcher.watched) if (!watched.has(id)) this.#byWatchedUser.delete(id, watcher);
    for (const id of watched) this.#byWatchedUser.add(id, watcher);
    watcher.watched = watched;
  }
}

/** Applies the change now, and once more on top of the blocks that are being read, if any are. */
function applyChange(watcher: Watcher, change: (watcher: Watcher) => void): void {
  watcher.queuedChanges?.push(change);
  change(watcher);
}
