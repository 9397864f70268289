import { type Doorman, DoormanError, type Message } from 'doorman-client';
import type { RequestQueue } from '../../../data/request-queue.ts';
import { append, endOf, type MessageRange, newest, prepend } from './message-range.ts';

/** Messages that one page of the history has. */
const PAGE = 50;
/** What was missed is asked for in larger pages; beyond one of them only the newest page is. */
const GAP_PAGE = 100;
const NOTHING: MessageRange = { messages: [], hasOlder: false };

export interface HistoryOptions {
  readonly doorman: Doorman;
  readonly queue: RequestQueue;
  readonly peer: string;
  /** The number of the last message that the log told of. */
  head(): number;
  /** Whether `head` is what the service says; else `load` asks for it. */
  isLoaded(): boolean;
  /** @throws {DoormanError} */
  load(): Promise<void>;
  /** Whether it is worth asking: the thread is on the screen, and `head` is what the service says. */
  isWanted(): boolean;
  /** Something was loaded, or could not be. */
  changed(): void;
}

/** The stored messages of one conversation from some point on to the newest, without gaps. */
export class ThreadHistory {
  readonly #options: HistoryOptions;
  #range: MessageRange | undefined;
  /** What came while there is a gap before it. */
  readonly #ahead = new Map<number, Message>();
  #failure: string | undefined;
  /** The loads that are under way; what they bring counts only while they stand here. */
  #newer: object | undefined;
  #older: object | undefined;
  /** An older page was asked for and did not come. */
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

  /** The word of what went wrong; nothing is loaded until `retry`. */
  get failure(): string | undefined {
    return this.#failure;
  }

  /** It reaches up to the last message that the log told of. */
  get isUpToDate(): boolean {
    if (!this.#options.isLoaded()) return false;
    return (
      this.#options.head() === 0 || (this.#range !== undefined && endOf(this.#range) >= this.#options.head())
    );
  }

  /** Loads what is between here and the last message that is known, or the newest page. */
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
        if (this.#range === before) return; // the history has less than the log says: not again and again
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

  /** The log told of a message. */
  add(message: Message): void {
    if (!this.#range && message.n === 1) this.#range = { messages: [message], hasOlder: false };
    else if (this.#range && message.n <= endOf(this.#range) + 1) this.#range = append(this.#range, [message]);
    else if (this.#options.isWanted() && this.#ahead.size < GAP_PAGE) this.#ahead.set(message.n, message);
  }

  /** What was kept on this device, unless something is known. */
  restore(range: MessageRange): void {
    this.#range ??= range;
  }

  /** Everything was told anew, in what may be another state of the database. */
  onSnapshot(isOtherDatabase: boolean): void {
    const isTooLong = this.#range && this.#options.isLoaded() && endOf(this.#range) > this.#options.head();
    if (isOtherDatabase || isTooLong) this.clear();
    this.#failure = undefined;
  }

  /** Only the last page stays. */
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
    // More was missed than is worth getting: as if it had been opened now.
    const latest = missed && !missed.more ? undefined : await this.#fetch({ limit: PAGE });
    if (this.#newer !== own) return;
    // Events may have come in the meantime.
    const came = [...(this.#range?.messages ?? []), ...this.#ahead.values()];
    const page = latest && { messages: latest.items, hasOlder: latest.more };
    const range = page ?? append(this.#range ?? NOTHING, missed?.items ?? []);
    this.#range = append(range, came);
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
