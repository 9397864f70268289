import type {
  Doorman,
  MessageEvent,
  MessageRequestEvent,
  PersonName,
  Conversation as WireConversation,
} from 'doorman-client';
import { Fetched } from '../../../data/fetched.ts';
import type { RequestQueue } from '../../../data/request-queue.ts';
import { Derived } from '../../../data/store.ts';
import { listConversations } from './conversation-views.ts';
import { type Conversation, fromWire, noConversation, toWire, withMessage } from './conversations.ts';
import type { MessageRequestsView } from './views.ts';

interface MessageRequestsOptions {
  readonly doorman: Doorman;
  readonly queue: RequestQueue;
  ownId(): string;
  isBlocked(userId: string): boolean;
  onPeople(people: readonly PersonName[]): void;
  /** @param one what waited, if it is loaded */
  onAccepted(peer: string, one: Conversation | undefined): void;
  /** It waits no more and was not accepted. */
  onGone(peer: string): void;
  /** What waits has changed. */
  changed(): void;
}

/** The conversations that strangers began and that wait for an answer. At most fifty wait, so their list is one page. */
export class MessageRequests {
  readonly view: Derived<MessageRequestsView>;
  readonly #options: MessageRequestsOptions;
  readonly #waiting = new Map<string, Conversation>();
  readonly #list: Fetched<Awaited<ReturnType<Doorman['api']['messageRequests']>>>;
  #latest: unknown;
  /** How many wait by the snapshot; 0 once they are loaded. */
  #unloaded = 0;
  /** For each user of an event since the snapshot, its `seq`: an older list says nothing about them. */
  readonly #trueAt = new Map<string, number>();

  constructor(options: MessageRequestsOptions) {
    const { doorman, queue } = options;
    this.#options = options;
    this.#list = new Fetched(() => queue.run(() => doorman.api.messageRequests()));
    this.#list.subscribe(() => this.#onList());
    this.view = new Derived((before) => {
      const known = new Map([...this.#waiting].filter(([peer]) => !options.isBlocked(peer)));
      const rows = listConversations({
        own: options.ownId(),
        known,
        outgoing: new Map(),
        isBlocked: () => false,
        isRequests: true,
        before: before?.rows,
      });
      return { rows, count: Math.max(rows.length, this.#unloaded), failure: this.#list.failure };
    });
  }

  /** Whether it is known of every user if they wait. */
  get isLoaded(): boolean {
    return this.#unloaded === 0;
  }

  has(peer: string): boolean {
    return this.#waiting.has(peer);
  }

  get(peer: string): Conversation | undefined {
    return this.#waiting.get(peer);
  }

  onSnapshot(count: number): void {
    this.#trueAt.clear();
    this.#list.clear();
    this.#unloaded = count;
    if (count > 0) this.#list.refresh();
    else for (const peer of this.#waiting.keys()) this.#drop(peer);
    this.#changed();
  }

  /** Takes a message that waits. */
  onMessage(event: MessageEvent): void {
    const { peer, n, seq } = event;
    const before = this.#waiting.get(peer);
    this.#trueAt.set(peer, seq);
    this.#waiting.set(peer, withMessage(before ?? noConversation(peer), event));
    // Those that were declined before are unread too.
    if (!before && n > 1) this.#list.update();
    this.#changed();
  }

  /** Takes a conversation whose messages an event has changed. */
  change(one: Conversation, seq: number): void {
    this.#trueAt.set(one.peer, seq);
    this.#waiting.set(one.peer, one);
    this.#changed();
  }

  /** It was answered, on any device. */
  onEvent({ peer, state, seq }: MessageRequestEvent): void {
    this.#trueAt.set(peer, seq);
    this.#end(peer, state);
  }

  /**
   * Answers, and shows the answer once the service has it.
   *
   * @throws {DoormanError} `no_request` if it waits no more
   */
  async answer(peer: string, act: 'accept' | 'decline'): Promise<void> {
    const { doorman, queue } = this.#options;
    const { state } = await queue.runNow(() => doorman.api.answerMessageRequest(peer, act));
    this.#end(peer, state);
  }

  /** Loads what waits. */
  load(): void {
    this.#list.refresh();
  }

  /** The connection is back. */
  onLive(): void {
    this.#list.retry();
  }

  restore(conversations: readonly WireConversation[], count: number): void {
    for (const one of conversations) this.#waiting.set(one.peer, fromWire(one));
    this.#unloaded = count;
    this.#changed();
  }

  toPersisted(): WireConversation[] {
    return [...this.#waiting.values()].flatMap((one) => toWire(one) ?? []);
  }

  clear(): void {
    this.#waiting.clear();
    this.#unloaded = 0;
    this.#list.clear();
    this.#changed();
  }

  #onList(): void {
    const { value } = this.#list.getSnapshot();
    if (value && value !== this.#latest) {
      const { conversations, people, seq } = value;
      this.#unloaded = 0;
      this.#options.onPeople(people);
      const listed = new Set(conversations.map(({ peer }) => peer));
      for (const peer of this.#waiting.keys())
        if (!listed.has(peer) && !this.#trueAt.has(peer)) this.#drop(peer);
      for (const one of conversations)
        if ((this.#trueAt.get(one.peer) ?? 0) <= seq)
          // The service counts none of them; all are the stranger's.
          this.#waiting.set(one.peer, fromWire({ ...one, unread: one.last.n - one.ownRead }));
    }
    this.#latest = value;
    this.#changed();
  }

  #end(peer: string, state: MessageRequestEvent['state']): void {
    const one = this.#waiting.get(peer);
    if (state === 'declined') this.#drop(peer);
    else {
      this.#waiting.delete(peer);
      this.#options.onAccepted(peer, one);
    }
    this.#changed();
  }

  #drop(peer: string): void {
    this.#waiting.delete(peer);
    this.#options.onGone(peer);
  }

  #changed(): void {
    this.view.invalidate();
    this.#options.changed();
  }
}
