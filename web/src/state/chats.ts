import { DoormanError } from '../../../client/src/errors.ts';
import type { MarkedEvent, MessageEvent, Outgoing } from '../../../client/src/events.ts';
import type { Conversation as WireConversation } from '../../../client/src/wire.ts';
import { Computed } from './cell.ts';
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
import { Outbox } from './outbox.ts';
import type { ChatsStore, Draft } from './page.ts';
import { type ThreadHost, ThreadStore } from './thread.ts';
import { Typing } from './typing.ts';
import { correctCount, unreadOf, wouldGuess } from './unread.ts';
import type { ConversationView } from './views.ts';

/** Threads that keep more than their last page in memory. */
const WHOLE_THREADS = 5;

/** What the chats stand on. */
export interface ChatsHost
  extends Pick<
    ThreadHost,
    'doorman' | 'errands' | 'ownId' | 'isFresh' | 'isCutOff' | 'isAttended' | 'keepThread'
  > {
  isBlocked(userId: string): boolean;
  /** What of the list or the drafts is to be kept has changed. */
  keepList(): void;
  keepDraft(peer: string): void;
  /** Nothing of this conversation is unread any more. */
  allRead(peer: string): void;
}

/** Conversations, threads, drafts, and who is typing. */
export class Chats implements ChatsStore {
  readonly conversations: Computed<readonly ConversationView[]>;
  readonly unreadTotal: Computed<number>;
  readonly drafts: Drafts;
  readonly typing = new Typing();
  readonly #host: ChatsHost;
  readonly #outbox: Outbox;
  readonly #known = new Map<string, Conversation>();
  readonly #threads = new Map<string, ThreadStore>();
  /** Marks that the service has not confirmed yet. */
  readonly #reads = new Map<string, number>();
  /** The threads that were closed last, the latest at the end. */
  #recent: string[] = [];

