import type {
  MarkedEvent,
  MessageEvent,
  Outgoing,
  Snapshot,
  Conversation as WireConversation,
} from 'doorman-client';
import { Derived } from '../../../data/store.ts';
import { ConversationPages, type ConversationPagesOptions } from './conversation-pages.ts';
import { listConversations } from './conversation-views.ts';
import {
  type Conversation,
  fromWire,
  noConversation,
  toWire,
  withFresh,
  withMark,
  withMessage,
  withOwnRead,
} from './conversations.ts';
import { countUnread } from './count-unread.ts';
import { Drafts } from './drafts.ts';
import { MessageRequests } from './message-requests.ts';
import { PendingMessages } from './pending-messages.ts';
import type { PersistedChats } from './persisted-shapes.ts';
import type { Thread, ThreadOptions } from './thread.ts';
import { Threads } from './threads.ts';
import { Typing } from './typing.ts';
import { correctCount, isEstimate, unreadOf } from './unread.ts';
import type { ConversationView } from './views.ts';

/** What the chats use of the page. */
interface ChatsOptions
  extends Omit<ConversationPagesOptions, 'onConversations' | 'isKnown'>,
    Pick<
      ThreadOptions,
      | 'doorman'
      | 'queue'
      | 'ownId'
      | 'isFresh'
      | 'isCutOff'
      | 'isAttended'
      | 'isInFront'
      | 'persistThread'
      | 'draftKey'
    > {
  isBlocked(userId: string): boolean;
  /** The list to persist has changed. */
  persistList(): void;
  persistDraft(peer: string): void;
  allRead(peer: string): void;
}

/** Conversations, message requests, threads, drafts and typing. */
export class Chats {
  /** By the last message, the latest first; includes those with blocked users (`isBlocked`). */
  readonly conversations: Derived<readonly ConversationView[]>;
  /** Of all loaded conversations, except those with blocked users. */
  readonly unreadTotal: Derived<number>;
  readonly more: ConversationPages['list'];
  readonly requests: MessageRequests;
  readonly drafts: Drafts;
  readonly typing = new Typing();
  readonly #options: ChatsOptions;
  readonly #pending: PendingMessages;
  readonly #pages: ConversationPages;
  readonly #known = new Map<string, Conversation>();
  readonly #threads: Threads;
  /** Read marks that the service has not confirmed. */
  readonly #reads = new Map<string, number>();

