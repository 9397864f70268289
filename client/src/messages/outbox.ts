import { badText, hasBadText } from '../bad-text.ts';
import type { Link } from '../connection/socket.ts';
import type { Emitter } from '../emitter.ts';
import { DoormanError } from '../errors.ts';
import type { DoormanEvents, MessageEvent, Outgoing } from '../events.ts';
import type { DoormanStorage } from '../storage/storage.ts';
import type { Tabs } from '../storage/tab-channel.ts';
import type { Timeouts } from '../timeouts.ts';
import type { Stored } from '../wire.ts';
import { rejected } from './deferred.ts';
import { type Entry, isSame, OutboxEntries, refusalOf, setRefused, setWaiting } from './outbox-entries.ts';
import { OutgoingShelf } from './outbox-storage.ts';
import { SendPause } from './send-pause.ts';
import { StoredMessages, toStored } from './stored-messages.ts';

const NOT_YET = Number.POSITIVE_INFINITY;

/**
 * What was written and is not stored yet. It is kept before it is sent, and sent until there is a reply, one after the
 * other to each recipient; the service knows a message by its `cid`, however often it comes. A `cid` names one message:
 * recipient and words are compared wherever one is known, in this tab, in another one, or in the log.
 */
export class Outbox {
  readonly #storage: DoormanStorage;
  readonly #tabs: Tabs;
  readonly #times: Timeouts;
  readonly #emitter: Emitter<DoormanEvents>;
  readonly #live: () => Link | undefined;
  #userId = '';
  #shelf: OutgoingShelf | undefined;
  #entries = new OutboxEntries();
  /** What was kept here is taken up. */
  #opened: Promise<void> = Promise.resolve();
  readonly #stored = new StoredMessages();
  /** To whom something is under way. */
  #busy = new Set<string>();
  #lastWrittenAt = 0;
  readonly #pause: SendPause;

  /** @param live the connection, while it is live */
  constructor(
    storage: DoormanStorage,
    tabs: Tabs,
    times: Timeouts,
    emitter: Emitter<DoormanEvents>,
    live: () => Link | undefined,
  ) {
    this.#storage = storage;
    this.#tabs = tabs;
    this.#times = times;
    this.#emitter = emitter;
    this.#live = live;
    this.#pause = new SendPause(times, () => this.send());
  }

