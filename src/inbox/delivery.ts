import { Multimap } from '../collections/multimap.ts';
import type { Db } from '../db/db.ts';
import type { Events } from '../events/hints.ts';
import type { LogEvent } from '../events/log-events.ts';
import { type Position, readHead, readOtherHeads } from './inbox.ts';
import { readEvents } from './stored-events.ts';

/** A device gets more of the log only while its unsent output is smaller than this (architecture 4). */
export const MAX_UNSENT_BYTES = 64 * 1024;
const PAGE_EVENTS = 100;
/** Users whose heads one query reads. */
const COMPARED_USERS = 1_000;
/** How long an answer waits for slow devices of the caller. */
const MAX_WAIT_MS = 1_000;

/** A socket as the event log sees it. */
export interface Device {
  readonly userId: string;
  /** Bytes that were written and not sent yet. */
  readonly unsentBytes: number;
  writeEvent(event: LogEvent): void;
  /** All events before the device connected are written; from here on events are written as they happen. */
  goLive(): void;
  /** The device cannot go on from its position: the next event was trimmed from the log, or a failover lost events. */
  overflow(): void;
}

/** Reads one user's log for one device. */
interface InboxReader {
  readonly device: Device;
  /** The number of the last event that was written to the device. */
  cursor: number;
  /** The greatest number of an event that a hint named. */
  latestSeq: number;
  /** The head when the device connected. */
  readonly liveAt: number;
  isLive: boolean;
  /** Events have to be read from the log: a query is running, or waits until the device's output has drained. */
  isBehind: boolean;
  isReading: boolean;
}

/**
 * Writes each user's events to the user's devices in this process, in order and without gaps. A device has a cursor, not a
 * queue: events that it cannot take yet stay in the log, so a slow device costs no memory.
 */
export class Delivery {
  readonly #db: Db;
  readonly #onFault: (error: unknown) => void;
  readonly #byUser = new Multimap<string, InboxReader>();
  readonly #byDevice = new Map<Device, InboxReader>();
  readonly #waiters = new Set<() => void>();
  #onJoin: (userId: string) => void = () => {};
  #onWritten: ((event: LogEvent, isLive: boolean) => void) | null = null;

