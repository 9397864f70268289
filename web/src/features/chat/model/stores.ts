import type { Readable } from '../../../data/store.ts';
import type { MorePages } from '../../../data/stores.ts';
import type { ConversationView, ThreadView } from './views.ts';

export interface ChatsStore {
  /** By the last message, the latest first; includes those with blocked users (`isBlocked`). */
  readonly conversations: Readable<readonly ConversationView[]>;
  readonly more: MorePages;
  /** Of all loaded conversations, except those with blocked users. */
  readonly unreadTotal: Readable<number>;
  thread(peer: string): Thread;
  draft(peer: string): Draft;
}

/** The text that the user is writing to a peer; stored on the device until it is sent. */
export interface Draft extends Readable<string> {
  set(text: string): void;
}

/** One conversation on the screen. Only `open` loads messages. */
export interface Thread {
  readonly view: Readable<ThreadView>;
  /** True for about four seconds after the peer typed. */
  readonly typing: Readable<boolean>;
  /** Loads the messages, and marks them as read when they are seen. @returns closes it */
  open(): () => void;
  /** Loads the next page of 50; does nothing while a page is loading. */
  loadOlder(): void;
  retryLoading(): void;
  /**
   * The component reports each change of what it shows. While the end of the messages is on the screen, the thread is open
   * and the page attended, messages are marked as read.
   *
   * @param shownTo the number of the last stored message of the view that is shown, if its end is on the screen; absent at first
   */
  setAtEnd(shownTo: number | undefined): void;
  /** Writes a message and empties the draft. It appears at once as `waiting`. @param body 1 to 4,000 code points */
  send(body: string): void;
  /** A refused message, by its `cid`. */
  retry(cid: string): void;
  discard(cid: string): void;
  /** The user changed the text: the peer is notified, at a limited rate. */
  sendTyping(): void;
}
