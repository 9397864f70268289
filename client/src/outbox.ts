import { DoormanError } from './errors.ts';
import type { MessageEvent, Outgoing } from './events.ts';
import type { Link } from './link.ts';
import { OutgoingShelf } from './outgoing-shelf.ts';
import { Promised } from './promised.ts';
import type { DoormanStorage } from './storage.ts';
import type { Times } from './times.ts';
import type { Stored } from './wire.ts';

export interface OutboxHost {
  readonly storage: DoormanStorage;
  readonly times: Times;
  /** The connection, while it is live. */
  live(): Link | undefined;
  told(outgoing: Outgoing): void;
  /** What became of a message here, for the other tabs of this user. */
  tellOthers(outgoing: Outgoing): void;
}

interface Entry {
  outgoing: Outgoing;
  promised: Promised<Outgoing>;
  /** When this tab may send it, epoch milliseconds: not before it is kept; one of another tab when that one had its time. */
  fromAt: number;
}

const NOT_YET = Number.POSITIVE_INFINITY;
/** How many stored messages are remembered, for whoever sends one of them again. */
const MAX_SETTLED = 200;

/**
 * What was written and is not stored yet. It is kept before it is sent, and sent until there is a reply, one after the
 * other to each recipient; the service knows a message by its `cid`, however often it comes.
 */
export class Outbox {
  readonly #host: OutboxHost;
  #userId = '';
  #shelf: OutgoingShelf | undefined;
  /** In the order in which they were written. */
  #entries = new Map<string, Entry>();
  readonly #settled = new Map<string, Promise<Outgoing>>();
  /** To whom something is under way. */
  #busy = new Set<string>();
  #lastWrittenAt = 0;
  #faults = 0;
  #pause: ReturnType<typeof setTimeout> | undefined;

  constructor(host: OutboxHost) {
    this.#host = host;
  }