  /** @param onFault called when the log could not be read; the next event or sweep tries again */
  constructor(db: Db, events: Events, onFault: (error: unknown) => void) {
    this.#db = db;
    this.#onFault = onFault;
    events.subscribe((event, origin) => {
      if (event.type === 'inbox')
        for (const reader of this.#byUser.get(event.userId)) this.#onEvent(reader, event.event);
      // The blocker's devices here have to leave out the blocked user, also when the hint of the `block` event is lost.
      if (event.type === 'block-changed' && origin === 'other')
        for (const reader of this.#byUser.get(event.blockerId)) this.#read(reader);
    });
  }

  /** Writes to `device` all events after `cursor`. It is live once the event `head` is written. */
  join(device: Device, cursor: number, head: number): void {
    const reader: InboxReader = {
      device,
      cursor,
      latestSeq: head,
      liveAt: head,
      isLive: false,
      isBehind: true,
      isReading: false,
    };
    this.#byUser.add(device.userId, reader);
    this.#byDevice.set(device, reader);
    this.#onJoin(device.userId);
    this.#read(reader);
  }

  /** @param listener called with the user of each device that joins */
  onJoin(listener: (userId: string) => void): void {
    this.#onJoin = listener;
  }

  leave(device: Device): void {
    const reader = this.#byDevice.get(device);
    if (!reader) return;
    this.#byDevice.delete(device);
    this.#byUser.delete(device.userId, reader);
    this.#notifyWaiters();
  }

  /** Call it when output of the device was sent. */
  drained(device: Device): void {
    const reader = this.#byDevice.get(device);
    if (reader?.isBehind) this.#read(reader);
  }

  /**
   * Waits until the event `seq` is written to all of the user's devices in this process, so that an answer does not come before
   * its event. A device that does not read its output delays the answer by at most a second.
   */
  async writtenUpTo(userId: string, seq: number): Promise<void> {
    const isWritten = () => [...this.#byUser.get(userId)].every((reader) => reader.cursor >= seq);
    if (isWritten()) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const check = () => isWritten() && resolve();
    const timer = setTimeout(resolve, MAX_WAIT_MS);
    this.#waiters.add(check);
    await promise;
    clearTimeout(timer);
    this.#waiters.delete(check);
  }

  /** Waits as {@link writtenUpTo} for everything that is committed now, whether or not there was a hint of it. */
  async catchUp(userId: string): Promise<void> {
    if ([...this.#byUser.get(userId)].length === 0) return;
    const head = await readHead(this.#db, userId);
    this.#readUpTo(userId, head);
    await this.writtenUpTo(userId, head);
  }

  /**
   * @param listener called with each event that was written to a device, and whether the device is live: it was connected
   *   when the event was stored
   */
  onWritten(listener: (event: LogEvent, isLive: boolean) => void): void {
    this.#onWritten = listener;
  }

  /** Each device with the number of the last event that it has. */
  cursors(): Iterable<{ readonly device: Device; readonly cursor: number }> {
    return this.#byDevice.values();
  }

  get deviceCount(): number {
    return this.#byDevice.size;
  }

  get userCount(): number {
    return this.#byUser.size;
  }

  /** These users. One who comes while the list is read is among them. */
  userIds(): Iterable<string> {
    return this.#byUser.keys();
  }

  /** Compares the cursors of these users' devices, or of all, with the heads in the database, and reads what they miss. */
  async compare(userIds: Iterable<string> = this.#byUser.keys()): Promise<void> {
    const positions: Position[] = [];
    for (const userId of userIds) {
      let seq = Number.POSITIVE_INFINITY;
      // Its last read has failed, or it waits for its device.
      for (const reader of this.#byUser.get(userId))
        if (reader.isBehind) this.#read(reader);
        else seq = Math.min(seq, reader.cursor);
      if (seq < Number.POSITIVE_INFINITY) positions.push({ user_id: userId, seq });
    }
    for (let i = 0; i < positions.length; i += COMPARED_USERS)
      for (const { user_id, seq } of await readOtherHeads(this.#db, positions.slice(i, i + COMPARED_USERS)))
        this.#readUpTo(user_id, seq);
  }

  #readUpTo(userId: string, seq: number): void {
    for (const reader of this.#byUser.get(userId)) {
      // A read that is under way may have begun before the commit: it goes on until this event.
      reader.latestSeq = Math.max(reader.latestSeq, seq);
      if (reader.cursor < seq) this.#read(reader);
    }
  }

  #onEvent(reader: InboxReader, event: LogEvent): void {
    if (event.seq <= reader.cursor) return;
    reader.latestSeq = Math.max(reader.latestSeq, event.seq);
    if (!reader.isBehind && event.seq === reader.cursor + 1 && reader.device.unsentBytes < MAX_UNSENT_BYTES)
      this.#write(reader, event);
    else this.#read(reader);
  }

  #write(reader: InboxReader, event: LogEvent): void {
    reader.cursor = event.seq;
    reader.device.writeEvent(event);
    this.#onWritten?.(event, reader.isLive);
    this.#notifyWaiters();
  }

  #read(reader: InboxReader): void {
    reader.isBehind = true;
    if (reader.isReading) return;
    reader.isReading = true;
    this.#readUntilCurrent(reader)
      .catch(this.#onFault)
      .finally(() => {
        reader.isReading = false;
      });
  }

  async #readUntilCurrent(reader: InboxReader): Promise<void> {
    const { device } = reader;
    let wasEmpty = false;
    while (device.unsentBytes < MAX_UNSENT_BYTES) {
      const events = await readEvents(this.#db, device.userId, reader.cursor, PAGE_EVENTS);
      if (this.#byDevice.get(device) !== reader) return;
      for (const event of events) {
        // Cursor 0 asks for all events that are kept; at any other cursor a gap means that events were trimmed.
        if (event.seq !== reader.cursor + 1 && reader.cursor > 0) return device.overflow();
        if (device.unsentBytes >= MAX_UNSENT_BYTES) return;
        this.#write(reader, event);
        if (this.#byDevice.get(device) !== reader) return;
      }
      if (device.unsentBytes >= MAX_UNSENT_BYTES) return;
      if (!reader.isLive && reader.cursor >= reader.liveAt) {
        reader.isLive = true;
        device.goLive();
      }
      if (events.length > 0) continue;
      if (reader.latestSeq <= reader.cursor) {
        reader.isBehind = false;
        return;
      }
      // The event of a hint may have been committed after the log was read: read once more. If it is missing again, it was trimmed.
      if (wasEmpty) return device.overflow();
      wasEmpty = true;
    }
  }

  #notifyWaiters(): void {
    for (const check of this.#waiters) check();
  }
}
