import { type Doorman, DoormanError, type Message } from 'doorman-client';
import type { RequestQueue } from '../../../data/request-queue.ts';
import { Derived, type Readable } from '../../../data/store.ts';
import type { Conversation } from './conversations.ts';
import { endOf, type MessageRange } from './message-range.ts';
import { showMessages } from './message-views.ts';
import type { PendingMessage } from './pending-messages.ts';
import type { Thread } from './stores.ts';
import { ThreadHistory } from './thread-history.ts';
import { unreadOf } from './unread.ts';
import type { ThreadView } from './views.ts';

/** What a thread stands on. */
export interface ThreadOptions {
  readonly doorman: Doorman;
  readonly queue: RequestQueue;
  ownId(): string;
  conversation(peer: string): Conversation;
  /** Whether `conversation` is what the service says. */
  isLoaded(peer: string): boolean;
  /** @throws {DoormanError} */
  load(peer: string): Promise<void>;
  outgoing(peer: string): readonly PendingMessage[];
  typing(peer: string): Readable<boolean>;
  /** Whether the service has told which message is the last of each conversation. */
  isFresh(): boolean;
  /** There is no connection, and it may take a while. */
  isCutOff(): boolean;
  /** Somebody is before the page. */
  isAttended(): boolean;
  markRead(peer: string, n: number): void;
  /** What of it is to be kept has changed. */
  persistThread(peer: string): void;
  closed(peer: string): void;
  /** The user's own messages that are on their way have changed. */
  outgoingChanged(): void;
  emptyDraft(peer: string): void;
}

/** One conversation as it is on the screen: its messages, what is on its way, and what of it was seen. */
export class ThreadStore implements Thread {
  readonly view: Derived<ThreadView>;
  readonly #peer: string;
  readonly #options: ThreadOptions;
  readonly #history: ThreadHistory;
  #openCount = 0;
  #isAtEnd = false;
  #unreadAfter: number | undefined;

  constructor(peer: string, options: ThreadOptions) {
    this.#peer = peer;
    this.#options = options;
    this.#history = new ThreadHistory({
      doorman: options.doorman,
      queue: options.queue,
      peer,
      head: () => options.conversation(peer).counter.head,
      isLoaded: () => options.isLoaded(peer),
      load: () => options.load(peer),
      isWanted: () => this.isOpen && options.isFresh(),
      changed: () => this.#loaded(),
    });
    this.view = new Derived((before) => this.#show(before));
  }

  get typing(): Readable<boolean> {
    return this.#options.typing(this.#peer);
  }

  get isOpen(): boolean {
    return this.#openCount > 0;
  }

  get range(): MessageRange | undefined {
    return this.#history.range;
  }

  open(): () => void {
    this.#openCount++;
    if (this.#openCount === 1) {
      this.#unreadAfter = undefined;
      this.#updateUnreadLine();
    }
    this.update();
    let isOpen = true;
    return () => {
      if (!isOpen) return;
      isOpen = false;
      this.#openCount--;
      if (this.isOpen) return;
      this.#isAtEnd = false;
      this.#options.closed(this.#peer);
    };
  }

  /** The conversation changed: what is missing is got, and what is seen is marked. */
  update(): void {
    if (!this.#isAttended()) this.#updateUnreadLine();
    this.#history.catchUp();
    this.#markSeen();
    this.view.invalidate();
  }

  loadOlder(): void {
    if (this.#history.loadOlder()) this.view.invalidate();
  }

  retryLoading(): void {
    this.#history.retry();
    this.view.invalidate();
  }

  setAtEnd(isAtEnd: boolean): void {
    this.#isAtEnd = isAtEnd;
    this.#markSeen();
  }

  send(body: string): void {
    this.#unreadAfter = undefined;
    this.#options.emptyDraft(this.#peer);
    // Whether it was refused stands in the message's state.
    this.#options.doorman.send(this.#peer, body).catch(ignoreRefusal);
    this.#options.outgoingChanged();
  }

  retry(cid: string): void {
    this.#options.doorman.retry(cid, this.#peer);
    this.#options.outgoingChanged();
  }

  discard(cid: string): void {
    void this.#options.doorman.discard(cid, this.#peer).then(() => this.#options.outgoingChanged());
  }

  sendTyping(): void {
    this.#options.doorman.typing(this.#peer);
  }

  /** The log told of a message. */
  onMessage(message: Message): void {
    this.#history.add(message);
    if (!this.isOpen) this.#history.trim();
    if (this.range) this.#options.persistThread(this.#peer);
    this.update();
  }

  /** Everything anew. */
  onSnapshot(isOtherDatabase: boolean): void {
    this.#history.onSnapshot(isOtherDatabase);
    this.update();
  }

  /** What was kept on this device. */
  restore(range: MessageRange): void {
    this.#history.restore(range);
    this.update();
  }

  /** Only the last page stays in memory. */
  trim(): void {
    this.#history.trim();
    this.view.invalidate();
  }

  /** Another user: nothing stays. */
  clear(): void {
    this.#history.clear();
    this.#unreadAfter = undefined;
    this.view.invalidate();
  }

  #loaded(): void {
    this.#options.persistThread(this.#peer);
    this.#markSeen();
    this.view.invalidate();
  }

  /** The newest message is visible and the window is in use. */
  #isAttended(): boolean {
    return this.isOpen && this.#isAtEnd && this.#options.isAttended();
  }

  #markSeen(): void {
    if (!this.#isAttended() || !this.range) return;
    const { counter } = this.#options.conversation(this.#peer);
    const end = endOf(this.range);
    if (end >= counter.head && unreadOf(counter) > 0) this.#options.markRead(this.#peer, end);
  }

  /** Where the line "new" goes: before the first that nobody has seen yet. */
  #updateUnreadLine(): void {
    const { counter } = this.#options.conversation(this.#peer);
    if (!this.isOpen || unreadOf(counter) === 0) return;
    if (this.#unreadAfter === undefined || this.#unreadAfter < counter.read) this.#unreadAfter = counter.read;
  }

  #show(before: ThreadView | undefined): ThreadView {
    const { received, read } = this.#options.conversation(this.#peer);
    const { range, isLoadingOlder, isUpToDate } = this.#history;
    const isLacking = !range && !(this.#options.isFresh() && isUpToDate);
    const failure =
      this.#history.failure ?? (isLacking && this.#options.isCutOff() ? 'unreachable' : undefined);
    return {
      peer: this.#peer,
      messages: showMessages(
        this.#peer,
        this.#options.ownId(),
        range?.messages ?? [],
        this.#options.outgoing(this.#peer),
        { received, read },
        before?.messages,
      ),
      isLoading: isLacking && !failure,
      hasOlder: range?.hasOlder ?? false,
      isLoadingOlder,
      failure,
      unreadAfter: this.#unreadAfter,
    };
  }
}

function ignoreRefusal(error: unknown): void {
  if (!(error instanceof DoormanError)) throw error;
}
