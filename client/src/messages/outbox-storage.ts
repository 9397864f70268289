import type { MessageChange, Outgoing } from '../events.ts';
import type { KitStorage } from '../storage/storage.ts';
import { type Entry, isMessage, type MessageEntry, type StoredEntries } from './outbox-entries.ts';

/** A message that an earlier version of the kit stored has no `isUntried`: it may have been sent, unless it was refused. */
type StoredOutgoing = Outgoing & { readonly isUntried?: true };

/** One user's messages and changes that the service has not stored yet, in the device's storage. */
export class OutboxStorage {
  readonly #storage: KitStorage;
  readonly #prefix: string;
  /** Another one than that of the messages: an earlier version of the kit takes all that is there for messages. */
  readonly #changesPrefix: string;
  /** The keys of messages that an earlier version of the kit stored by their `cid` alone. */
  readonly #oldKeys = new Map<string, string>();

  constructor(storage: KitStorage, userId: string) {
    this.#storage = storage;
    this.#prefix = `outgoing/${userId}/`;
    this.#changesPrefix = `outgoing-changes/${userId}/`;
  }

  async all(): Promise<StoredEntries> {
    // Both were written by this file only. A message that another tab removes in between has given its changes their number.
    const messages = (await this.#storage.all(this.#prefix)) as [string, StoredOutgoing][];
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
   * A message that is being sent is stored as `waiting`, which it is after a reload.
   *
   * @param draftKey removed in the same transaction, where the storage has transactions
   */
  save(entry: Entry, draftKey?: string): Promise<void> {
    const key = this.#storedAt(entry);
    const value = isMessage(entry) ? toStoredOutgoing(entry) : entry.change;
    if (draftKey === undefined) return this.#storage.set(key, value);
    return this.#storage.write([
      [key, value],
      [draftKey, undefined],
    ]);
  }

  async has(entry: Entry): Promise<boolean> {
    return (await this.#storage.get(this.#storedAt(entry))) !== undefined;
  }

  async delete(entry: Entry): Promise<void> {
    const key = this.#storedAt(entry);
    await this.#storage.delete(key);
    if (isMessage(entry) && key !== this.#keyOf(entry.outgoing))
      await this.#storage.delete(this.#keyOf(entry.outgoing));
  }

  /** Removes a message that the service has stored. @param changes those that got its number, stored before it is removed */
  async deleteStored(entry: MessageEntry, changes: readonly Entry[]): Promise<void> {
    for (const change of changes) await this.save(change);
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

  #keyOf({ to, cid }: Outgoing): string {
    return `${this.#prefix}${to}/${cid}`;
  }
}

function toStoredOutgoing({ outgoing, isTried }: MessageEntry): StoredOutgoing {
  const state = outgoing.state === 'refused' ? 'refused' : 'waiting';
  return { ...outgoing, state, ...(!isTried && { isUntried: true }) };
}
