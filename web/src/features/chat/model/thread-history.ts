import { type Doorman, DoormanError, type Message } from 'doorman-client';
import type { RequestQueue } from '../../../data/request-queue.ts';
import { append, endOf, type MessageRange, newest, prepend } from './message-range.ts';

/** Messages that one page of the history has. */
const PAGE = 50;
/** Missed messages are loaded in one larger page; if more were missed, the newest page is loaded instead. */
const GAP_PAGE = 100;
const NOTHING: MessageRange = { messages: [], hasOlder: false };

interface HistoryOptions {
  readonly doorman: Doorman;
  readonly queue: RequestQueue;
  readonly peer: string;
  /** The number of the last message by the events. */
  head(): number;
  /** Whether `head` is right; if not, `load` loads it. */
  isLoaded(): boolean;
  /** @throws {DoormanError} */
  load(): Promise<void>;
  /** Whether messages should be loaded: the thread is on the screen, and the conversations are synced. */
  isWanted(): boolean;
  /** Messages were loaded, or a request failed. */
  changed(): void;
}

/** The stored messages of one conversation up to the newest, without gaps. */
export class ThreadHistory {
  readonly #options: HistoryOptions;
  #range: MessageRange | undefined;
  /** Messages of events after a gap, which is being loaded. */
  readonly #ahead = new Map<number, Message>();
  #failure: string | undefined;
  /** Identify the requests in progress: the result of any other is dropped. */
  #newer: object | undefined;
  #older: object | undefined;
  /** The request for an older page failed. */
  #lacksOlder = false;

  constructor(options: HistoryOptions) {
    this.#options = options;
  }

  get range(): MessageRange | undefined {
    return this.#range;
  }

  get isLoadingOlder(): boolean {
    return this.#older !== undefined;
  }

  /** The error word of the last request; nothing is loaded until `retry`. */
  get failure(): string | undefined {
    return this.#failure;
  }

  /** The range has the last message. */
  get isUpToDate(): boolean {
    if (!this.#options.isLoaded()) return false;
    return (
      this.#options.head() === 0 || (this.#range !== undefined && endOf(this.#range) >= this.#options.head())
    );
  }

  /** Loads the messages between the range and the last message, or the newest page. */
  catchUp(): void {
    if (this.#newer || this.#failure || this.isUpToDate || !this.#options.isWanted()) return;
    const own = {};
    this.#newer = own;
    void this.#attempt(async () => {
      while (this.#newer === own && !this.isUpToDate) {
        if (!this.#options.isLoaded()) await this.#options.load();
        if (this.isUpToDate) return;
        const before = this.#range;
        await this.#loadNewer(own);
        if (this.#range === before) return; // the history has less than the events say: no endless loop
      }
    }).finally(() => {
      if (this.#newer !== own) return;
      this.#newer = undefined;
      this.#options.changed();
    });
  }

  /** @returns whether there is something to load */
  loadOlder(): boolean {
    const [first] = this.#range?.messages ?? [];
    if (!first || !this.#range?.hasOlder || this.#older) return false;
    const own = {};
    this.#older = own;
    this.#lacksOlder = true;
    void this.#attempt(async () => {
      const { items, more } = await this.#fetch({ before: first.n, limit: PAGE });
      if (this.#older !== own || !this.#range) return;
      this.#range = prepend(this.#range, items, more);
      this.#lacksOlder = false;
    }).finally(() => {
      if (this.#older !== own) return;
      this.#older = undefined;
      this.#options.changed();
    });
    return true;
  }

  retry(): void {
    if (this.#failure === undefined) return;
    this.#failure = undefined;
    if (this.#lacksOlder && this.#options.isWanted()) this.loadOlder();
    this.catchUp();
  }

  /** Takes the message of an event. */
  add(message: Message): void {
    if (!this.#range && message.n === 1) this.#range = { messages: [message], hasOlder: false };
    else if (this.#range && message.n <= endOf(this.#range) + 1) this.#range = append(this.#range, [message]);
    else if (this.#options.isWanted() && this.#ahead.size < GAP_PAGE) this.#ahead.set(message.n, message);
  }

  /** Takes what is stored on this device, unless messages are loaded. */
  restore(range: MessageRange): void {
    this.#range ??= range;
  }

  /** After a full sync, perhaps with another database. */
  onSnapshot(isOtherDatabase: boolean): void {
    const isTooLong = this.#range && this.#options.isLoaded() && endOf(this.#range) > this.#options.head();
    if (isOtherDatabase || isTooLong) this.clear();
    this.#failure = undefined;
  }

  /** Keeps the last page only. */
  trim(): void {
    if (this.#range) this.#range = newest(this.#range, PAGE);
  }

  clear(): void {
    this.#range = undefined;
    this.#failure = undefined;
    this.#newer = undefined;
    this.#older = undefined;
    this.#lacksOlder = false;
    this.#ahead.clear();
  }

  async #loadNewer(own: object): Promise<void> {
    const known = this.#range;
    const missed = known && (await this.#fetch({ after: endOf(known), limit: GAP_PAGE }));
    // More was missed than one page: starts with the newest page, as a thread that is opened.
    const latest = missed && !missed.more ? undefined : await this.#fetch({ limit: PAGE });
    if (this.#newer !== own) return;
    // Events may have come during the request.
    const received = [...(this.#range?.messages ?? []), ...this.#ahead.values()];
    const page = latest && { messages: latest.items, hasOlder: latest.more };
    const range = page ?? append(this.#range ?? NOTHING, missed?.items ?? []);
    this.#range = append(range, received);
    this.#ahead.clear();
  }

  #fetch(fields: { before?: number; after?: number; limit: number }) {
    const { doorman, queue, peer } = this.#options;
    return queue.run(() => doorman.api.history({ peer, ...fields }));
  }

  async #attempt(load: () => Promise<void>): Promise<void> {
    try {
      await load();
      this.#failure = undefined;
    } catch (error) {
      if (!(error instanceof DoormanError)) throw error;
      if (error.error !== 'signed_out') this.#failure = error.error;
    }
  }
}
