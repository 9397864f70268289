import { type Conversation, type Doorman, DoormanError, type PersonName } from 'doorman-client';
import { Pages } from '../../../data/pages.ts';
import type { RequestQueue } from '../../../data/request-queue.ts';

export interface ConversationPagesOptions {
  readonly doorman: Doorman;
  readonly queue: RequestQueue;
  /** Something of this conversation is shown, if only what the log told of it. */
  isKnown(peer: string): boolean;
  onConversations(conversations: readonly Conversation[]): void;
  onPeople(people: readonly PersonName[]): void;
}

type ConversationPage = Awaited<ReturnType<Doorman['api']['conversations']>>;

/** Which conversations the service has answered: the latest in pages, others one by one. */
export class ConversationPages {
  readonly list: Pages<ConversationPage>;
  readonly #options: ConversationPagesOptions;
  readonly #loaded = new Set<string>();
  /** Single ones that are asked for in the background. */
  #loads = new Set<string>();

  constructor(options: ConversationPagesOptions) {
    this.#options = options;
    this.list = new Pages({
      queue: options.queue,
      fetchPage: (after) => options.doorman.api.conversations({ after }),
      // Those that are loaded follow the log since, which knows them better.
      onPage: ({ conversations, people }) =>
        this.#add(
          conversations.filter(({ peer }) => !this.#loaded.has(peer)),
          people,
        ),
    });
  }

  /** The list begins with these; what is under way counts no more. @param next where the second page starts */
  begin(conversations: readonly Conversation[], next?: string): void {
    this.#loads = new Set();
    this.#loaded.clear();
    for (const { peer } of conversations) this.#loaded.add(peer);
    this.list.begin(next);
  }

  /** What is known of it is all that the service says: it answered it, or it answered all and this is none of them. */
  has(peer: string): boolean {
    return this.#loaded.has(peer) || (!this.list.hasMore && !this.#options.isKnown(peer));
  }

  /** One that begins is known from its first message on. */
  add(peer: string): void {
    this.#loaded.add(peer);
  }

  /**
   * Asks for one conversation, also for one that is loaded.
   *
   * @throws {DoormanError}
   */
  async load(peer: string, { isBackground = false } = {}): Promise<void> {
    const { doorman, queue } = this.#options;
    const loads = this.#loads;
    const answer = await queue.run(() => doorman.api.conversations({ peer }), { isBackground });
    if (loads !== this.#loads) return;
    this.#loaded.add(peer);
    this.#add(answer.conversations, answer.people);
  }

  /** The same while nothing waits for it. Where it fails, what is known stays. */
  loadSoon(peer: string): void {
    const loads = this.#loads;
    if (loads.has(peer)) return;
    loads.add(peer);
    this.load(peer, { isBackground: true })
      .catch((error: unknown) => {
        if (!(error instanceof DoormanError)) throw error;
      })
      .finally(() => loads.delete(peer));
  }

  /** It is shown, though its page is not loaded. */
  loadMissing(peer: string): void {
    if (!this.has(peer)) this.loadSoon(peer);
  }

  #add(conversations: readonly Conversation[], people: readonly PersonName[]): void {
    for (const { peer } of conversations) this.#loaded.add(peer);
    this.#options.onPeople(people);
    this.#options.onConversations(conversations);
  }
}
