import type { Db } from '../db/db.ts';
import type { Events } from '../events/hints.ts';
import type { LogEvent } from '../events/log-events.ts';
import { readEvents, readHeads } from './inbox.ts';

/** A device is given more of the log only while less than this of its output waits (architecture 4). */
const MAX_UNSENT_BYTES = 64 * 1024;
const PAGE = 100;
const USERS_AT_ONCE = 1_000;
/** How long an answer waits for slow devices of the caller. */
const WRITTEN_WITHIN_MS = 1_000;

/** A socket as the log sees it. */
export interface Device {
  readonly userId: string;
  /** Bytes that were written and did not leave yet. */
  readonly unsentBytes: number;
  writeEvent(event: LogEvent): void;
  /** Everything that was in the log when the device came is written; from here on it is served as things happen. */
  goLive(): void;
  /** The log no longer has the event that comes next: it was away, or too slow, for too long. */
  lose(): void;
}

interface Reader {
  readonly device: Device;
  /** The number of the last event written. */
  cursor: number;
  /** The greatest number that was heard of. */
  heard: number;
  /** The head when the device came. */
  readonly liveAt: number;
  isLive: boolean;
  /** The log is being read for it, or waits until its output drained. */
  isBehind: boolean;
  isReading: boolean;
}

/**
 * Serves each user's log to the user's devices in this process, in order and without gaps. A device has a cursor, not a queue:
 * what it does not take stays in the log, so a slow one costs no memory.
 */
export class Delivery {
  readonly #db: Db;
  readonly #onFault: (error: unknown) => void;
  readonly #readers = new Map<string, Set<Reader>>();
  readonly #ofDevice = new Map<Device, Reader>();
  readonly #waiters = new Set<() => void>();

  /** @param onFault called when the log could not be read; the next event or sweep tries again */
  constructor(db: Db, events: Events, onFault: (error: unknown) => void) {
    this.#db = db;
    this.#onFault = onFault;
    events.subscribe((event) => {
      if (event.type !== 'inbox') return;
      for (const reader of this.#readers.get(event.userId) ?? []) this.#offer(reader, event.event);
    });
  }

  /** Serves `device` from the event after `cursor` on; it is live once it was written up to `head`. */
  join(device: Device, cursor: number, head: number): void {
    const reader: Reader = {
      device,
      cursor,
      heard: head,
      liveAt: head,
      isLive: false,
      isBehind: true,
      isReading: false,
    };
    const readers = this.#readers.get(device.userId);
    if (readers) readers.add(reader);
    else this.#readers.set(device.userId, new Set([reader]));
    this.#ofDevice.set(device, reader);
    this.#read(reader);
  }

  leave(device: Device): void {
    const reader = this.#ofDevice.get(device);
    if (!reader) return;
    this.#ofDevice.delete(device);
    const readers = this.#readers.get(device.userId);
    readers?.delete(reader);
    if (readers?.size === 0) this.#readers.delete(device.userId);
    this.#tellWaiters();
  }

  /** Some output of the device has left. */
  drained(device: Device): void {
    const reader = this.#ofDevice.get(device);
    if (reader?.isBehind) this.#read(reader);
  }

  /**
   * Waits until the user's devices here were written up to `seq`, so that an answer does not come before its event. A
   * device that does not read its output delays the answer by at most a second.
   */
  async writtenUpTo(userId: string, seq: number): Promise<void> {
    const isWritten = () => [...(this.#readers.get(userId) ?? [])].every((reader) => reader.cursor >= seq);
    if (isWritten()) return;
    await new Promise<void>((resolve) => {
      const end = () => {
        clearTimeout(timer);
        this.#waiters.delete(check);
        resolve();
      };
      const check = () => {
        if (isWritten()) end();
      };
      const timer = setTimeout(end, WRITTEN_WITHIN_MS);
      this.#waiters.add(check);
    });
  }

  /** Finds devices that missed a hint, by asking the database for the heads of all users served here. */
  async sweep(): Promise<void> {
    const userIds = [...this.#readers.keys()];
    for (let i = 0; i < userIds.length; i += USERS_AT_ONCE) {
      const heads = await readHeads(this.#db, userIds.slice(i, i + USERS_AT_ONCE));
      for (const [userId, head] of heads)
        for (const reader of this.#readers.get(userId) ?? [])
          if (reader.cursor < head || reader.isBehind) this.#read(reader);
    }
  }

  #offer(reader: Reader, event: LogEvent): void {
    if (event.seq <= reader.cursor) return;
    reader.heard = Math.max(reader.heard, event.seq);
    if (!reader.isBehind && event.seq === reader.cursor + 1 && reader.device.unsentBytes < MAX_UNSENT_BYTES)
      this.#write(reader, event);
    else this.#read(reader);
  }

  #write(reader: Reader, event: LogEvent): void {
    reader.cursor = event.seq;
    reader.device.writeEvent(event);
    this.#tellWaiters();
  }

  #read(reader: Reader): void {
    reader.isBehind = true;
    if (reader.isReading) return;
    reader.isReading = true;
    this.#readOn(reader)
      .catch(this.#onFault)
      .finally(() => {
        reader.isReading = false;
      });
  }

  async #readOn(reader: Reader): Promise<void> {
    const { device } = reader;
    let wasEmpty = false;
    while (device.unsentBytes < MAX_UNSENT_BYTES) {
      const events = await readEvents(this.#db, device.userId, reader.cursor, PAGE);
      if (this.#ofDevice.get(device) !== reader) return;
      const [next] = events;
      // From 0 on means all that is kept; elsewhere a gap is what was trimmed meanwhile.
      if (next && next.seq !== reader.cursor + 1 && reader.cursor > 0) return device.lose();
      for (const event of events) {
        if (device.unsentBytes >= MAX_UNSENT_BYTES) return;
        this.#write(reader, event);
        if (this.#ofDevice.get(device) !== reader) return;
      }
      if (device.unsentBytes >= MAX_UNSENT_BYTES) return;
      if (!reader.isLive && reader.cursor >= reader.liveAt) {
        reader.isLive = true;
        device.goLive();
      }
      if (events.length > 0) continue;
      if (reader.heard <= reader.cursor) {
        reader.isBehind = false;
        return;
      }
      // What was heard of while the log was read may not have been in it yet; now it is, or it was trimmed.
      if (wasEmpty) return device.lose();
      wasEmpty = true;
    }
  }

  #tellWaiters(): void {
    for (const check of this.#waiters) check();
  }
}
