import type {
  EditedEvent,
  MarkedEvent,
  MessageChange,
  MessageEvent,
  Outgoing,
  ReactionEvent,
  Snapshot,
  UnsentEvent,
} from 'doorman-client';
import { Derived } from '../../../data/store.ts';
import {
  type ChangeMessage,
  type ChangeOfMessage,
  edit,
  react,
  unsend,
} from '../messages/message-changes.ts';
import { PendingChanges } from '../messages/pending-changes.ts';
import { PendingMessages } from '../messages/pending-messages.ts';
import type { ConversationPages } from './conversation-pages.ts';
import { listConversations } from './conversation-views.ts';
import { type Conversation, toMessage, withChange } from './conversations.ts';
import { Drafts } from './drafts.ts';
import { KnownConversations, type KnownConversationsOptions } from './known-conversations.ts';
import { MessageRequests } from './message-requests.ts';
import type { PersistedChats } from './persisted-shapes.ts';
import type { Thread, ThreadOptions } from './thread.ts';
import { Threads } from './threads.ts';
import { Typing } from './typing.ts';
import type { ConversationView } from './views.ts';

/** What the chats use of the page. */
interface ChatsOptions
  extends KnownConversationsOptions,
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
  /** Messages of a conversation were unsent or deleted. @param isGone left out: any of them may have been */
  forgetPictures(peer: string, isGone?: (n: number) => boolean): void;
  /** The list to persist has changed. */
  persistList(): void;
  persistDraft(peer: string): void;
}

/** Conversations, message requests, threads, drafts and typing. */
export class Chats {
  /** The pinned ones, then the latest first; includes archived ones and those with blocked users. */
  readonly conversations: Derived<readonly ConversationView[]>;
  /** Of all loaded conversations, except muted ones and those with blocked users. */
  readonly unreadTotal: Derived<number>;
  readonly known: KnownConversations;
  readonly more: ConversationPages['list'];
  readonly requests: MessageRequests;
  readonly drafts: Drafts;
  readonly typing = new Typing();
  readonly #options: ChatsOptions;
  readonly #pending: PendingMessages;
  readonly #changes: PendingChanges;
  readonly #threads: Threads;

