import type { Db } from '../db/db.ts';
import type { Events } from '../events/hints.ts';
import { MAX_UNSENT_BYTES } from '../inbox/delivery.ts';
import { readBlocksAmong } from '../relations/blocks.ts';
import type { LastSeen } from './last-seen.ts';
import type { OnlineUsers } from './online-users.ts';
import type { PresenceState } from './schemas.ts';
import type { VisiblePresence } from './visible-presence.ts';
import { type Watcher, type WatchingDevice, WatchingDevices } from './watching-devices.ts';
import { readHiddenAmong } from './who-sees.ts';

/** Peers in one statement about a user who changed. */
const PEERS_AT_ONCE = 500;
/** Devices that are read again in one flush, so that an operator's command does not hold up the presence of others. */
const OUTDATED_AT_ONCE = 200;

/**
 * Which device watches which users. Changes are collected and sent once a second, only the last state of each user, and only
 * to devices that watch them. While one of two users blocks the other, or does not show them their presence, each appears offline to
 * the other, as if never seen (architecture 6 and 7).
 */
export class Watchers {
  readonly #db: Db;
  readonly #devices: WatchingDevices;
  readonly #visiblePresence: VisiblePresence;
  readonly #lastSeen: LastSeen;
  /** Devices of which it is read again at the next flush who is hidden from them. Until then nothing is sent to them. */
  readonly #outdated = new Set<Watcher>();
  /**
   * Users of whom it changed who sees them, each with a mark of the last change: it is read at the next flush. Until then nothing is
   * sent of them, nor of others to them.
   */
  readonly #changed = new Map<string, symbol>();