  /** Takes up what this user has left here; what another one has left is out of sight. */
  async open(userId = ''): Promise<void> {
    for (const { promised } of this.#entries.values()) promised.reject(signedOut());
    this.#endPause();
    this.#entries = new Map();
    this.#settled.clear();
    this.#busy = new Set();
    this.#userId = userId;
    this.#shelf = userId === '' ? undefined : new OutgoingShelf(this.#host.storage, userId);
    // What cannot be read now may be read at the next start: nobody is kept out for it.
    const kept = (await this.#shelf?.all().catch(() => [])) ?? [];
    // What was written meanwhile comes after it.
    const written = this.#entries;
    this.#entries = new Map();
    for (const outgoing of kept) this.#add(outgoing, 0);
    for (const [cid, entry] of written) this.#entries.set(cid, entry);
  }

  get userId(): string {
    return this.#userId;
  }

  all(): Outgoing[] {
    return [...this.#entries.values()].map(({ outgoing }) => outgoing);
  }

  write(to: string, body: string, cid: string): Promise<Outgoing> {
    const known = this.#entries.get(cid)?.promised.promise ?? this.#settled.get(cid);
    if (known) return known;
    if (!this.#shelf) {
      const nobody = new Promised<Outgoing>();
      nobody.reject(signedOut());
      return nobody.promise;
    }
    // Later than the one before also within a millisecond, or when the clock is set back: it is their order.
    this.#lastWrittenAt = Math.max(Date.now(), this.#lastWrittenAt + 1);
    const outgoing = { to, cid, body, writtenAt: this.#lastWrittenAt, state: 'waiting' } as const;
    const entry = this.#add(outgoing, NOT_YET);
    this.#tell(entry);
    this.#keepThenSend(entry);
    return entry.promised.promise;
  }

  retry(cid: string): void {
    const entry = this.#entries.get(cid);
    if (entry?.outgoing.state !== 'refused') return;
    this.#wait(entry, NOT_YET);
    this.#tell(entry);
    this.#keepThenSend(entry);
  }

  async discard(cid: string): Promise<void> {
    const entry = this.#entries.get(cid);
    // One that is under way cannot be called back.
    if (!entry || entry.outgoing.state === 'sending') return;
    this.#drop(entry);
    this.#host.tellOthers(entry.outgoing);
    await this.#shelf?.forget(cid);
  }

  /** Sends what waits, if the connection is live. */
  send(): void {
    const link = this.#host.live();
    if (!link || this.#pause !== undefined) return;
    const now = Date.now();
    const passed = new Set<string>();
    for (const entry of this.#entries.values()) {
      const { to, state } = entry.outgoing;
      if (state === 'refused' || passed.has(to)) continue;
      passed.add(to);
      if (!this.#busy.has(to) && entry.fromAt <= now) void this.#sendOne(link, entry);
    }
  }

  /** The connection is gone, and with it what it said about too many messages. */
  left(): void {
    this.#endPause();
  }

  /** A message of the user's own is in his log: it is stored, whoever sent it. */
  seen({ n, cid, at }: MessageEvent): void {
    const entry = this.#entries.get(cid);
    if (entry) this.#store(entry, { n, at });
  }

  /** What became of a message in another tab of this user. */
  learn(outgoing: Outgoing): void {
    const { cid, state, n = 0, at = 0 } = outgoing;
    const entry = this.#entries.get(cid);
    if (state === 'stored') {
      if (entry) this.#store(entry, { n, at }, false);
    } else if (state === 'discarded') {
      if (entry && entry.outgoing.state !== 'sending') this.#drop(entry);
    } else if (
      state !== 'sending' &&
      entry?.outgoing.state !== 'sending' &&
      entry?.outgoing.state !== state
    ) {
      const { takeOverMs } = this.#host.times;
      const known = entry ?? this.#add({ ...outgoing, state: 'waiting' }, NOT_YET);
      if (state === 'waiting') this.#wait(known, Date.now() + takeOverMs);
      else this.#refuse(known, outgoing.error ?? '');
      this.#host.told(known.outgoing);
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
      this.#faults = 0;
      this.#store(entry, { n, at });
    } catch (error) {
      busy.delete(to);
      if (!(error instanceof DoormanError)) throw error;
      if (!this.#has(entry)) return;
      if (error.code === 400 || error.code === 403 || error.code === 404) {
        this.#refuse(entry, error.error, error);
        this.#tell(entry);
        this.#shelf?.keep(entry.outgoing).catch(ignore);
      } else {
        this.#change(entry, { state: 'waiting' });
        if (error.code !== 0) this.#pauseAfter(error);
      }
    }
    this.send();
  }

  #keepThenSend(entry: Entry): void {
    const release = () => {
      entry.fromAt = 0;
      this.send();
    };
    // Where nothing can be kept it is sent all the same.
    this.#shelf?.keep(entry.outgoing).then(release, release);
  }

  #add(outgoing: Outgoing, fromAt: number): Entry {
    const entry = { outgoing, promised: new Promised<Outgoing>(), fromAt };
    this.#entries.set(outgoing.cid, entry);
    return entry;
  }

  #has(entry: Entry): boolean {
    return this.#entries.get(entry.outgoing.cid) === entry;
  }

  #store(entry: Entry, { n, at }: { n: number; at: number }, isNews = true): void {
    if (!this.#has(entry)) return;
    const { cid } = entry.outgoing;
    this.#entries.delete(cid);
    this.#settled.set(cid, entry.promised.promise);
    const [oldest] = this.#settled.keys();
    if (this.#settled.size > MAX_SETTLED && oldest !== undefined) this.#settled.delete(oldest);
    this.#shelf?.forget(cid).catch(ignore);
    this.#change(entry, { state: 'stored', n, at });
    if (isNews) this.#host.tellOthers(entry.outgoing);
    entry.promised.resolve(entry.outgoing);
    this.send();
  }

  #wait(entry: Entry, fromAt: number): void {
    const { to, cid, body, writtenAt } = entry.outgoing;
    if (entry.outgoing.state === 'refused') entry.promised = new Promised();
    entry.outgoing = { to, cid, body, writtenAt, state: 'waiting' };
    entry.fromAt = fromAt;
  }

  #refuse(entry: Entry, word: string, error = new DoormanError(403, word, '')): void {
    entry.outgoing = { ...entry.outgoing, state: 'refused', error: word };
    entry.promised.reject(error);
  }

  #drop(entry: Entry): void {
    this.#entries.delete(entry.outgoing.cid);
    this.#change(entry, { state: 'discarded' });
    entry.promised.reject(new DoormanError(0, 'discarded', 'The message was discarded'));
    this.send();
  }

  #change(entry: Entry, change: Partial<Outgoing>): void {
    entry.outgoing = { ...entry.outgoing, ...change };
    this.#host.told(entry.outgoing);
  }

  #tell({ outgoing }: Entry): void {
    this.#host.told(outgoing);
    this.#host.tellOthers(outgoing);
  }

  /** Too many messages: over the socket it is not said for how long. Else the service has a fault: it is asked ever later. */
  #pauseAfter({ code, retryAfterMs }: DoormanError): void {
    const { pauseMs, maxPauseMs } = this.#host.times;
    const ms = code === 429 ? pauseMs : Math.min(maxPauseMs, pauseMs * 2 ** this.#faults++);
    clearTimeout(this.#pause);
    this.#pause = setTimeout(() => {
      this.#pause = undefined;
      this.send();
    }, retryAfterMs ?? ms);
  }

  #endPause(): void {
    clearTimeout(this.#pause);
    this.#pause = undefined;
  }
}

function signedOut(): DoormanError {
  return new DoormanError(401, 'signed_out', 'Nobody is signed in');
}

/** Of a storage that takes nothing, as one that is full: what it has is sent again, and known by its cid. */
function ignore(): void {}