  constructor(options: ChatsOptions) {
    this.#options = options;
    this.#pending = new PendingMessages(options.doorman);
    this.#pages = new ConversationPages({
      ...options,
      isKnown: (peer) => this.has(peer),
      onConversations: (conversations) => this.#addLoaded(conversations),
    });
    this.more = this.#pages.list;
    this.requests = new MessageRequests({
      ...options,
      onAccepted: (peer, one) => this.#onAccepted(peer, one),
      onGone: (peer) => {
        this.#threads.find(peer)?.clear();
        options.persistThread(peer);
      },
      changed: () => {
        for (const thread of this.#threads.all()) if (thread.isOpen) thread.update();
        options.persistList();
      },
    });
    this.drafts = new Drafts((peer) => options.persistDraft(peer));
    this.#threads = new Threads({
      ...options,
      conversation: (of) => this.conversation(of),
      isLoaded: (of) =>
        this.requests.has(of) || (this.#pages.has(of) && (this.has(of) || this.requests.isLoaded)),
      load: (of) => this.#pages.load(of),
      outgoing: (to) => this.#pending.of(to),
      typing: (from) => this.typing.of(from),
      markRead: (of, n) => {
        // A stranger is not to learn it, and it stays unread until it is accepted.
        if (!this.requests.has(of)) this.#markRead(of, n);
      },
      outgoingChanged: () => this.onOutgoing(),
      emptyDraft: (of) => this.drafts.set(of, ''),
    });
    this.conversations = new Derived((before) =>
      listConversations({
        own: options.ownId(),
        known: this.#known,
        outgoing: new Map(this.#pending.peers().map((peer) => [peer, this.#pending.of(peer)])),
        isBlocked: (peer) => options.isBlocked(peer),
        before,
      }),
    );
    this.unreadTotal = new Derived(() =>
      this.conversations.getSnapshot().reduce((total, { unread }) => total + unread, 0),
    );
  }

  thread(peer: string): Thread {
    return this.#threads.of(peer);
  }

  has(peer: string): boolean {
    return this.#known.has(peer);
  }

  conversation(peer: string): Conversation {
    return this.#known.get(peer) ?? this.requests.get(peer) ?? noConversation(peer);
  }

  onSnapshot(snapshot: Snapshot, isOtherDatabase: boolean): void {
    const { conversations, messageRequests, next } = snapshot;
    this.#known.clear();
    this.#pages.begin(conversations, next.conversations);
    this.#pending.onSnapshot();
    for (const one of conversations) this.#known.set(one.peer, fromWire(one));
    this.requests.onSnapshot(messageRequests);
    if (isOtherDatabase) this.#reads.clear();
    for (const [peer, read] of this.#reads) {
      const one = this.conversation(peer);
      if (read <= one.counter.read) this.#reads.delete(peer);
      else this.#known.set(peer, withOwnRead(one, read));
    }
    for (const thread of this.#threads.all()) thread.onSnapshot(isOtherDatabase);
    this.#changed();
  }

  onMessage(event: MessageEvent): void {
    const { peer, n, from, cid, body, at, request } = event;
    if (request) this.requests.onMessage(event);
    else {
      if (n === 1) this.#pages.add(peer);
      this.#pending.onMessage(event);
      this.#known.set(peer, withMessage(this.conversation(peer), event));
    }
    if (from === peer) this.typing.end(peer);
    // A conversation that begins here is complete, also before it is opened.
    const thread = n === 1 ? this.thread(peer) : this.#threads.find(peer);
    thread?.onMessage({ n, from, cid, body, at });
    if (!request) this.#pages.loadMissing(peer);
    this.#changed();
  }

  onMark(event: MarkedEvent): void {
    const { peer, by, read } = event;
    if (this.requests.has(peer)) return;
    const before = this.conversation(peer);
    this.#known.set(peer, withMark(before, event));
    if (by !== peer) {
      if (read >= (this.#reads.get(peer) ?? 0)) this.#reads.delete(peer);
      if (isEstimate(before.counter, read)) void this.#correctCount(peer, read);
      this.#notifyIfRead(peer, before);
    }
    this.#threads.find(peer)?.update();
    this.#changed();
  }

  /** A message of the user changed its state; without an argument, any of them may have. */
  onOutgoing(outgoing?: Outgoing): void {
    if (outgoing) this.#pending.update(outgoing, this.conversation(outgoing.to).counter.head);
    else this.#pending.read();
    if (outgoing) this.#threads.find(outgoing.to)?.view.invalidate();
    else for (const thread of this.#threads.all()) thread.view.invalidate();
    this.#changed();
  }

  /** After an unblock, loads what the service held back during the block. */
  onBlock(peer: string, isAllKnown: boolean): void {
    this.typing.end(peer);
    this.requests.view.invalidate();
    if (!isAllKnown) this.#pages.loadSoon(peer);
    this.#changed();
  }

  /** The connection is back or lost. */
  onConnection(isLive: boolean): void {
    for (const thread of this.#threads.all()) {
      if (isLive) thread.retryLoading();
      if (thread.isOpen) thread.view.invalidate();
    }
    if (!isLive) return;
    this.#pages.list.retry();
    this.requests.onLive();
    for (const { peer } of this.conversations.getSnapshot()) this.#pages.loadMissing(peer);
  }

  onAttended(): void {
    for (const thread of this.#threads.all()) if (thread.isOpen) thread.update();
  }

  /** Takes what is stored on this device, before the service answers. */
  restore({ conversations, reads, requests = [], requestCount = 0 }: PersistedChats): void {
    for (const one of conversations) this.#known.set(one.peer, fromWire(one));
    this.requests.restore(requests, requestCount);
    this.#pages.begin(conversations);
    this.#pending.read();
    // Sent again: the service may not have got them before the page was closed.
    for (const [peer, n] of reads) this.#markRead(peer, n);
    this.#changed();
  }

  /** The loaded conversations, the latest first, and the unconfirmed read marks. */
  toPersisted(): PersistedChats {
    const loaded = [...this.#known.values()].filter(({ peer }) => this.#pages.has(peer));
    const conversations = loaded.flatMap((one) => toWire(one) ?? []);
    return {
      conversations: conversations.sort((one, other) => other.last.at - one.last.at),
      reads: [...this.#reads],
      requests: this.requests.toPersisted(),
      requestCount: this.requests.view.getSnapshot().count,
    };
  }

  clear(): void {
    this.#known.clear();
    this.requests.clear();
    this.#pages.begin([]);
    this.#pending.clear();
    this.#reads.clear();
    this.drafts.clear();
    this.typing.clear();
    this.#threads.clear();
    this.#changed();
  }

  /** A message request is a conversation from now on. */
  #onAccepted(peer: string, one: Conversation | undefined): void {
    if (one) {
      this.#pages.add(peer);
      this.#known.set(peer, one);
    } else if (!this.has(peer)) this.#pages.loadSoon(peer);
    this.#changed();
  }

  #markRead(peer: string, n: number): void {
    const before = this.conversation(peer);
    this.#reads.set(peer, Math.max(n, this.#reads.get(peer) ?? 0));
    this.#known.set(peer, withOwnRead(before, n));
    this.#options.doorman.markRead(peer, n);
    this.#notifyIfRead(peer, before);
    this.#changed();
  }

  #notifyIfRead(peer: string, before: Conversation): void {
    if (unreadOf(before.counter) > 0 && unreadOf(this.conversation(peer).counter) === 0)
      this.#options.allRead(peer);
  }

  /** The user's own messages are among the unread ones, so the mark alone does not say how many of them are the peer's. */
  async #correctCount(peer: string, read: number): Promise<void> {
    const { countedTo } = this.conversation(peer).counter;
    const count = await countUnread(this.#options, peer, read, countedTo);
    if (count === undefined) return;
    const now = this.conversation(peer);
    this.#known.set(peer, { ...now, counter: correctCount(now.counter, read, count) });
    this.#changed();
  }

  /** Takes loaded conversations; events may already have brought newer states. */
  #addLoaded(conversations: readonly WireConversation[]): void {
    for (const one of conversations) {
      this.#known.set(one.peer, withFresh(this.conversation(one.peer), one));
      this.#threads.find(one.peer)?.update();
    }
    this.#changed();
  }

  #changed(): void {
    this.conversations.invalidate();
    this.unreadTotal.invalidate();
    this.#options.persistList();
  }
}