  constructor(host: ChatsHost) {
    this.#host = host;
    this.#outbox = new Outbox(host.doorman);
    this.drafts = new Drafts((peer) => host.keepDraft(peer));
    this.conversations = new Computed((before) =>
      listConversations({
        own: host.ownId(),
        known: this.#known,
        outgoing: new Map(this.#outbox.peers().map((peer) => [peer, this.#outbox.of(peer)])),
        isBlocked: (peer) => host.isBlocked(peer),
        before,
      }),
    );
    this.unreadTotal = new Computed(() =>
      this.conversations.get().reduce((total, { unread }) => total + unread, 0),
    );
  }

  thread(peer: string): ThreadStore {
    const known = this.#threads.get(peer);
    if (known) return known;
    const thread = new ThreadStore(peer, {
      ...this.#host,
      conversation: (of) => this.conversation(of),
      outgoing: (to) => this.#outbox.of(to),
      typing: (from) => this.typing.of(from),
      markRead: (of, n) => this.#markRead(of, n),
      closed: (of) => this.#closed(of),
      outgoingChanged: () => this.noteOutgoing(),
      emptyDraft: (of) => this.drafts.set(of, ''),
    });
    this.#threads.set(peer, thread);
    return thread;
  }

  draft(peer: string): Draft {
    return this.drafts.of(peer);
  }

  has(peer: string): boolean {
    return this.#known.has(peer);
  }

  conversation(peer: string): Conversation {
    return this.#known.get(peer) ?? noConversation(peer);
  }

  noteSnapshot(conversations: readonly WireConversation[], isOtherDatabase: boolean): void {
    this.#known.clear();
    this.#outbox.noteSnapshot();
    for (const one of conversations) this.#known.set(one.peer, fromWire(one));
    if (isOtherDatabase) this.#reads.clear();
    for (const [peer, read] of this.#reads) {
      const one = this.conversation(peer);
      if (read <= one.tally.read) this.#reads.delete(peer);
      else this.#known.set(peer, withOwnRead(one, read));
    }
    for (const thread of this.#threads.values()) thread.noteSnapshot(isOtherDatabase);
    this.#changed();
  }

  noteMessage(event: MessageEvent): void {
    const { peer, n, from, cid, body, at } = event;
    this.#outbox.noteMessage(event);
    this.#known.set(peer, withMessage(this.conversation(peer), event));
    if (from === peer) this.typing.end(peer);
    this.#threads.get(peer)?.noteMessage({ n, from, cid, body, at });
    if (!this.#threads.has(peer) && n === 1) this.thread(peer).noteMessage({ n, from, cid, body, at });
    this.#changed();
  }

  noteMark(event: MarkedEvent): void {
    const { peer, by, read } = event;
    const before = this.conversation(peer);
    this.#known.set(peer, withMark(before, event));
    if (by !== peer) {
      if (read >= (this.#reads.get(peer) ?? 0)) this.#reads.delete(peer);
      if (wouldGuess(before.tally, read)) void this.#countAnew(peer, read);
      this.#tellIfRead(peer, before);
    }
    this.#threads.get(peer)?.lookAgain();
    this.#changed();
  }

  /** A message of one's own changed its state, or some of them did. */
  noteOutgoing(outgoing?: Outgoing): void {
    if (outgoing) this.#outbox.note(outgoing, this.conversation(outgoing.to).tally.head);
    else this.#outbox.read();
    if (outgoing) this.#threads.get(outgoing.to)?.view.invalidate();
    else for (const thread of this.#threads.values()) thread.view.invalidate();
    this.#changed();
  }

  /** Blocked: nothing of him is shown. Else what was not told during the block is asked for. */
  noteBlock(peer: string, isAllKnown: boolean): void {
    this.typing.end(peer);
    if (!isAllKnown) void this.#refresh(peer);
    this.#changed();
  }

  /** The connection is back, or is gone. */
  noteConnection(isLive: boolean): void {
    for (const thread of this.#threads.values()) {
      if (isLive) thread.retryLoading();
      if (thread.isOpen) thread.view.invalidate();
    }
  }

  noteAttended(): void {
    for (const thread of this.#threads.values()) if (thread.isOpen) thread.lookAgain();
  }

  /** What was kept on this device, before the service told anything. */
  restore(
    conversations: readonly WireConversation[],
    reads: readonly (readonly [peer: string, n: number])[],
  ): void {
    for (const one of conversations) this.#known.set(one.peer, fromWire(one));
    this.#outbox.read();
    // Told again: whether the service heard of it before the page was closed is not known.
    for (const [peer, n] of reads) this.#markRead(peer, n);
    this.#changed();
  }

  /** What is to be kept of the list. */
  kept(): { conversations: WireConversation[]; reads: [peer: string, n: number][] } {
    const conversations = [...this.#known.values()].flatMap((one) => toWire(one) ?? []);
    return {
      conversations: conversations.sort((one, other) => other.last.at - one.last.at),
      reads: [...this.#reads],
    };
  }

  clear(): void {
    this.#known.clear();
    this.#outbox.clear();
    this.#reads.clear();
    this.#recent = [];
    this.drafts.clear();
    this.typing.clear();
    for (const thread of this.#threads.values()) thread.clear();
    this.#changed();
  }

  #markRead(peer: string, n: number): void {
    const before = this.conversation(peer);
    this.#reads.set(peer, Math.max(n, this.#reads.get(peer) ?? 0));
    this.#known.set(peer, withOwnRead(before, n));
    this.#host.doorman.markRead(peer, n);
    this.#tellIfRead(peer, before);
    this.#changed();
  }

  #tellIfRead(peer: string, before: Conversation): void {
    if (unreadOf(before.tally) > 0 && unreadOf(this.conversation(peer).tally) === 0) this.#host.allRead(peer);
  }

  #closed(peer: string): void {
    this.#recent = [...this.#recent.filter((one) => one !== peer), peer];
    while (this.#recent.length > WHOLE_THREADS) {
      const thread = this.#threads.get(this.#recent.shift() ?? '');
      if (thread && !thread.isOpen) thread.trim();
    }
  }

  /** Own messages lie between the unread ones: how many are the peer's is not known from the mark alone. */
  async #countAnew(peer: string, read: number): Promise<void> {
    const { countedTo } = this.conversation(peer).tally;
    const count = await countUnread(this.#host, peer, read, countedTo);
    if (count === undefined) return;
    const now = this.conversation(peer);
    this.#known.set(peer, { ...now, tally: correctCount(now.tally, read, count) });
    this.#changed();
  }

  async #refresh(peer: string): Promise<void> {
    const { doorman, errands } = this.#host;
    try {
      const fresh = (await errands.run(() => doorman.api.conversations())).find((one) => one.peer === peer);
      if (fresh) this.#known.set(peer, withFresh(this.conversation(peer), fresh));
      this.#threads.get(peer)?.lookAgain();
      this.#changed();
    } catch (error) {
      if (!(error instanceof DoormanError)) throw error; // what was known before the block stays
    }
  }

  #changed(): void {
    this.conversations.invalidate();
    this.unreadTotal.invalidate();
    this.#host.keepList();
  }
}
