import {
  type Doorman,
  DoormanError,
  type Message,
  type MessageChange,
  type OutgoingPicture,
  type OwnMessage,
} from 'doorman-client';
import type { RequestQueue } from '../../../data/request-queue.ts';
import { Derived, type Readable, Store } from '../../../data/store.ts';
import { type ChangeMessage, nameOf } from '../messages/message-changes.ts';
import { endOf, findMessage, type MessageRange, NO_MESSAGES } from '../messages/message-range.ts';
import type { PendingMessage } from '../messages/pending-messages.ts';
import type { Conversation } from './conversations.ts';
import { showMessages } from './message-views.ts';
import { ThreadHistory } from './thread-history.ts';
import { unreadOf } from './unread.ts';
import type { Composing, MessageView, ThreadView } from './views.ts';

/** What a thread uses of the chats and the page. */
export interface ThreadOptions {
  readonly doorman: Doorman;
  readonly queue: RequestQueue;
  ownId(): string;
  conversation(peer: string): Conversation;
  /** Whether `conversation` has the service's state. */
  isLoaded(peer: string): boolean;
  /** @throws {DoormanError} */
  load(peer: string): Promise<void>;
  outgoing(peer: string): readonly PendingMessage[];
  changes(peer: string): readonly MessageChange[];
  dismissChange(change: MessageChange): void;
  /** A page of the history has this revision. */
  onRevision(peer: string, revision: number): void;
  typing(peer: string): Readable<boolean>;
  /** Whether the conversations are synced with the service. */
  isFresh(): boolean;
  /** There is no connection, and a try to connect has failed. */
  isCutOff(): boolean;
  /** Whether the user looks at the page. */
  isAttended(): boolean;
  /** Whether the page is visible and has the focus. */
  isInFront(): boolean;
  markRead(peer: string, n: number): void;
  /** The messages to persist have changed. */
  persistThread(peer: string): void;
  closed(peer: string): void;
  /** The user's pending messages have changed. */
  outgoingChanged(): void;
  emptyDraft(peer: string): void;
  /** Where the draft is stored. */
  draftKey(peer: string): string | undefined;
}

/**
 * One conversation on the screen: its stored and pending messages, and what the user has seen of them. Only `open` loads
 * messages.
 */
export class Thread {
  readonly view: Derived<ThreadView>;
  /** What the composer is for; absent for a message that answers none. */
  readonly composing = new Store<Composing | undefined>(undefined);
  readonly peer: string;
  readonly #options: ThreadOptions;
  readonly #history: ThreadHistory;
  #openCount = 0;
  /** See {@link setAtEnd}. A view is shown later than it changes, in a hidden page by a second or more. */
  #shownTo: number | undefined;
  #arrivedAway = 0;
  #unreadAfter: number | undefined;

