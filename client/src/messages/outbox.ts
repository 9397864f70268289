import { badText, hasBadText } from '../bad-text.ts';
import type { Socket } from '../connection/socket.ts';
import type { Emitter } from '../emitter.ts';
import { DoormanError } from '../errors.ts';
import type { DoormanEvents, MessageEvent, Outgoing } from '../events.ts';
import type { KitStorage } from '../storage/storage.ts';
import type { TabChannel } from '../storage/tab-channel.ts';
import type { Timeouts } from '../timeouts.ts';
import type { Stored } from '../wire.ts';
import { rejected } from './deferred.ts';
import {
  type Entry,
  isSame,
  OutboxEntries,
  refusalOf,
  setRefused,
  setWaiting,
  type Written,
} from './outbox-entries.ts';
import { OutboxStorage } from './outbox-storage.ts';
import { SendPause } from './send-pause.ts';
import { StoredMessages, toStored } from './stored-messages.ts';

const NOT_YET = Number.POSITIVE_INFINITY;

/**
 * The messages that the service has not stored yet. Each is stored on the device before it is sent, and sent until there is
 * a reply, one at a time to each recipient; the service recognizes a repeated message by its `cid`. A `cid` names one
 * message: recipient and body are compared with every known one, of this tab, of another one, or of the log.
 */
export class Outbox {
  readonly #storage: KitStorage;
  readonly #tabs: TabChannel;
  readonly #timeouts: Timeouts;
  readonly #emitter: Emitter<DoormanEvents>;
  readonly #live: () => Socket | undefined;
  #userId = '';
  #ownStorage: OutboxStorage | undefined;
  #entries = new OutboxEntries();
  /** Resolves when the messages of the storage are restored. */
  #restored: Promise<void> = Promise.resolve();
  readonly #stored = new StoredMessages();
  /** The recipients of the messages in flight. */
  #busy = new Set<string>();
  #lastWrittenAt = 0;
  readonly #pause: SendPause;

  /** @param live the connection, while it is live */
  constructor(
    storage: KitStorage,
    tabs: TabChannel,
    timeouts: Timeouts,
    emitter: Emitter<DoormanEvents>,
    live: () => Socket | undefined,
  ) {
    this.#storage = storage;
    this.#tabs = tabs;
    this.#timeouts = timeouts;
    this.#emitter = emitter;
    this.#live = live;
    this.#pause = new SendPause(timeouts, () => this.send());
  }

