import type { MessageChange, Outgoing, OutgoingPicture } from '../events.ts';
import type { KitStorage, StorageChange } from '../storage/storage.ts';
import { type Entry, isMessage, type MessageEntry, type StoredEntries } from './outbox-entries.ts';
import { fromStoredPicture, type StoredPicture, toStoredPicture } from './stored-picture.ts';

/** A message that an earlier version of the kit stored has no `isUntried`: it may have been sent, unless it was refused. */
type StoredOutgoing = Outgoing & { readonly isUntried?: true };

/** One user's messages and changes that the service has not stored yet, in the device's storage. */
export class OutboxStorage {
  readonly #storage: KitStorage;
  readonly #prefix: string;
  /** Another one than that of the messages: an earlier version of the kit takes all that is there for messages. */
  readonly #changesPrefix: string;
  /** Likewise: it would send them without their pictures. */
  readonly #withPicturePrefix: string;
  /** Apart from their messages, which are all read at the start. */
  readonly #picturePrefix: string;
  /** The keys of messages that an earlier version of the kit stored by their `cid` alone. */
  readonly #oldKeys = new Map<string, string>();

  constructor(storage: KitStorage, userId: string) {
    this.#storage = storage;
    this.#prefix = `outgoing/${userId}/`;
    this.#changesPrefix = `outgoing-changes/${userId}/`;
    this.#withPicturePrefix = `outgoing-with-picture/${userId}/`;
    this.#picturePrefix = `outgoing-picture/${userId}/`;
  }

  async all(): Promise<StoredEntries> {
    // All were written by this file only. A message that another tab removes in between has given its changes their number.
    const messages = (await this.#storage.all(this.#prefix)) as [string, StoredOutgoing][];
    messages.push(...((await this.#storage.all(this.#withPicturePrefix)) as [string, StoredOutgoing][]));
    const changes = (await this.#storage.all(this.#changesPrefix)) as [string, MessageChange][];
    for (const [key, outgoing] of messages) {
      const ownKey = this.#keyOf(outgoing);
      if (key !== ownKey) this.#oldKeys.set(ownKey, key);
    }
    return {
      messages: messages.map(([, { isUntried, ...outgoing }]) => ({
        outgoing,
        isTried: !isUntried && outgoing.state !== 'refused',
      })),
      changes: changes.map(([, change]) => change),
    };
  }

  /**
   * A message that is being sent is stored as `waiting`, which it is after a reload. The bytes of its picture are stored once.
   *
   * @param isWanted asked again once the bytes were read: the message may have been discarded, or the user have signed out, meanwhile
   * @param draftKey removed in the same transaction, where the storage has transactions
   */
  async save(entry: Entry, isWanted: () => boolean, draftKey?: string): Promise<void> {
    const picture = isMessage(entry) && entry.picture;
    const bytes = picture && (await toStoredPicture(picture));
    if (bytes && !isWanted()) return;
    const key = this.#storedAt(entry);
    const value = isMessage(entry) ? toStoredOutgoing(entry) : entry.change;
    if (!bytes && draftKey === undefined) return this.#storage.set(key, value);
    const changes: StorageChange[] = [[key, value]];
    if (bytes) changes.unshift([this.#pictureKeyOf(entry.outgoing), bytes]);
    if (draftKey !== undefined) changes.push([draftKey, undefined]);
    await this.#storage.write(changes);
    if (bytes) entry.picture = undefined;
  }

  /** The message as another tab may have stored it since. */
  async read(entry: MessageEntry): Promise<Outgoing | undefined> {
    return (await this.#storage.get(this.#storedAt(entry))) as StoredOutgoing | undefined;
  }

  async picture({ outgoing }: MessageEntry): Promise<OutgoingPicture | undefined> {
    const stored = (await this.#storage.get(this.#pictureKeyOf(outgoing))) as StoredPicture | undefined;
    return stored && fromStoredPicture(stored);
  }

  async has(entry: Entry): Promise<boolean> {
    return (await this.#storage.get(this.#storedAt(entry))) !== undefined;
  }

  async delete(entry: Entry): Promise<void> {
    const keys = new Set([this.#storedAt(entry)]);
    if (isMessage(entry)) {
      keys.add(this.#keyOf(entry.outgoing));
      if (entry.outgoing.picture) keys.add(this.#pictureKeyOf(entry.outgoing));
    }
    await this.#storage.write([...keys].map((key) => [key, undefined]));
  }

  /** Removes a message that the service has stored. @param changes those that got its number, stored before it is removed */
  async deleteStored(entry: MessageEntry, changes: readonly Entry[]): Promise<void> {
    for (const change of changes) await this.save(change, () => true);
    await this.delete(entry);
  }

  #storedAt(entry: Entry): string {
    if (isMessage(entry)) {
      const key = this.#keyOf(entry.outgoing);
      return this.#oldKeys.get(key) ?? key;
    }
    const { peer, kind, cid, n } = entry.change;
    return `${this.#changesPrefix}${peer}/${kind}/${cid === undefined ? n : `/${cid}`}`;
  }

  #keyOf({ to, cid, picture }: Outgoing): string {
    return `${picture ? this.#withPicturePrefix : this.#prefix}${to}/${cid}`;
  }

  #pictureKeyOf({ to, cid }: Outgoing): string {
    return `${this.#picturePrefix}${to}/${cid}`;
  }
}

function toStoredOutgoing({ outgoing, isTried }: MessageEntry): StoredOutgoing {
  const state = outgoing.state === 'refused' ? 'refused' : 'waiting';
  return { ...outgoing, state, ...(!isTried && { isUntried: true }) };
}