  constructor(peer: string, options: ThreadOptions) {
    this.peer = peer;
    this.#options = options;
    this.#history = new ThreadHistory({
      doorman: options.doorman,
      queue: options.queue,
      peer,
      head: () => options.conversation(peer).counter.head,
      revision: () => options.conversation(peer).revision,
      onRevision: (revision) => options.onRevision(peer, revision),
      isLoaded: () => options.isLoaded(peer),
      load: () => options.load(peer),
      isWanted: () => this.isOpen && options.isFresh(),
      changed: () => this.#onHistoryChange(),
    });
    this.view = new Derived((before) => this.#show(before));
  }

  /** True for about four seconds after the peer typed. */
  get typing(): Readable<boolean> {
    return this.#options.typing(this.peer);
  }

  get isOpen(): boolean {
    return this.#openCount > 0;
  }

  get range(): MessageRange | undefined {
    return this.#history.range;
  }

  /** The stored message with this number, if it is loaded. */
  find(n: number): Message | undefined {
    return this.range && findMessage(this.range, n);
  }

  /** Loads the messages, and marks them as read when they are seen. @returns closes it */
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
      this.#shownTo = undefined;
      this.#options.closed(this.peer);
    };
  }

  /** The conversation changed: loads missing messages, and marks seen ones as read. */
  update(): void {
    if (!this.#isAttended()) {
      if (!this.#options.isInFront()) this.#arrivedAway = this.#options.conversation(this.peer).counter.head;
      this.#updateUnreadLine();
    }
    this.#history.catchUp();
    this.#markSeen();
    this.view.invalidate();
  }

  /** Loads the next page; does nothing while a page is loading. @param count up to 100 */
  loadOlder(count?: number): void {
    if (this.#history.loadOlder(count)) this.view.invalidate();
  }

  retryLoading(): void {
    this.#history.retry();
    this.view.invalidate();
  }

  /**
   * The component reports each change of what it shows. While the end of the messages is on the screen, the thread is open
   * and the page attended, messages are marked as read.
   *
   * @param shownTo the number of the last stored message of the view that is shown, if its end is on the screen; absent at first
   */
  setAtEnd(shownTo: number | undefined): void {
    this.#shownTo = shownTo;
    this.#markSeen();
  }

  /** The composer has the text of an own message; the draft stays. */
  startEdit({ key, body }: MessageView): void {
    this.composing.set({ kind: 'edit', key, text: body });
  }

  /**
   * Takes the text of the composer: sends a message, or changes the one that is edited. A picture is sent beside an edit, which goes on.
   *
   * @param body 1 to 4,000 code points; beside a picture it may be empty
   */
  write(body: string, picture?: OutgoingPicture): void {
    const composing = this.composing.getSnapshot();
    if (picture && composing?.kind === 'edit') {
      this.send(body, undefined, picture);
      return;
    }
    const target = this.view.getSnapshot().messages.find(({ key }) => key === composing?.key);
    this.composing.set(undefined);
    if (composing?.kind !== 'edit') this.send(body, target?.n, picture);
    else if (target && target.body !== body) this.edit(nameOf(target), body);
  }

  /**
   * Writes a message and empties the draft. It appears at once as `waiting`.
   *
   * @param body 1 to 4,000 code points; beside a picture it may be empty
   * @param replyTo the number of the message that it answers
   */
  send(body: string, replyTo?: number, picture?: OutgoingPicture): void {
    this.#unreadAfter = undefined;
    this.#options.emptyDraft(this.peer);
    const draftKey = this.#options.draftKey(this.peer);
    const options = {
      ...(replyTo !== undefined && { replyTo }),
      ...(picture && { picture }),
      ...(draftKey !== undefined && { draftKey }),
    };
    // The message's state shows a refusal.
    this.#options.doorman.send(this.peer, body, options).catch(ignoreRefusal);
    this.#options.outgoingChanged();
  }

  /** Changes an own message. It appears changed at once; a refusal is among its `changes`. */
  edit(message: OwnMessage, body: string): void {
    this.#options.doorman.edit(this.peer, message, body);
  }

  unsend(message: OwnMessage): void {
    this.#options.doorman.unsend(this.peer, message);
  }

  /** @param emoji exactly one, or empty to remove the user's reaction */
  react(n: number, emoji: string): void {
    this.#options.doorman.react(this.peer, n, emoji);
  }

  /** The user has seen that the change was refused. */
  dismissChange(change: MessageChange): void {
    this.#options.dismissChange(change);
    this.view.invalidate();
  }

  /** Sends a refused message again. */
  retry(cid: string): void {
    this.#options.doorman.retry(cid, this.peer);
    this.#options.outgoingChanged();
  }

  discard(cid: string): void {
    void this.#options.doorman.discard(cid, this.peer).then(() => this.#options.outgoingChanged());
  }

  /** The user changed the text: the peer is notified, at a limited rate. */
  sendTyping(): void {
    this.#options.doorman.typing(this.peer);
  }

  /** Takes the message of an event. */
  onMessage(message: Message): void {
    this.#history.add(message);
    // Also of a closed thread: opening one that is up to date loads nothing.
    if (message.replyTo !== undefined && (this.isOpen || this.find(message.n)))
      void this.#history.loadQuoted(message.replyTo);
    if (!this.isOpen) this.#history.trim();
    if (this.range) this.#options.persistThread(this.peer);
    this.update();
  }

  /** A message was changed. @param change absent: the event does not have it */
  onChange(n: number, revision: number, change: ChangeMessage | undefined): void {
    this.#history.change(n, revision, change);
    if (this.range) this.#options.persistThread(this.peer);
    this.update();
  }

  /** After a full sync. */
  onSnapshot(isOtherDatabase: boolean): void {
    const before = this.range;
    this.#history.onSnapshot(isOtherDatabase);
    if (before && !this.range) this.#options.persistThread(this.peer);
    this.#arrivedAway = Math.min(this.#arrivedAway, this.#options.conversation(this.peer).counter.head);
    this.update();
  }

  /** The conversation was loaded. What was unsent without an event does not stay on the device until it is opened. */
  onLoaded(): void {
    if (this.#history.isOutdated && !this.isOpen) {
      this.#history.clear();
      this.#options.persistThread(this.peer);
    }
    this.update();
  }

  /** Takes what is stored on this device. */
  restore(range: MessageRange): void {
    this.#history.restore(range);
    this.update();
  }

  /** Keeps the last page only in memory. */
  trim(): void {
    this.#history.trim();
    this.view.invalidate();
  }

  /** Another user has signed in. */
  clear(): void {
    this.#history.clear();
    this.composing.set(undefined);
    this.#unreadAfter = undefined;
    this.#arrivedAway = 0;
    this.view.invalidate();
  }

  #onHistoryChange(): void {
    this.#options.persistThread(this.peer);
    this.#markSeen();
    this.view.invalidate();
  }

  /**
   * The end of the messages is on the screen, and the user looks at the page. The list follows what arrives then, but what
   * arrived while the page was away may be more than the screen holds: only the list knows, once it shows it.
   */
  #isAttended(): boolean {
    const showsEnd = this.#shownTo !== undefined && this.#shownTo >= this.#arrivedAway;
    return this.isOpen && showsEnd && this.#options.isAttended();
  }

  #markSeen(): void {
    if (!this.#isAttended() || !this.range) return;
    const { counter } = this.#options.conversation(this.peer);
    const end = endOf(this.range);
    if (end >= counter.head && unreadOf(counter) > 0) this.#options.markRead(this.peer, end);
  }

  /** The line "new" goes before the first message that the user has not seen. */
  #updateUnreadLine(): void {
    const { counter } = this.#options.conversation(this.peer);
    if (!this.isOpen || unreadOf(counter) === 0) return;
    if (this.#unreadAfter === undefined || this.#unreadAfter < counter.read) this.#unreadAfter = counter.read;
  }

  /** Messages of the conversation as they are shown, with the user's changes; see `showMessages`. */
  show(
    range: MessageRange,
    outgoing: readonly PendingMessage[],
    before?: readonly MessageView[],
  ): readonly MessageView[] {
    const { ownId, changes, conversation } = this.#options;
    const { peer } = this;
    return showMessages(
      { peer, own: ownId(), range, outgoing, changes: changes(peer), marks: conversation(peer) },
      before,
    );
  }

  #show(before: ThreadView | undefined): ThreadView {
    const { range, isLoadingOlder, isUpToDate } = this.#history;
    const isMissing = !range && !(this.#options.isFresh() && isUpToDate);
    const failure =
      this.#history.failure ?? (isMissing && this.#options.isCutOff() ? 'unreachable' : undefined);
    return {
      peer: this.peer,
      messages: this.show(range ?? NO_MESSAGES, this.#options.outgoing(this.peer), before?.messages),
      isLoading: isMissing && !failure,
      hasOlder: range?.hasOlder ?? false,
      isLoadingOlder,
      failure,
      unreadAfter: this.#unreadAfter,
      arrivedAway: this.#arrivedAway,
    };
  }
}

function ignoreRefusal(error: unknown): void {
  if (!(error instanceof DoormanError)) throw error;
}