  constructor(
    db: Db,
    events: Events,
    online: Pick<OnlineUsers, 'here'>,
    visiblePresence: VisiblePresence,
    lastSeen: LastSeen,
  ) {
    this.#db = db;
    this.#devices = new WatchingDevices(online);
    this.#visiblePresence = visiblePresence;
    this.#lastSeen = lastSeen;
    events.subscribe((event) => {
      if (event.type === 'block-changed') this.#onBlockChange(event.blockerId, event.blockedId);
      else if (event.type === 'user-changed' && event.changesPresence) {
        if (!this.#devices.pairsOf(event.userId).next().done) this.#changed.set(event.userId, Symbol());
      } else if (event.type === 'external-change')
        for (const watcher of this.#devices.all()) this.#outdated.add(watcher);
    });
  }

  /** Replaces the watched users of the device. @returns the presence of each */
  async watch(device: WatchingDevice, userIds: readonly string[]): Promise<PresenceState[]> {
    const watcher = this.#devices.setWatched(device, new Set(userIds));
    try {
      return await this.#readHidden(watcher, async () => {
        const lastSeen = await this.#readLastSeen(watcher.watched);
        watcher.pendingIds.clear();
        // Shown at a flush, if they turn out to be visible.
        for (const id of watcher.watched) if (this.#isUndecided(watcher, id)) watcher.hidden.add(id);
        return [...watcher.watched].map((id) => this.#stateFor(watcher, id, lastSeen));
      });
    } catch (error) {
      this.#devices.setWatched(device, new Set());
      throw error;
    }
  }

  leave(device: WatchingDevice): void {
    const watcher = this.#devices.find(device);
    if (!watcher) return;
    this.#devices.remove(device);
    this.#outdated.delete(watcher);
  }

  /** The `unblock` frame was written to the device: from here on it gets the presence of `userId` again. */
  resumeShowing(device: WatchingDevice, userId: string): void {
    const watcher = this.#devices.find(device);
    if (watcher?.watched.has(userId)) watcher.pendingIds.add(userId);
  }

  /** Sends what changed since the last flush, and stores when users were last online. */
  async flush(): Promise<void> {
    // A frame would show that they came or went.
    for (const userId of this.#visiblePresence.takeChanged())
      for (const watcher of this.#devices.of(userId))
        if (!this.#isHidden(watcher, userId)) watcher.pendingIds.add(userId);
    await this.#refreshOutdated();
    await this.#refreshChanged();
    const ready = this.#devices.all().filter((watcher) => this.#isReady(watcher));
    const lastSeen = await this.#readLastSeen(ready.flatMap((watcher) => [...watcher.pendingIds]));
    for (const watcher of ready) {
      if (!this.#isReady(watcher)) continue;
      const ids = [...watcher.pendingIds].filter((id) => !this.#isUndecided(watcher, id));
      for (const id of ids) watcher.pendingIds.delete(id);
      const users = ids
        .filter((id) => !watcher.blocked.has(id))
        .map((id) => this.#stateFor(watcher, id, lastSeen));
      if (users.length > 0) watcher.device.writePresence(users);
    }
    await this.#lastSeen.write();
  }

  /** A device with much unsent output gets presence at a later flush: only the last state counts. */
  #isReady(watcher: Watcher): boolean {
    const { device, pendingIds, hiddenMeanwhile } = watcher;
    return (
      pendingIds.size > 0 &&
      hiddenMeanwhile === null &&
      !this.#outdated.has(watcher) &&
      device.isLive &&
      device.unsentBytes < MAX_UNSENT_BYTES
    );
  }

  #stateFor(watcher: Watcher, id: string, lastSeen: ReadonlyMap<string, number>): PresenceState {
    if (watcher.blocked.has(id) || this.#isHidden(watcher, id))
      return { id, online: 0, idle: 0, lastSeen: 0 };
    return this.#visiblePresence.stateOf(id, lastSeen);
  }

  #isHidden({ blockedBy, hidden }: Watcher, id: string): boolean {
    return blockedBy.has(id) || hidden.has(id);
  }

  #isUndecided({ device }: Watcher, id: string): boolean {
    return this.#changed.has(id) || this.#changed.has(device.userId);
  }

  async #readLastSeen(userIds: Iterable<string>): Promise<Map<string, number>> {
    const offline = new Set(userIds).values().filter((id) => !this.#visiblePresence.appearsOnline(id));
    return this.#lastSeen.read([...offline]);
  }

  /** Reads who is hidden from the outdated devices, and shows the users that were hidden only meanwhile. */
  async #refreshOutdated(): Promise<void> {
    for (const watcher of [...this.#outdated].slice(0, OUTDATED_AT_ONCE)) {
      if (watcher.hiddenMeanwhile !== null) continue; // `watch` is reading them, perhaps from before the change
      const { blocked, blockedBy, hidden } = watcher;
      this.#outdated.delete(watcher);
      try {
        await this.#readHidden(watcher, () => {
          for (const id of blocked.difference(watcher.blocked)) watcher.pendingIds.add(id);
          for (const id of blockedBy.symmetricDifference(watcher.blockedBy)) watcher.pendingIds.add(id);
          for (const id of hidden.symmetricDifference(watcher.hidden)) watcher.pendingIds.add(id);
        });
      } catch (error) {
        this.#outdated.add(watcher);
        throw error;
      }
    }
  }

  /** Decides of the users who changed, and of all who watch them or whom they watch here, who sees whom: a statement for each. */
  async #refreshChanged(): Promise<void> {
    for (const [userId, change] of this.#changed) {
      const peerIds = new Set<string>();
      for (const { peerId } of this.#devices.pairsOf(userId)) peerIds.add(peerId);
      const ids = [...peerIds];
      const hidden = new Set<string>();
      for (let at = 0; at < ids.length; at += PEERS_AT_ONCE)
        for (const id of await readHiddenAmong(this.#db, userId, ids.slice(at, at + PEERS_AT_ONCE)))
          hidden.add(id);
      if (this.#changed.get(userId) !== change) continue; // again, perhaps after it was read
      this.#changed.delete(userId);
      for (const { watcher, watchedId, peerId } of this.#devices.pairsOf(userId))
        if (peerIds.has(peerId)) this.#setHidden(watcher, watchedId, hidden.has(peerId));
        else this.#outdated.add(watcher); // it has begun to watch meanwhile: `watch` hid what was not decided
    }
  }

  #setHidden(watcher: Watcher, id: string, isHidden: boolean): void {
    if (watcher.hiddenMeanwhile) {
      // What is being read may be from before the change.
      watcher.hidden.add(id);
      watcher.hiddenMeanwhile.hidden.add(id);
      this.#outdated.add(watcher);
    } else if (watcher.hidden.has(id) === isHidden) return;
    else if (isHidden) watcher.hidden.add(id);
    else watcher.hidden.delete(id);
    watcher.pendingIds.add(id);
  }

  /**
   * Reads which of the watched users are hidden. What is hidden while the database answers stays hidden until the next time. Nothing
   * is sent to the device before `use` has ended.
   */
  async #readHidden<T>(watcher: Watcher, use: () => Promise<T> | T): Promise<T> {
    const meanwhile = { blocked: new Set<string>(), blockedBy: new Set<string>(), hidden: new Set<string>() };
    watcher.hiddenMeanwhile = meanwhile;
    try {
      const { userId } = watcher.device;
      const watchedIds = [...watcher.watched];
      const [blocks, hidden] = await Promise.all([
        readBlocksAmong(this.#db, userId, watchedIds),
        readHiddenAmong(this.#db, userId, watchedIds),
      ]);
      // Otherwise the device has begun to watch other users, and their blocks are read.
      if (watcher.hiddenMeanwhile === meanwhile) {
        watcher.blocked = blocks.blocked.union(meanwhile.blocked);
        watcher.blockedBy = blocks.blockedBy.union(meanwhile.blockedBy);
        watcher.hidden = hidden.union(meanwhile.hidden);
      }
      return await use();
    } finally {
      if (watcher.hiddenMeanwhile === meanwhile) watcher.hiddenMeanwhile = null;
    }
  }

  /**
   * Hides the two users from each other until their blocks are read again, whichever way the change went: those of several nodes may
   * come out of order. The blocker's devices get nothing about a block but its own frame; the blocked user sees the blocker go offline.
   */
  #onBlockChange(blockerId: string, blockedId: string): void {
    for (const watcher of this.#devices.of(blockedId)) {
      if (watcher.device.userId !== blockerId) continue;
      watcher.blocked.add(blockedId);
      watcher.hiddenMeanwhile?.blocked.add(blockedId);
      this.#outdated.add(watcher);
    }
    for (const watcher of this.#devices.of(blockerId)) {
      if (watcher.device.userId !== blockedId) continue;
      watcher.blockedBy.add(blockerId);
      watcher.hiddenMeanwhile?.blockedBy.add(blockerId);
      watcher.pendingIds.add(blockerId);
      this.#outdated.add(watcher);
    }
  }
}
