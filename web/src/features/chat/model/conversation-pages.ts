import { type Conversation, type Doorman, DoormanError, type PersonName } from 'doorman-client';
import { Pages } from '../../../data/pages.ts';
import type { RequestQueue } from '../../../data/request-queue.ts';

export interface ConversationPagesOptions {
  readonly doorman: Doorman;
  readonly queue: RequestQueue;
  /** The conversation is in the list, perhaps only from an event. */
  isKnown(peer: string): boolean;
  /** @param seq of the log, up to which they are true */
  onConversations(conversations: readonly Conversation[], seq: number): void;
  /** The user has no conversation with the peer. */
  onNone(peer: string): void;
  onPeople(people: readonly PersonName[]): void;
}

type ConversationPage = Awaited<ReturnType<Doorman['api']['conversations']>>;

/** Loads conversations, the latest in pages and others one by one, and knows which are loaded. */
export class ConversationPages {
  readonly list: Pages<ConversationPage>;
  readonly #options: ConversationPagesOptions;
  readonly #loaded = new Set<string>();
  /** Peers of conversations that are being loaded in the background. */
  #loading = new Set<string>();

  constructor(options: ConversationPagesOptions) {
    this.#options = options;
    this.list = new Pages({
      queue: options.queue,
      fetchPage: (after) => options.doorman.api.conversations({ after }),
      // Loaded conversations follow the events since, which are newer than the page.
      onPage: ({ conversations, ...page }) =>
        this.#add({ ...page, conversations: conversations.filter(({ peer }) => !this.#loaded.has(peer)) }),
    });
  }

  /** For a new first page; results of requests in progress are dropped. @param next where the second page starts */
  begin(conversations: readonly Conversation[], next?: string): void {
    this.#loading = new Set();
    this.#loaded.clear();
    for (const { peer } of conversations) this.#loaded.add(peer);
    this.list.begin(next);
  }

  /** It is loaded, or all conversations are and it is not among them. */
  has(peer: string): boolean {
    return this.#loaded.has(peer) || (!this.list.hasMore && !this.#options.isKnown(peer));
  }

  /** A conversation that begins now, with its first message, needs no loading. */
  add(peer: string): void {
    this.#loaded.add(peer);
  }

  /**
   * Loads one conversation, also if it is loaded already.
   *
   * @throws {DoormanError}
   */
  async load(peer: string, { isBackground = false } = {}): Promise<void> {
    const { doorman, queue } = this.#options;
    const loads = this.#loading;
    const answer = await queue.run(() => doorman.api.conversations({ peer }), { isBackground });
    if (loads !== this.#loading) return;
    this.#loaded.add(peer);
    this.#add(answer);
    if (answer.conversations.length === 0) this.#options.onNone(peer);
  }

  /** The same in the background. After an error the known state stays. */
  loadSoon(peer: string): void {
    const loads = this.#loading;
    if (loads.has(peer)) return;
    loads.add(peer);
    this.load(peer, { isBackground: true })
      .catch((error: unknown) => {
        if (!(error instanceof DoormanError)) throw error;
      })
      .finally(() => loads.delete(peer));
  }

  /** For a conversation that is shown. */
  loadMissing(peer: string): void {
    if (!this.has(peer)) this.loadSoon(peer);
  }

  #add({ conversations, people, seq }: ConversationPage): void {
    for (const { peer } of conversations) this.#loaded.add(peer);
    this.#options.onPeople(people);
    this.#options.onConversations(conversations, seq);
  }
}
