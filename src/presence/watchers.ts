import type { Db } from '../db/db.ts';
import type { Events } from '../events/hints.ts';
import type { LogEvent } from '../events/log-events.ts';
import { readBlocksAmong } from '../relations/blocks.ts';
import type { Appearances } from './appearances.ts';
import type { LastSeen } from './last-seen.ts';
import type { Sight } from './schemas.ts';

/** A device whose output waits beyond this hears of presence later: only the last state counts. */
const MAX_UNSENT_BYTES = 64 * 1024;

/** A socket as this room sees it. It leaves out users whom the `block` frames written to it name. */
export interface WatchingDevice {
  readonly userId: string;
  /** It has all of the past; before, a block may be lifted here that still stands for the device. */
  readonly isLive: boolean;
  /** Bytes that were written and did not leave yet. */
  readonly unsentBytes: number;
  writePresence(users: readonly Sight[]): void;
}

interface Watcher {
  readonly device: WatchingDevice;
  watched: ReadonlySet<string>;
  /** Of the watched ones. */
  blocked: Set<string>;
  blockedBy: Set<string>;
  /** Of the watched ones: those whose state this device has yet to get. */
  readonly untold: Set<string>;
  /** While the blocks are read: what changes meanwhile. */
  news: ((watcher: Watcher) => void)[] | null;
}

/**
 * Which device watches which users. Changes are gathered and sent once a second, the last state only, to watching devices
 * alone. Two users of whom one blocks the other appear offline to each other, as if never seen (architecture 6).
 */
export class Watchers {
  readonly #db: Db;
  readonly #appearances: Appearances;
  readonly #lastSeen: LastSeen;
  readonly #ofDevice = new Map<WatchingDevice, Watcher>();
  /** By the one who watches, and by the one who is watched. */
  readonly #ofUser = new Map<string, Set<Watcher>>();
  readonly #watching = new Map<string, Set<Watcher>>();

  constructor(db: Db, events: Events, appearances: Appearances, lastSeen: LastSeen) {
    this.#db = db;
    this.#appearances = appearances;
    this.#lastSeen = lastSeen;
    events.subscribe((event) => {
      if (event.type === 'inbox') this.#learn(event.userId, event.event);
    });
  }

  /** Replaces the watched users of the device. @returns the presence of each */
  async watch(device: WatchingDevice, userIds: readonly string[]): Promise<Sight[]> {
    const watcher = this.#enrol(device);
    this.#replace(watcher, new Set(userIds));
    const news: Watcher['news'] = [];
    watcher.news = news;
    try {
      const blocks = await readBlocksAmong(this.#db, device.userId, userIds);
      watcher.blocked = blocks.blocked;
      watcher.blockedBy = blocks.blockedBy;
      for (const change of news) change(watcher);
      const lastSeen = await this.#readLastSeen(watcher.watched);
      watcher.untold.clear();
      return [...watcher.watched].map((id) => this.#show(watcher, id, lastSeen));
    } catch (error) {
      this.#replace(watcher, new Set());
      throw error;
    } finally {
      watcher.news = null;
    }
  }

  leave(device: WatchingDevice): void {
    const watcher = this.#ofDevice.get(device);
    if (!watcher) return;
    this.#replace(watcher, new Set());
    this.#ofDevice.delete(device);
    withdraw(this.#ofUser, device.userId, watcher);
  }

  /** The `unblock` frame was written to the device: from here on it may hear of `userId` again. */
  showAgain(device: WatchingDevice, userId: string): void {
    const watcher = this.#ofDevice.get(device);
    if (watcher?.watched.has(userId)) watcher.untold.add(userId);
  }

  /** Sends what changed since the last run. */
  async tell(): Promise<void> {
    for (const userId of this.#appearances.takeChanged())
      for (const watcher of this.#watching.get(userId) ?? []) watcher.untold.add(userId);
    const toTell = [...this.#ofDevice.values()].filter((watcher) => this.#isReady(watcher));
    const lastSeen = await this.#readLastSeen(toTell.flatMap((watcher) => [...watcher.untold]));
    for (const watcher of toTell) {
      if (!this.#isReady(watcher)) continue;
      const users = [...watcher.untold]
        .filter((id) => !watcher.blocked.has(id))
        .map((id) => this.#show(watcher, id, lastSeen));
      watcher.untold.clear();
      if (users.length > 0) watcher.device.writePresence(users);
    }
    await this.#lastSeen.write();
  }

  #isReady({ device, untold, news }: Watcher): boolean {
    return untold.size > 0 && news === null && device.isLive && device.unsentBytes < MAX_UNSENT_BYTES;
  }

  #show(watcher: Watcher, id: string, lastSeen: ReadonlyMap<string, number>): Sight {
    if (watcher.blocked.has(id) || watcher.blockedBy.has(id)) return { id, online: 0, idle: 0, lastSeen: 0 };
    return this.#appearances.show(id, lastSeen);
  }

  async #readLastSeen(userIds: Iterable<string>): Promise<Map<string, number>> {
    const offline = new Set(userIds).values().filter((id) => !this.#appearances.appearsOnline(id));
    return this.#lastSeen.read([...offline]);
  }

  /** The blocker's devices get nothing about it but the frame itself; to the blocked user, the blocker goes offline. */
  #learn(blocker: string, event: LogEvent): void {
    if (event.event !== 'block' && event.event !== 'unblock') return;
    const isBlocked = event.event === 'block';
    const blocked = event.data.userId;
    for (const watcher of this.#ofUser.get(blocker) ?? [])
      change(watcher, (one) => {
        if (!isBlocked) one.blocked.delete(blocked);
        else if (one.watched.has(blocked)) one.blocked.add(blocked);
      });
    for (const watcher of this.#ofUser.get(blocked) ?? [])
      change(watcher, (one) => {
        if (!one.watched.has(blocker)) return;
        if (isBlocked) one.blockedBy.add(blocker);
        else one.blockedBy.delete(blocker);
        one.untold.add(blocker);
      });
  }

  #enrol(device: WatchingDevice): Watcher {
    const known = this.#ofDevice.get(device);
    if (known) return known;
    const watcher: Watcher = {
      device,
      watched: new Set(),
      blocked: new Set(),
      blockedBy: new Set(),
      untold: new Set(),
      news: null,
    };
    this.#ofDevice.set(device, watcher);
    add(this.#ofUser, device.userId, watcher);
    return watcher;
  }

  #replace(watcher: Watcher, watched: ReadonlySet<string>): void {
    for (const id of watcher.watched) if (!watched.has(id)) withdraw(this.#watching, id, watcher);
    for (const id of watched) add(this.#watching, id, watcher);
    watcher.watched = watched;
  }
}

/** Makes the change; on a watcher whose blocks are being read, again on top of what was read. */
function change(watcher: Watcher, make: (watcher: Watcher) => void): void {
  watcher.news?.push(make);
  make(watcher);
}

function add(groups: Map<string, Set<Watcher>>, key: string, watcher: Watcher): void {
  const group = groups.get(key);
  if (group) group.add(watcher);
  else groups.set(key, new Set([watcher]));
}

function withdraw(groups: Map<string, Set<Watcher>>, key: string, watcher: Watcher): void {
  const group = groups.get(key);
  group?.delete(watcher);
  if (group?.size === 0) groups.delete(key);
}