  /** Takes up what this user has left here; what another one has left is out of sight. */
  open(userId = ''): Promise<void> {
    for (const { promised } of this.#entries.all()) promised.reject(signedOut());
    this.#pause.breakOff();
    this.#entries = new OutboxEntries();
    this.#stored.clear();
    this.#busy = new Set();
    this.#userId = userId;
    this.#shelf = userId === '' ? undefined : new OutgoingShelf(this.#storage, userId);
    this.#opened = this.#takeUpKept();
    return this.#opened;
  }

  async #takeUpKept(): Promise<void> {
    const shelf = this.#shelf;
    // What cannot be read now may be read at the next start: nobody is kept out for it.
    const kept = (await shelf?.all().catch(() => [])) ?? [];
    if (shelf !== this.#shelf) return;
    for (const entry of this.#entries.takeUp(kept)) {
      entry.promised.reject(cidUsed());
      this.#change(entry, { state: 'discarded' });
    }
  }

  all(): Outgoing[] {
    return this.#entries.all().map(({ outgoing }) => outgoing);
  }

  write(to: string, body: string, cid: string): Promise<Outgoing> {
    if (!this.#shelf) return rejected(signedOut());
    if (hasBadText([to, body, cid])) return rejected(badText());
    const known = [...this.#entries.withCid(cid), ...this.#stored.withCid(cid)];
    const same = known.find((one) => isSame(one, { to, body }));
    if (same) return same.promised.promise;
    if (known.length > 0) return rejected(cidUsed());
    // Later than the one before also within a millisecond, or when the clock is set back: it is their order.
    this.#lastWrittenAt = Math.max(Date.now(), this.#lastWrittenAt + 1);
    const outgoing = { to, cid, body, writtenAt: this.#lastWrittenAt, state: 'waiting' } as const;
    const entry = this.#entries.add(outgoing, NOT_YET);
    this.#tell(entry);
    this.#keepThenSend(entry);
    return entry.promised.promise;
  }

  retry(cid: string, to?: string): void {
    for (const entry of this.#entries.withCid(cid, to)) {
      if (entry.outgoing.state !== 'refused') continue;
      setWaiting(entry, NOT_YET);
      this.#tell(entry);
      this.#keepThenSend(entry);
    }
  }

  async discard(cid: string, to?: string): Promise<void> {
    // One that is under way cannot be called back.
    const entries = this.#entries.withCid(cid, to).filter(({ outgoing }) => outgoing.state !== 'sending');
    for (const entry of entries) {
      this.#drop(entry);
      this.#tellOthers(entry.outgoing);
    }
    await Promise.all(entries.map(({ outgoing }) => this.#shelf?.forget(outgoing)));
  }

  /** Sends what waits, if the connection is live. */
  send(): void {
    const link = this.#live();
    if (!link || this.#pause.isOn) return;
    const now = performance.now();
    const passed = new Set<string>();
    for (const entry of this.#entries.all()) {
      const { to, state } = entry.outgoing;
      if (state === 'refused' || passed.has(to)) continue;
      passed.add(to);
      if (!this.#busy.has(to) && entry.fromAt <= now) void this.#sendOne(link, entry);
    }
  }

  /** The connection is gone, and with it what it said about too many messages. */
  left(): void {
    this.#pause.breakOff();
  }

  /** A message of the user's own is in their log: it is stored, from whichever device. */
  seen(message: MessageEvent): void {
    this.#noteStored(toStored(message));
  }

  /** What became of a message in another tab of this user. */
  learn(outgoing: Outgoing): void {
    const { state } = outgoing;
    const entry = this.#entries.find(outgoing);
    if (state === 'stored') this.#noteStored(outgoing, false);
    // Of two messages with one cid the service takes one, and refuses the other: each tab goes on with its own.
    if (state === 'stored' || (!entry && this.#entries.at(outgoing))) return;
    if (state === 'discarded') {
      if (entry && entry.outgoing.state !== 'sending') this.#drop(entry);
    } else if (
      state !== 'sending' &&
      entry?.outgoing.state !== 'sending' &&
      entry?.outgoing.state !== state
    ) {
      const { takeOverMs } = this.#times;
      const known = entry ?? this.#entries.add({ ...outgoing, state: 'waiting' }, NOT_YET);
      if (state === 'waiting') setWaiting(known, performance.now() + takeOverMs);
      else setRefused(known, new DoormanError(403, outgoing.error ?? '', ''));
      this.#emitter.emit('outgoing', known.outgoing);
      if (state === 'waiting') setTimeout(() => this.send(), takeOverMs + 1);
    }
  }

  async #sendOne(link: Link, entry: Entry): Promise<void> {
    const { to, cid, body } = entry.outgoing;
    const busy = this.#busy;
    busy.add(to);
    this.#change(entry, { state: 'sending' });
    try {
      const { n, at } = await link.request<Stored>({ type: 'send', to, cid, body });
      busy.delete(to);
      this.#pause.forgetFaults();
      this.#store(entry, { n, at });
    } catch (error) {
      busy.delete(to);
      if (!(error instanceof DoormanError)) throw error;
      if (!this.#entries.has(entry)) return;
      const refusal = refusalOf(entry, error);
      if (refusal) {
        setRefused(entry, refusal);
        this.#tell(entry);
        this.#shelf?.keep(entry.outgoing).catch(ignore);
      } else {
        this.#change(entry, { state: 'waiting' });
        if (error.code !== 0) this.#pause.begin(error);
      }
    }
    this.send();
  }

  #keepThenSend(entry: Entry): void {
    const shelf = this.#shelf;
    const release = () => {
      entry.fromAt = 0;
      this.send();
    };
    // Where nothing can be kept it is sent all the same.
    this.#opened
      .then(() => (this.#entries.has(entry) ? shelf?.keep(entry.outgoing) : undefined))
      .then(release, release);
  }

  /** A message of the user's own is stored, from whichever tab or device. */
  #noteStored(outgoing: Outgoing, isNews = true): void {
    const entry = this.#entries.find(outgoing);
    if (entry) this.#store(entry, outgoing, isNews);
    else this.#stored.add(outgoing);
  }

  #store(entry: Entry, { n = 0, at = 0 }: { n?: number; at?: number }, isNews = true): void {
    if (!this.#entries.has(entry)) return;
    this.#entries.delete(entry);
    this.#shelf?.forget(entry.outgoing).catch(ignore);
    this.#change(entry, { state: 'stored', n, at });
    if (isNews) this.#tellOthers(entry.outgoing);
    this.#stored.add(entry.outgoing, entry.promised);
    this.send();
  }

  #drop(entry: Entry): void {
    this.#entries.delete(entry);
    this.#change(entry, { state: 'discarded' });
    entry.promised.reject(new DoormanError(0, 'discarded', 'The message was discarded'));
    this.send();
  }

  #change(entry: Entry, change: Partial<Outgoing>): void {
    entry.outgoing = { ...entry.outgoing, ...change };
    this.#emitter.emit('outgoing', entry.outgoing);
  }

  #tell({ outgoing }: Entry): void {
    this.#emitter.emit('outgoing', outgoing);
    this.#tellOthers(outgoing);
  }

  /** What became of a message here, for the other tabs of this user. */
  #tellOthers(outgoing: Outgoing): void {
    this.#tabs.tell({ kind: 'outgoing', userId: this.#userId, outgoing });
  }
}

function cidUsed(): DoormanError {
  return new DoormanError(400, 'cid_used', 'Another message has this cid');
}

function signedOut(): DoormanError {
  return new DoormanError(401, 'signed_out', 'Nobody is signed in');
}

/** Of a storage that takes nothing, as one that is full: what it has is sent again, and known by its cid. */
function ignore(): void {}
