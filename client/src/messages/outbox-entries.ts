import { badText, hasBadText } from '../bad-text.ts';
import { FRAME_REJECTED } from '../connection/requests.ts';
import { DoormanError } from '../errors.ts';
import type { Outgoing } from '../events.ts';
import { Promised } from './deferred.ts';

/** So many connections may end over one message: a single end may have had another cause. */
const MAX_STRIKES = 3;

/** A message that is not stored yet. */
export interface Entry {
  outgoing: Outgoing;
  promised: Promised<Outgoing>;
  /** When this tab may send it, by `performance.now()`: not before it is kept; one of another tab when that one had its time. */
  fromAt: number;
  /** How often the service ended the connection while this message alone was in flight. */
  strikes: number;
}

type Message = Pick<Outgoing, 'to' | 'cid' | 'body'>;

/**
 * The messages that are not stored yet, by recipient and `cid`, in the order in which they were written. Two of them have
 * one `cid` only when two tabs wrote them before they knew of each other.
 */
export class OutboxEntries {
  #byKey = new Map<string, Entry>();

  all(): Entry[] {
    return [...this.#byKey.values()];
  }

  /** The messages with this `cid`, or the one of them to `to`. */
  withCid(cid: string, to?: string): Entry[] {
    return this.all().filter(({ outgoing }) => outgoing.cid === cid && (to ?? outgoing.to) === outgoing.to);
  }

  /** The message with the recipient and the `cid` of this one, whatever its words. */
  at(message: Message): Entry | undefined {
    return this.#byKey.get(keyOf(message));
  }

  /** This very message. */
  find(message: Message): Entry | undefined {
    const entry = this.at(message);
    return entry && isSame(entry, message) ? entry : undefined;
  }

  has(entry: Entry): boolean {
    return this.at(entry.outgoing) === entry;
  }

  add(outgoing: Outgoing, fromAt: number): Entry {
    const entry = { outgoing, promised: new Promised<Outgoing>(), fromAt, strikes: 0 };
    this.#byKey.set(keyOf(outgoing), entry);
    return entry;
  }

  delete({ outgoing }: Entry): void {
    this.#byKey.delete(keyOf(outgoing));
  }

  /**
   * Takes up what was kept, before all that is there.
   *
   * @returns what was there and had to give way, because a kept message has its `cid`
   */
  takeUp(kept: readonly Outgoing[]): Entry[] {
    const later = this.all();
    this.#byKey = new Map();
    for (const outgoing of kept) {
      const entry = this.add(outgoing, 0);
      // An earlier version of the kit took what no service takes.
      if (outgoing.state === 'waiting' && hasBadText(outgoing)) setRefused(entry, badText());
    }
    const leave: Entry[] = [];
    for (const entry of later) {
      const isFree = this.withCid(entry.outgoing.cid).every((known) => isSame(known, entry.outgoing));
      if (isFree) this.#byKey.set(keyOf(entry.outgoing), entry);
      else leave.push(entry);
    }
    return leave;
  }
}

export function isSame(
  { outgoing }: { outgoing: Outgoing },
  { to, body }: Pick<Message, 'to' | 'body'>,
): boolean {
  return outgoing.to === to && outgoing.body === body;
}

/** It waits, again if it was refused: then with another promise. */
export function setWaiting(entry: Entry, fromAt: number): void {
  const { to, cid, body, writtenAt } = entry.outgoing;
  if (entry.outgoing.state === 'refused') {
    entry.promised = new Promised();
    entry.strikes = 0;
  }
  entry.outgoing = { to, cid, body, writtenAt, state: 'waiting' };
  entry.fromAt = fromAt;
}

export function setRefused(entry: Entry, error: DoormanError): void {
  entry.outgoing = { ...entry.outgoing, state: 'refused', error: error.error };
  entry.promised.reject(error);
}

/**
 * The refusal of a message, if this error is one.
 *
 * @param error what came of the request that sent it
 */
export function refusalOf(entry: Entry, error: DoormanError): DoormanError | undefined {
  if (error.code === 400 || error.code === 403 || error.code === 404) return error;
  if (error.error !== FRAME_REJECTED || ++entry.strikes < MAX_STRIKES) return undefined;
  return new DoormanError(400, FRAME_REJECTED, 'The service ended three connections over this message');
}

function keyOf({ to, cid }: Message): string {
  return JSON.stringify([to, cid]);
}
