import { type Doorman, DoormanError, type Message } from 'doorman-client';
import type { RequestQueue } from '../../../data/request-queue.ts';
import type { ChangeMessage } from '../messages/message-changes.ts';
import {
  append,
  endOf,
  findMessage,
  type MessageRange,
  NO_MESSAGES,
  newest,
  prepend,
  withChanged,
  withQuoted,
} from '../messages/message-range.ts';

/** Messages that one page of the history has. */
const PAGE = 50;
/** Missed messages are loaded in one larger page; if more were missed, the newest page is loaded instead. */
const GAP_PAGE = 100;

interface HistoryOptions {
  readonly doorman: Doorman;
  readonly queue: RequestQueue;
  readonly peer: string;
  /** The number of the last message by the events. */
  head(): number;
  /** How many changes of messages are known by the events and by what was loaded. */
  revision(): number;
  /** A page of the history has this revision. */
  onRevision(revision: number): void;
  /** Whether `head` is right; if not, `load` loads it. */
  isLoaded(): boolean;
  /** @throws {DoormanError} */
  load(): Promise<void>;
  /** Whether messages should be loaded: the thread is on the screen, and the conversations are synced. */
  isWanted(): boolean;
  /** Messages were loaded, or a request failed. */
  changed(): void;
}

type HistoryPage = Awaited<ReturnType<Doorman['api']['history']>>;

/** A change that an event brought. */
interface Change {
  readonly n: number;
  readonly revision: number;
  readonly change: ChangeMessage;
}

/** The stored messages of one conversation up to the newest, without gaps. */
export class ThreadHistory {
  readonly #options: HistoryOptions;
  #range: MessageRange | undefined;
  #requests = 0;
  /** Changes that came during the requests in progress, whose pages may be from before them. */
  #changes: Change[] = [];
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

  /** Messages were changed without an event, as during a block or while this device was away for long. */
  get isOutdated(): boolean {
    return this.#range !== undefined && this.#range.revision < this.#options.revision();
  }

  /** The range has the last message, and all changes. */
  get isUpToDate(): boolean {
    const { isLoaded, head } = this.#options;
    if (!isLoaded() || this.isOutdated) return false;
    return head() === 0 || (this.#range !== undefined && endOf(this.#range) >= head());
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
  loadOlder(limit = PAGE): boolean {
    const [first] = this.#range?.messages ?? [];
    if (!first || !this.#range?.hasOlder || this.#older) return false;
    const own = {};
    this.#older = own;
    this.#lacksOlder = true;
    void this.#attempt(async () => {
      const page = await this.#fetch({ before: first.n, limit });
      if (this.#older !== own || !this.#range) return;
      this.#range = prepend(withQuoted(this.#range, page.quoted), page.items, page.more);
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
    if (!this.#range && message.n === 1)
      this.#range = { ...NO_MESSAGES, messages: [message], revision: this.#options.revision() };
    else if (this.#range && message.n <= endOf(this.#range) + 1) this.#range = append(this.#range, [message]);
    else if (this.#options.isWanted() && this.#ahead.size < GAP_PAGE) this.#ahead.set(message.n, message);
  }

  /**
   * Takes the change of an event, after `revision` has counted it.
   *
   * @param change absent where the event does not have it: the messages are loaded again
   */
  change(n: number, revision: number, change?: ChangeMessage): void {
    if (!change) return;
    if (this.#requests > 0) this.#changes.push({ n, revision, change });
    const ahead = this.#ahead.get(n);
    if (ahead) this.#ahead.set(n, change(ahead));
    const before = this.#range?.revision ?? revision;
    if (!this.#range || before >= revision) return;
    // One that lacks an earlier change stays outdated.
    const isNext = revision === before + 1;
    this.#range = { ...withChanged(this.#range, n, change), revision: isNext ? revision : before };
  }

  /** Loads a message that others answer, for the quote. An error leaves the quote empty. */
  async loadQuoted(n: number): Promise<void> {
    const range = this.#range;
    if (!range || findMessage(range, n)) return;
    const page = await this.#fetch({ after: n - 1, limit: 1 }).catch(() => undefined);
    if (!page || !this.#range) return;
    this.#range = withQuoted(
      this.#range,
      page.items.filter((one) => one.n === n),
    );
    this.#options.changed();
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
    const known = this.isOutdated ? undefined : this.#range;
    const missed = known && (await this.#fetch({ after: endOf(known), limit: GAP_PAGE }));
    // More was missed than one page: starts with the newest page, as a thread that is opened.
    const latest = missed && !missed.more ? undefined : await this.#fetch({ limit: PAGE });
    if (this.#newer !== own) return;
    // Events may have come during the request.
    const received = [...(this.#range?.messages ?? []), ...this.#ahead.values()];
    const page = latest && {
      messages: latest.items,
      hasOlder: latest.more,
      quoted: latest.quoted,
      revision: Math.max(latest.revision, this.#options.revision()),
    };
    const range =
      page ?? append(withQuoted(this.#range ?? NO_MESSAGES, missed?.quoted ?? []), missed?.items ?? []);
    this.#range = append(range, received);
    this.#ahead.clear();
  }

  /** A page, with the changes that came while it was loaded. */
  async #fetch(fields: { before?: number; after?: number; limit: number }): Promise<HistoryPage> {
    const { doorman, queue, peer } = this.#options;
    this.#requests++;
    try {
      const page = await queue.run(() => doorman.api.history({ peer, ...fields }));
      this.#options.onRevision(page.revision);
      const later = this.#changes.filter(({ revision }) => revision > page.revision);
      const update = (message: Message) =>
        later.reduce((changed, { n, change }) => (n === message.n ? change(changed) : changed), message);
      return { ...page, items: page.items.map(update), quoted: page.quoted.map(update) };
    } finally {
      this.#requests--;
      if (this.#requests === 0) this.#changes = [];
    }
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