  /** Restores the messages of this user from the storage, and forgets those of another. @param userId empty: no user */
  open(userId = ''): Promise<void> {
    for (const { deferred } of this.#entries.all()) deferred.reject(signedOut());
    this.#pause.cancel();
    this.#entries = new OutboxEntries();
    this.#stored.clear();
    this.#busy = new Set();
    this.#userId = userId;
    this.#ownStorage = userId === '' ? undefined : new OutboxStorage(this.#storage, userId);
    this.#restored = this.#restore();
    return this.#restored;
  }

  async #restore(): Promise<void> {
    const storage = this.#ownStorage;
    // A storage that cannot be read now may be readable at the next start, and must not keep the user out.
    const stored = (await storage?.all().catch(() => [])) ?? [];
    if (storage !== this.#ownStorage) return;
    for (const entry of this.#entries.restore(stored)) {
      entry.deferred.reject(cidUsed());
      this.#change(entry, { state: 'discarded' });
    }
  }

  all(): Outgoing[] {
    return this.#entries.all().map(({ outgoing }) => outgoing);
  }

  /** @param draftKey a key of the storage that is removed when the message is stored there */
  write(message: Written, draftKey?: string): Promise<Outgoing> {
    if (!this.#ownStorage) return rejected(signedOut());
    if (hasBadText(message)) return rejected(badText());
    const { cid } = message;
    const known = [...this.#entries.withCid(cid), ...this.#stored.withCid(cid)];
    const same = known.find((one) => isSame(one, message));
    if (same) return same.deferred.promise;
    if (known.length > 0) return rejected(cidUsed());
    // Greater than the previous one, also within a millisecond or after the clock is set back: messages are ordered by it.
    this.#lastWrittenAt = Math.max(Date.now(), this.#lastWrittenAt + 1);
    const outgoing = { ...message, writtenAt: this.#lastWrittenAt, state: 'waiting' } as const;
    const entry = this.#entries.add(outgoing, NOT_YET);
    this.#announce(entry);
    this.#saveThenSend(entry, draftKey);
    return entry.deferred.promise;
  }

  retry(cid: string, to?: string): void {
    for (const entry of this.#entries.withCid(cid, to)) {
      if (entry.outgoing.state !== 'refused') continue;
      setWaiting(entry, NOT_YET);
      this.#announce(entry);
      this.#saveThenSend(entry);
    }
  }

  async discard(cid: string, to?: string): Promise<void> {
    // A message that is being sent cannot be called back.
    const entries = this.#entries.withCid(cid, to).filter(({ outgoing }) => outgoing.state !== 'sending');
    for (const entry of entries) {
      this.#discard(entry);
      this.#postToTabs(entry.outgoing);
    }
    await Promise.all(entries.map(({ outgoing }) => this.#ownStorage?.delete(outgoing)));
  }

  /** Sends the waiting messages, if the connection is live. */
  send(): void {
    const socket = this.#live();
    if (!socket || this.#pause.isOn) return;
    const now = performance.now();
    const passed = new Set<string>();
    for (const entry of this.#entries.all()) {
      const { to, state } = entry.outgoing;
      if (state === 'refused' || passed.has(to)) continue;
      passed.add(to);
      if (!this.#busy.has(to) && entry.sendAfter <= now) void this.#sendOne(socket, entry);
    }
  }

  /** The connection ended, and with it its limit of messages. */
  onEnd(): void {
    this.#pause.cancel();
  }

  /** A message of the user is in their log: the service has stored it, from any of their devices. */
  onOwnMessage(message: MessageEvent): void {
    this.#onStored(toStored(message));
  }

  /** A message changed in another tab of this user. */
  onTabMessage(outgoing: Outgoing): void {
    const { state } = outgoing;
    const entry = this.#entries.find(outgoing);
    if (state === 'stored') this.#onStored(outgoing, false);
    // Of two messages with one cid the service stores one and refuses the other: each tab continues with its own.
    if (state === 'stored' || (!entry && this.#entries.at(outgoing))) return;
    if (state === 'discarded') {
      if (entry && entry.outgoing.state !== 'sending') this.#discard(entry);
    } else if (
      state !== 'sending' &&
      entry?.outgoing.state !== 'sending' &&
      entry?.outgoing.state !== state
    ) {
      const { takeOverMs } = this.#timeouts;
      const known = entry ?? this.#entries.add({ ...outgoing, state: 'waiting' }, NOT_YET);
      if (state === 'waiting') setWaiting(known, NOT_YET);
      else setRefused(known, new DoormanError(403, outgoing.error ?? '', ''));
      this.#emitter.emit('outgoing', known.outgoing);
      if (state === 'waiting') setTimeout(() => void this.#takeOver(known), takeOverMs);
    }
  }

  /**
   * Sends the message of another tab, which may have been closed. A message that it did not store on the device is still the draft
   * there, and is dropped here.
   */
  async #takeOver(entry: Entry): Promise<void> {
    const isStored = await this.#ownStorage?.has(entry.outgoing);
    if (!this.#entries.has(entry) || entry.outgoing.state !== 'waiting') return;
    if (!isStored) return this.#discard(entry);
    entry.sendAfter = 0;
    this.send();
  }

  async #sendOne(socket: Socket, entry: Entry): Promise<void> {
    const { to, cid, body, replyTo } = entry.outgoing;
    const busy = this.#busy;
    busy.add(to);
    this.#change(entry, { state: 'sending' });
    try {
      const { n, at } = await socket.request<Stored>({ type: 'send', to, cid, body, replyTo });
      busy.delete(to);
      this.#pause.resetFaults();
      this.#markStored(entry, { n, at });
    } catch (error) {
      busy.delete(to);
      if (!(error instanceof DoormanError)) throw error;
      if (!this.#entries.has(entry)) return;
      const refusal = refusalOf(entry, error);
      if (refusal) {
        setRefused(entry, refusal);
        this.#announce(entry);
        this.#ownStorage?.save(entry.outgoing).catch(ignore);
      } else {
        this.#change(entry, { state: 'waiting' });
        if (error.code !== 0) this.#pause.start(error);
      }
    }
    this.send();
  }

  #saveThenSend(entry: Entry, draftKey?: string): void {
    const storage = this.#ownStorage;
    const release = () => {
      entry.sendAfter = 0;
      this.send();
    };
    // Without a working storage it is sent all the same.
    this.#restored
      .then(() => (this.#entries.has(entry) ? storage?.save(entry.outgoing, draftKey) : undefined))
      .then(release, release);
  }

  /** The service stored a message of the user. @param isNewToTabs other tabs do not know it yet */
  #onStored(outgoing: Outgoing, isNewToTabs = true): void {
    const entry = this.#entries.find(outgoing);
    if (entry) this.#markStored(entry, outgoing, isNewToTabs);
    else this.#stored.add(outgoing);
  }

  #markStored(entry: Entry, { n = 0, at = 0 }: { n?: number; at?: number }, isNewToTabs = true): void {
    if (!this.#entries.has(entry)) return;
    this.#entries.delete(entry);
    this.#ownStorage?.delete(entry.outgoing).catch(ignore);
    this.#change(entry, { state: 'stored', n, at });
    if (isNewToTabs) this.#postToTabs(entry.outgoing);
    this.#stored.add(entry.outgoing, entry.deferred);
    this.send();
  }

  #discard(entry: Entry): void {
    this.#entries.delete(entry);
    this.#change(entry, { state: 'discarded' });
    entry.deferred.reject(new DoormanError(0, 'discarded', 'The message was discarded'));
    this.send();
  }

  #change(entry: Entry, change: Partial<Outgoing>): void {
    entry.outgoing = { ...entry.outgoing, ...change };
    this.#emitter.emit('outgoing', entry.outgoing);
  }

  #announce({ outgoing }: Entry): void {
    this.#emitter.emit('outgoing', outgoing);
    this.#postToTabs(outgoing);
  }

  #postToTabs(outgoing: Outgoing): void {
    this.#tabs.post({ kind: 'outgoing', userId: this.#userId, outgoing });
  }
}

function cidUsed(): DoormanError {
  return new DoormanError(400, 'cid_used', 'Another message has this cid');
}

function signedOut(): DoormanError {
  return new DoormanError(401, 'signed_out', 'No user is signed in');
}

/** For a storage that accepts nothing, as a full one: its messages are sent again, and the service recognizes their cid. */
function ignore(): void {}
