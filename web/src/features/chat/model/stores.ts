import type { Readable } from '../../../data/store.ts';
import type { MorePages } from '../../../data/stores.ts';
import type { ConversationView, ThreadView } from './views.ts';

export interface ChatsStore {
  /** By the last message, the latest first; those with blocked people too (`isBlocked`). */
  readonly conversations: Readable<readonly ConversationView[]>;
  readonly more: MorePages;
  /** Of all conversations that are loaded, but for those with blocked users. */
  readonly unreadTotal: Readable<number>;
  thread(peer: string): Thread;
  draft(peer: string): Draft;
}

/** What is being written to somebody; kept over reloads until it is sent. */
export interface Draft extends Readable<string> {
  set(text: string): void;
}

/** One conversation. Asking for it costs nothing; `open` loads it. */
export interface Thread {
  readonly view: Readable<ThreadView>;
  /** True for about four seconds after the peer typed. */
  readonly typing: Readable<boolean>;
  /** It is on the screen until what is returned is called. */
  open(): () => void;
  /** The next page of 50. More calls while one is under way do nothing. */
  loadOlder(): void;
  retryLoading(): void;
  /**
   * Whether the newest message is in sight; the view says so at every change. While it is, and somebody is before the
   * page and the thread open, what comes is marked as read. False at first.
   */
  setAtEnd(isAtEnd: boolean): void;
  /** Writes a message and empties the draft. It appears at once as `waiting`. @param body 1 to 4,000 code points */
  send(body: string): void;
  /** A refused message, by its `cid`. */
  retry(cid: string): void;
  discard(cid: string): void;
  /** The user changed the text; told to the peer now and then. */
  sendTyping(): void;
}
