import type { Emitter } from '../emitter.ts';
import type { DoormanEvents, MessageChange, Outgoing, OutgoingPicture } from '../events.ts';
import type { KitStorage } from '../storage/storage.ts';
import type { TabChannel } from '../storage/tab-channel.ts';
import {
  type ChangeEntry,
  type Entry,
  isHeld,
  isMessage,
  type MessageEntry,
  OutboxEntries,
} from './outbox-entries.ts';
import { OutboxStorage } from './outbox-storage.ts';
import { cidUsed, discarded, messageNotFound, signedOut } from './own-refusals.ts';
import { StoredMessages } from './stored-messages.ts';

/**
 * The messages and changes of one user that the service has not stored yet, in memory, on the device and in the other tabs. Each change of
 * their state is also an event.
 */
export class OutboxState {
  readonly #storage: KitStorage;
  readonly #tabs: TabChannel;
  readonly #emitter: Emitter<DoormanEvents>;
  #userId = '';
  #ownStorage: OutboxStorage | undefined;
  #entries = new OutboxEntries();
  readonly stored = new StoredMessages();
  /** Resolves when the entries of the storage are restored. */
  #restored: Promise<void> = Promise.resolve();
  #lastWrittenAt = 0;

  constructor(storage: KitStorage, tabs: TabChannel, emitter: Emitter<DoormanEvents>) {
    this.#storage = storage;
    this.#tabs = tabs;
    this.#emitter = emitter;
  }

  get entries(): OutboxEntries {
    return this.#entries;
  }

  /** Whether a user is signed in. */
  get isOpen(): boolean {
    return this.#ownStorage !== undefined;
  }

  get restored(): Promise<void> {
    return this.#restored;
  }

  /** Restores the entries of this user from the storage, and forgets those of another. @param userId empty: no user */
  open(userId: string): Promise<void> {
    for (const { deferred } of this.#entries.messages()) deferred.reject(signedOut());
    this.#entries = new OutboxEntries();
    this.stored.clear();
    this.#userId = userId;
    this.#ownStorage = userId === '' ? undefined : new OutboxStorage(this.#storage, userId);
    this.#restored = this.#restore();
    return this.#restored;
  }

  async #restore(): Promise<void> {
    const storage = this.#ownStorage;
    // A storage that cannot be read now may be readable at the next start, and must not keep the user out.
    const stored = await storage?.all().catch(ignore);
    if (!stored || storage !== this.#ownStorage) return;
    for (const entry of this.#entries.restore(stored)) {
      if (isMessage(entry)) {
        entry.deferred.reject(cidUsed());
        this.change(entry, { state: 'discarded' });
      } else this.endChange(entry, { state: 'discarded' });
    }
    // The program may have ended before it did this.
    for (const entry of this.#entries.messages())
      if (isHeld(entry)) this.settleChanges(entry, { isOwn: true });
    for (const entry of this.#entries.changes())
      if (isHeld(entry) && !this.#entries.ofChange(entry.change))
        this.endChange(entry, { state: 'refused', error: messageNotFound().error });
  }

  /** A time of writing. Greater than the previous one, also within a millisecond or after the clock is set back: entries are ordered by it. */
  nextTime(): number {
    this.#lastWrittenAt = Math.max(Date.now(), this.#lastWrittenAt + 1);
    return this.#lastWrittenAt;
  }

  /** @param draftKey a key of the storage that is removed when the message is stored there */
  async save(entry: Entry, draftKey?: string): Promise<void> {
    await this.#ownStorage?.save(entry, () => this.#entries.has(entry), draftKey).catch(ignore);
  }

  /** The message as it is on the device, where another tab may have stored the id of its picture. */
  async read(entry: MessageEntry): Promise<Outgoing | undefined> {
    return this.#ownStorage?.read(entry);
  }

  async pictureOf(entry: MessageEntry): Promise<OutgoingPicture | undefined> {
    return entry.picture ?? (await this.#ownStorage?.picture(entry));
  }

  /** One at a time of this user in all tabs of the browser, where it has locks. */
  oneAtATime(run: () => Promise<void>): Promise<void> {
    const name = `doorman ${this.#storage.name} ${this.#userId}`;
    return typeof navigator === 'object' && navigator.locks ? navigator.locks.request(name, run) : run();
  }

  /** Whether it is on the device. */
  async hasSaved(entry: Entry): Promise<boolean> {
    return (await this.#ownStorage?.has(entry)) ?? false;
  }

  /** Removes an entry from the device. */
  async forget(entry: Entry): Promise<void> {
    await this.#ownStorage?.delete(entry).catch(ignore);
  }

  /** The service has stored the message, so the changes that wait for its number have it. */
  markStored(
    entry: MessageEntry,
    { n = 0, at = 0 }: { n?: number; at?: number },
    { isNewToTabs = false, isChanged = false } = {},
  ): void {
    if (!this.#entries.has(entry)) return;
    const changes = this.#entries.changesOf(entry.outgoing);
    for (const one of changes) one.change = { ...one.change, n };
    this.#entries.delete(entry);
    this.#ownStorage?.deleteStored(entry, changes).catch(ignore);
    this.change(entry, { state: 'stored', n, at });
    if (isNewToTabs) this.post(entry.outgoing);
    this.stored.add(entry.outgoing, isChanged, entry.deferred);
  }

  /**
   * Applies the changes that waited for the number of a message that was refused instead.
   *
   * @param isOwn this tab stores it on the device
   */
  settleChanges(entry: MessageEntry, { isOwn = false } = {}): void {
    const changes = this.#entries.changesOf(entry.outgoing);
    if (changes.some(({ change }) => change.kind === 'unsend')) {
      this.discard(entry);
      if (isOwn) void this.forget(entry);
      return;
    }
    for (const one of changes) {
      this.change(entry, { body: one.change.body ?? entry.outgoing.body });
      if (isOwn) void this.save(entry);
      this.endChange(one, { state: 'discarded' });
    }
  }

  discard(entry: MessageEntry): void {
    this.#entries.delete(entry);
    this.change(entry, { state: 'discarded' });
    entry.deferred.reject(discarded());
    for (const one of this.#entries.changesOf(entry.outgoing)) this.endChange(one, { state: 'discarded' });
  }

  endChange(
    entry: ChangeEntry,
    end: Pick<MessageChange, 'state' | 'error'>,
    { isNewToTabs = false } = {},
  ): void {
    this.#entries.delete(entry);
    void this.forget(entry);
    entry.change = { ...entry.change, ...end };
    this.emitChange(entry.change);
    if (isNewToTabs) this.postChange(entry.change);
  }

  change(entry: MessageEntry, change: Partial<Outgoing>): void {
    entry.outgoing = { ...entry.outgoing, ...change };
    this.#emitter.emit('outgoing', entry.outgoing);
  }

  announce({ outgoing }: MessageEntry): void {
    this.#emitter.emit('outgoing', outgoing);
    this.post(outgoing);
  }

  emitChange(change: MessageChange): void {
    this.#emitter.emit('change', change);
  }

  /** To the other tabs of this user. */
  post(outgoing: Outgoing): void {
    const userId = this.#userId;
    if (outgoing.picture) this.#tabs.post({ kind: 'with-picture', of: userId, outgoing });
    else this.#tabs.post({ kind: 'outgoing', userId, outgoing });
  }

  postChange(change: MessageChange): void {
    this.#tabs.post({ kind: 'change', of: this.#userId, change });
  }
}

/** For a storage that accepts nothing, as a full one: what is sent again, the service recognizes. */
function ignore(): undefined {}
