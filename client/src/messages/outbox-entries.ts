import { badText, hasBadText } from '../bad-text.ts';
import { FRAME_REJECTED } from '../connection/requests.ts';
import { DoormanError } from '../errors.ts';
import type { Outgoing } from '../events.ts';
import { Deferred } from './deferred.ts';

/** How many connections may end while a message is alone in flight: a single one may have had another cause. */
const MAX_STRIKES = 3;

/** A message that the service has not stored yet. */
export interface Entry {
  outgoing: Outgoing;
  deferred: Deferred<Outgoing>;
  /** When this tab may send it, by `performance.now()`: once it is in the storage; another tab's message after `takeOverMs`, if it is there. */
  sendAfter: number;
  /** How often the service ended the connection while this message alone was in flight. */
  strikes: number;
}

/** What the user writes of a message; with the same `cid` another one is another message. */
export type Written = Pick<Outgoing, 'to' | 'cid' | 'body' | 'replyTo'>;

/**
 * The messages that the service has not stored yet, by recipient and `cid`, in the order in which they were written. Two of
 * them have one `cid` only if two tabs wrote them at the same moment.
 */
export class OutboxEntries {
  #byKey = new Map<string, Entry>();

  all(): Entry[] {
    return [...this.#byKey.values()];
  }

  /** The messages with this `cid`. @param to only the one to this user */
  withCid(cid: string, to?: string): Entry[] {
    return this.all().filter(({ outgoing }) => outgoing.cid === cid && (to ?? outgoing.to) === outgoing.to);
  }

  /** The message with the same recipient and `cid`, whatever its body. */
  at(message: Written): Entry | undefined {
    return this.#byKey.get(keyOf(message));
  }

  /** The message with the same recipient, `cid`, body and reply. */
  find(message: Written): Entry | undefined {
    const entry = this.at(message);
    return entry && isSame(entry, message) ? entry : undefined;
  }

  has(entry: Entry): boolean {
    return this.at(entry.outgoing) === entry;
  }

  add(outgoing: Outgoing, sendAfter: number): Entry {
    const entry = { outgoing, deferred: new Deferred<Outgoing>(), sendAfter, strikes: 0 };
    this.#byKey.set(keyOf(outgoing), entry);
    return entry;
  }

  delete({ outgoing }: Entry): void {
    this.#byKey.delete(keyOf(outgoing));
  }

  /**
   * Adds the messages of the storage before all others.
   *
   * @returns the entries that were removed, because a stored message has their `cid`
   */
  restore(stored: readonly Outgoing[]): Entry[] {
    const later = this.all();
    this.#byKey = new Map();
    for (const outgoing of stored) {
      const entry = this.add(outgoing, 0);
      // An earlier version of the kit accepted text that the service refuses.
      if (outgoing.state === 'waiting' && hasBadText(outgoing)) setRefused(entry, badText());
    }
    const removed: Entry[] = [];
    for (const entry of later) {
      const isFree = this.withCid(entry.outgoing.cid).every((known) => isSame(known, entry.outgoing));
      if (isFree) this.#byKey.set(keyOf(entry.outgoing), entry);
      else removed.push(entry);
    }
    return removed;
  }
}

export function isSame(
  { outgoing }: { outgoing: Outgoing },
  { to, body, replyTo }: Omit<Written, 'cid'>,
): boolean {
  return outgoing.to === to && outgoing.body === body && outgoing.replyTo === replyTo;
}

/** A refused message that waits again gets another promise. */
export function setWaiting(entry: Entry, sendAfter: number): void {
  const { error: _error, ...outgoing } = entry.outgoing;
  if (entry.outgoing.state === 'refused') {
    entry.deferred = new Deferred();
    entry.strikes = 0;
  }
  entry.outgoing = { ...outgoing, state: 'waiting' };
  entry.sendAfter = sendAfter;
}

export function setRefused(entry: Entry, error: DoormanError): void {
  entry.outgoing = { ...entry.outgoing, state: 'refused', error: error.error };
  entry.deferred.reject(error);
}

/**
 * The refusal of a message, if the error of its request is one.
 */
export function refusalOf(entry: Entry, error: DoormanError): DoormanError | undefined {
  if (error.code === 400 || error.code === 403 || error.code === 404) return error;
  if (error.error !== FRAME_REJECTED || ++entry.strikes < MAX_STRIKES) return undefined;
  return new DoormanError(400, FRAME_REJECTED, 'The service ended three connections over this message');
}

function keyOf({ to, cid }: Written): string {
  return JSON.stringify([to, cid]);
}
