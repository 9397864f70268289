import { badText, hasBadText } from '../bad-text.ts';
import { FRAME_REJECTED } from '../connection/requests.ts';
import { DoormanError } from '../errors.ts';
import type { MessageChange, Outgoing, OutgoingPicture } from '../events.ts';
import { Deferred } from './deferred.ts';

/** How many connections may end while an entry is alone in flight: a single one may have had another cause. */
const MAX_STRIKES = 3;

export const NOT_YET = Number.POSITIVE_INFINITY;

interface Waiting {
  /** When this tab may send it, by `performance.now()`: once it is in the storage; another tab's entry after `takeOverMs`, if it is there. */
  sendAfter: number;
  /** How often the service ended the connection while it alone was in flight. */
  strikes: number;
}

/** A message that the service has not stored yet. */
export interface MessageEntry extends Waiting {
  outgoing: Outgoing;
  deferred: Deferred<Outgoing>;
  /** The service may have stored it: this tab or another one has begun to send it, and it was not refused since. */
  isTried: boolean;
  /** The bytes of its picture, until they are in the storage. */
  picture: OutgoingPicture | undefined;
  /** How often this tab has uploaded its picture, and failed to since. */
  uploads: number;
  failedUploads: number;
}

/** A change of a message that the service has not stored yet. */
export interface ChangeEntry extends Waiting {
  change: MessageChange;
}

export type Entry = MessageEntry | ChangeEntry;

/** What the storage has of a user's entries, in the order in which they were written. */
export interface StoredEntries {
  readonly messages: readonly { readonly outgoing: Outgoing; readonly isTried: boolean }[];
  readonly changes: readonly MessageChange[];
}

/** What the user writes of a message; with the same `cid` another one is another message. */
export type Written = Pick<Outgoing, 'to' | 'cid' | 'body' | 'replyTo' | 'picture'>;

/** Names a message by its sender's `cid`. */
type Named = Pick<Outgoing, 'to' | 'cid'>;

/**
 * What the service has not stored yet, in the order in which it was written. Two messages have one `cid` only if two tabs wrote them at
 * the same moment.
 */
export class OutboxEntries {
  #all: Entry[] = [];

  all(): readonly Entry[] {
    return this.#all;
  }

  messages(): MessageEntry[] {
    return this.#all.filter(isMessage);
  }

  changes(): ChangeEntry[] {
    return this.#all.filter((entry): entry is ChangeEntry => !isMessage(entry));
  }

  /** The messages with this `cid`. @param to only the one to this user */
  withCid(cid: string, to?: string): MessageEntry[] {
    return this.messages().filter(
      ({ outgoing }) => outgoing.cid === cid && (to ?? outgoing.to) === outgoing.to,
    );
  }

  /** The message with the same recipient and `cid`, whatever its body. */
  at({ to, cid }: Named): MessageEntry | undefined {
    return this.withCid(cid, to)[0];
  }

  /** The message with the same recipient, `cid`, body and reply, and also with or without a picture. */
  find(message: Written): MessageEntry | undefined {
    const entry = this.at(message);
    return entry && isSame(entry, message) ? entry : undefined;
  }

  /** The message of a change that names one by its `cid`. */
  ofChange({ peer, cid }: MessageChange): MessageEntry | undefined {
    return cid === undefined ? undefined : this.at({ to: peer, cid });
  }

  /** The changes that wait for the number of this message. */
  changesOf({ to, cid }: Named): ChangeEntry[] {
    return this.changes().filter(
      ({ change }) => change.peer === to && change.cid === cid && change.n === undefined,
    );
  }

  /** The changes that a later one makes needless: of one message and kind the last one counts, and beside `unsend` no other. */
  replacedBy(later: MessageChange): ChangeEntry[] {
    return this.changes().filter(
      ({ change }) =>
        isOfSameMessage(change, later) && (change.kind === later.kind || later.kind === 'unsend'),
    );
  }

  has(entry: Entry): boolean {
    return this.#all.includes(entry);
  }

  add(
    outgoing: Outgoing,
    { sendAfter = NOT_YET, isTried = false, picture }: Partial<MessageEntry> = {},
  ): MessageEntry {
    const deferred = new Deferred<Outgoing>();
    const entry = {
      outgoing,
      deferred,
      sendAfter,
      strikes: 0,
      isTried,
      picture,
      uploads: 0,
      failedUploads: 0,
    };
    this.#all.push(entry);
    return entry;
  }

  addChange(change: MessageChange, sendAfter = NOT_YET): ChangeEntry {
    const entry = { change, sendAfter, strikes: 0 };
    this.#all.push(entry);
    return entry;
  }

  delete(entry: Entry): void {
    this.#all = this.#all.filter((other) => other !== entry);
  }