  constructor(options: ChatsOptions) {
    this.#options = options;
    this.#pending = new PendingMessages(options.doorman);
    this.#changes = new PendingChanges(options.doorman);
    this.known = new KnownConversations(options, {
      other: (peer) => this.requests.get(peer),
      loaded: (peer) => this.#onLoaded(peer),
      outdated: (peer) => options.forgetPictures(peer),
      none: (peer) => {
        if (!this.requests.has(peer)) this.#dropMessages(peer);
      },
      changed: () => this.#changed(),
    });
    this.more = this.known.pages.list;
    this.requests = new MessageRequests({
      ...options,
      onAccepted: (peer, one) => this.#onAccepted(peer, one),
      onGone: (peer) => this.#dropMessages(peer),
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
        this.requests.has(of) || (this.known.pages.has(of) && (this.has(of) || this.requests.isLoaded)),
      load: (of) => this.known.pages.load(of),
      outgoing: (to) => this.#pending.of(to),
      changes: (to) => this.#changes.of(to),
      dismissChange: (change) => this.#changes.dismiss(change),
      onRevision: (of, revision) => {
        // During a block, changes of the blocked user have no events.
        const one = this.known.all.get(of);
        if (!one || !options.isBlocked(of) || revision <= one.revision) return;
        this.known.change({ ...one, revision });
        options.forgetPictures(of);
      },
      typing: (from) => this.typing.of(from),
      markRead: (of, n) => {
        // A stranger is not to learn it, and it stays unread until it is accepted.
        if (!this.requests.has(of)) this.known.readMarks.mark(of, n);
      },
      outgoingChanged: () => this.onOutgoing(),
      emptyDraft: (of) => this.drafts.set(of, ''),
    });
    this.conversations = new Derived((before) =>
      listConversations({
        own: options.ownId(),
        known: this.known.all,
        outgoing: new Map(this.#pending.peers().map((peer) => [peer, this.#pending.of(peer)])),
        isBlocked: (peer) => options.isBlocked(peer),
        before,
      }),
    );
    this.unreadTotal = new Derived(() =>
      this.conversations
        .getSnapshot()
        .reduce((total, { unread, isMuted }) => total + (isMuted ? 0 : unread), 0),
    );
  }

  thread(peer: string): Thread {
    return this.#threads.of(peer);
  }

  /** The conversation is on the screen: see `Thread.open`. It is no longer marked as unread. @returns closes it */
  open(peer: string): () => void {
    const closings = [this.thread(peer).open(), this.known.settings.open(peer)];
    return () => {
      for (const close of closings) close();
    };
  }

  has(peer: string): boolean {
    return this.known.all.has(peer);
  }

  conversation(peer: string): Conversation {
    return this.known.of(peer);
  }

  onSnapshot(snapshot: Snapshot, isOtherDatabase: boolean): void {
    this.known.onSnapshot(snapshot, isOtherDatabase);
    this.#pending.onSnapshot();
    this.#changes.onSnapshot();
    this.requests.onSnapshot(snapshot.messageRequests);
    for (const thread of this.#threads.all()) thread.onSnapshot(isOtherDatabase);
    for (const peer of this.known.all.keys()) this.#onLoaded(peer);
    this.#changed();
  }

  onMessage(event: MessageEvent): void {
    const { peer, n, from, request } = event;
    if (request) this.requests.onMessage(event);
    else {
      this.#pending.onMessage(event);
      this.known.onMessage(event);
    }
    if (from === peer) this.typing.end(peer);
    // A conversation that begins here is complete, also before it is opened.
    const thread = n === 1 ? this.thread(peer) : this.#threads.find(peer);
    thread?.onMessage(toMessage(event));
    this.#changed();
  }

  onUnsent(event: UnsentEvent): void {
    this.#onChange(event, unsend(event.at), true);
    this.#options.forgetPictures(event.peer, (n) => n === event.n);
    // One that is shown may have its text.
    if (event.by === event.peer) this.#options.closeNotifications(event.peer);
  }

  onEdited(event: EditedEvent): void {
    const { peer, body, at } = event;
    // Of a node of the version before, during an update: the conversation and its messages are loaded.
    if (body === undefined) this.known.pages.loadSoon(peer);
    this.#onChange(event, body === undefined ? undefined : edit(body, at));
  }

  onReaction(event: ReactionEvent): void {
    this.#onChange(event, react(event.by, event.emoji));
  }

  /** A change that the user made has another state. */
  onOwnChange(change: MessageChange): void {
    const { peer, n } = change;
    const thread = this.#threads.find(peer);
    this.#changes.update(change, n === undefined ? undefined : thread?.find(n));
    thread?.view.invalidate();
  }

  onMark(event: MarkedEvent): void {
    const { peer, by } = event;
    // That this device has received messages may be about a request which is not listed yet: it is no conversation.
    const isUnlisted = by !== peer && !this.has(peer) && !this.requests.isLoaded;
    if (this.requests.has(peer) || isUnlisted) return;
    this.known.onMark(event);
    this.#threads.find(peer)?.update();
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
    if (!isAllKnown) this.known.pages.loadSoon(peer);
    this.#changed();
  }

  /** The connection is back or lost. */
  onConnection(isLive: boolean): void {
    for (const thread of this.#threads.all()) {
      if (isLive) thread.retryLoading();
      if (thread.isOpen) thread.view.invalidate();
    }
    if (!isLive) return;
    this.known.pages.list.retry();
    this.requests.onLive();
    for (const { peer } of this.conversations.getSnapshot()) this.known.pages.loadMissing(peer);
    this.known.settings.update();
  }

  onAttended(): void {
    for (const thread of this.#threads.all()) if (thread.isOpen) thread.update();
    this.known.settings.update();
  }

  /** Takes what is stored on this device, before the service answers. */
  restore({ conversations, reads, requests = [], requestCount = 0 }: PersistedChats): void {
    this.requests.restore(requests, requestCount);
    this.known.restore(conversations);
    this.#pending.read();
    this.known.readMarks.restore(reads);
    this.#changed();
  }

  toPersisted(): PersistedChats {
    return {
      conversations: this.known.toPersisted(),
      reads: this.known.readMarks.toPersisted(),
      requests: this.requests.toPersisted(),
      requestCount: this.requests.view.getSnapshot().count,
    };
  }

  clear(): void {
    this.known.clear();
    this.requests.clear();
    this.#pending.clear();
    this.#changes.clear();
    this.drafts.clear();
    this.typing.clear();
    this.#threads.clear();
    this.#changed();
  }

  /** Ends the timers. */
  close(): void {
    this.typing.clear();
    this.known.settings.clear();
  }

  /** A message request is a conversation from now on. */
  #onAccepted(peer: string, one: Conversation | undefined): void {
    if (one) {
      this.known.pages.add(peer);
      this.known.change(one);
    } else if (!this.has(peer)) this.known.pages.loadSoon(peer);
    this.#changed();
  }

  /** Drops the messages of a thread if the user has deleted some of them, also while this device was away. */
  #onLoaded(peer: string): void {
    const thread = this.#threads.find(peer);
    const first = thread?.range?.messages[0]?.n ?? Number.POSITIVE_INFINITY;
    if (first <= this.conversation(peer).settings.clearedN) this.#dropMessages(peer);
    thread?.onLoaded();
  }

  #dropMessages(peer: string): void {
    this.#options.forgetPictures(peer);
    this.#threads.find(peer)?.clear();
    this.#options.persistThread(peer);
  }

  /** A conversation that is not loaded stays so: it may be a request, which is not listed yet. */
  #onChange(
    event: ChangeOfMessage & { readonly seq: number },
    change: ChangeMessage | undefined,
    isUnsent = false,
  ): void {
    const { peer, n, by, revision, seq } = event;
    const now = withChange(this.conversation(peer), event, change, isUnsent);
    if (this.requests.has(peer)) this.requests.change(now, seq);
    else if (this.has(peer)) this.known.change(now);
    this.#changes.onEvent(peer, n, by);
    this.#threads.find(peer)?.onChange(n, revision, change);
  }

  #changed(): void {
    this.conversations.invalidate();
    this.unreadTotal.invalidate();
    this.#options.persistList();
  }
}