  /**
   * Adds what the storage has before all others.
   *
   * @returns what was removed: messages, because a stored one has their `cid`, and changes, because a later one replaces them
   */
  restore({ messages, changes }: StoredEntries): Entry[] {
    const later = this.#all;
    this.#all = [];
    for (const { outgoing, isTried } of messages) {
      const entry = this.add(outgoing, { sendAfter: 0, isTried });
      // An earlier version of the kit accepted text that the service refuses.
      if (outgoing.state === 'waiting' && hasBadText(outgoing)) setRefused(entry, badText());
    }
    for (const change of changes) this.addChange(change, 0);
    this.#all.sort((one, other) => writtenAt(one) - writtenAt(other));
    return later.flatMap((entry) => (isMessage(entry) ? this.#addLater(entry) : this.#addLaterChange(entry)));
  }

  #addLater(entry: MessageEntry): Entry[] {
    const known = this.withCid(entry.outgoing.cid);
    if (!known.every((one) => isSame(one, entry.outgoing))) return [entry];
    const [same] = known;
    if (!same) this.#all.push(entry);
    else {
      this.#all[this.#all.indexOf(same)] = entry;
      entry.isTried ||= same.isTried;
      // Its picture may have been uploaded.
      entry.outgoing = { ...same.outgoing, ...entry.outgoing, picture: same.outgoing.picture };
    }
    return [];
  }

  #addLaterChange(entry: ChangeEntry): Entry[] {
    const replaced = this.replacedBy(entry.change);
    for (const one of replaced) this.delete(one);
    this.#all.push(entry);
    return replaced;
  }
}

export function isMessage(entry: Entry): entry is MessageEntry {
  return 'outgoing' in entry;
}

/**
 * Whether two entries are the same message. Their pictures count as equal if both have one: two tabs may have uploaded it, each under
 * its own id, and the service stores the message with the first.
 *
 * @param one of the outbox, or stored; then its text may have been changed since, and only the recipient can be compared
 */
export function isSame(
  { outgoing, isChanged = false }: { outgoing: Outgoing; isChanged?: boolean },
  { to, body, replyTo, picture }: Omit<Written, 'cid'>,
): boolean {
  const isSameText = outgoing.body === body && outgoing.replyTo === replyTo;
  return outgoing.to === to && (isChanged || (isSameText && !outgoing.picture === !picture));
}

/** Whether both change the same message, which one of them may name by its `cid` alone. */
function isOfSameMessage(one: MessageChange, other: MessageChange): boolean {
  const isSameNumber = one.n !== undefined && one.n === other.n;
  return one.peer === other.peer && (isSameNumber || (one.cid !== undefined && one.cid === other.cid));
}

/** A refused message that waits again gets another promise. */
export function setWaiting(entry: MessageEntry): void {
  const { error: _error, ...outgoing } = entry.outgoing;
  if (entry.outgoing.state === 'refused') {
    entry.deferred = new Deferred();
    entry.strikes = 0;
    entry.uploads = 0;
  }
  entry.outgoing = { ...outgoing, state: 'waiting' };
}

/** The service refuses only what it has not stored. */
export function setRefused(entry: MessageEntry, error: DoormanError): void {
  entry.outgoing = { ...entry.outgoing, state: 'refused', error: error.error };
  entry.isTried = false;
  entry.deferred.reject(error);
}

/** Whether it cannot be sent now, and later ones need not wait for it: a refused message, or a change of a message without a number. */
export function isHeld(entry: Entry): boolean {
  return isMessage(entry) ? entry.outgoing.state === 'refused' : entry.change.n === undefined;
}

/** The service has lost its picture, as one that it removed after 24 hours. */
export function forgetUpload(entry: MessageEntry): void {
  const { picture } = entry.outgoing;
  if (!picture) return;
  const { id: _, ...unknown } = picture;
  entry.outgoing = { ...entry.outgoing, picture: unknown, state: 'waiting' };
  entry.isTried = false;
}

/** Whether its picture is to be uploaded before it can be sent. */
export function lacksUpload(entry: MessageEntry): boolean {
  return entry.outgoing.picture !== undefined && entry.outgoing.picture.id === undefined;
}

export function peerOf(entry: Entry): string {
  return isMessage(entry) ? entry.outgoing.to : entry.change.peer;
}

function writtenAt(entry: Entry): number {
  return isMessage(entry) ? entry.outgoing.writtenAt : entry.change.writtenAt;
}

/** docs/protocol.md: `send`, `unsend`, `edit` and `react`. */
export function toFrame(entry: Entry): { type: string; [field: string]: unknown } {
  if (isMessage(entry)) {
    const { to, cid, body, replyTo, picture } = entry.outgoing;
    return { type: 'send', to, cid, body, replyTo, picture: picture?.id };
  }
  const { kind, peer, n, body, emoji } = entry.change;
  return { type: kind, peer, n, body, emoji };
}

export function isRefusal({ code }: DoormanError): boolean {
  return code === 400 || code === 403 || code === 404;
}

/** The refusal of an entry, if the error of its request is one. */
export function refusalOf(entry: Entry, error: DoormanError): DoormanError | undefined {
  if (isRefusal(error)) return error;
  if (error.error !== FRAME_REJECTED || ++entry.strikes < MAX_STRIKES) return undefined;
  return new DoormanError(400, FRAME_REJECTED, 'The service ended three connections over this message');
}
