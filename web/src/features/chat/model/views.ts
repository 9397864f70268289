import type { Message } from 'doorman-client';

/** One row of the list of conversations. */
export interface ConversationView {
  readonly peer: string;
  /** The last stored message; absent while only unsent ones are there. */
  readonly last: Message | undefined;
  /** The last message of one's own that is not stored yet; newer than `last`. */
  readonly pending: MessageView | undefined;
  /** How `last` stands if it is one's own. */
  readonly lastState: MessageState | undefined;
  /** Epoch milliseconds, of the newer of the two; rows come by it, the latest first. */
  readonly at: number;
  /** 0 for somebody who is blocked. */
  readonly unread: number;
  /** Up to which number the user has read it, here or on another device. */
  readonly ownRead: number;
  readonly isBlocked: boolean;
}

/**
 * Of one's own message: `waiting` for a connection or its turn, `sending`, `refused` (see `error`); then `stored`,
 * `received` by a device of the peer, `read`. Always `theirs` for a message of the peer.
 */
export type MessageState = 'waiting' | 'sending' | 'refused' | 'stored' | 'received' | 'read' | 'theirs';

/** One message of a thread; the same object until something of it changes. */
export interface MessageView {
  /** Stays the same from writing to reading: for React's `key`. */
  readonly key: string;
  /** Absent until it is stored. */
  readonly n: number | undefined;
  readonly from: string;
  readonly isOwn: boolean;
  readonly cid: string;
  readonly body: string;
  /** Epoch milliseconds: when it was stored, or else written. */
  readonly at: number;
  readonly state: MessageState;
  /** Of what is refused, the word of the envelope: `not_accepting`, `unblock_first`. */
  readonly error: string | undefined;
}

export interface ThreadView {
  readonly peer: string;
  /** Oldest first, without gaps; what is not stored yet comes last. */
  readonly messages: readonly MessageView[];
  /** Nothing to show yet, and it is not known whether there is anything. */
  readonly isLoading: boolean;
  /** There are older messages: `Thread.loadOlder` gets the next page. */
  readonly hasOlder: boolean;
  readonly isLoadingOlder: boolean;
  /** The word of what went wrong at the last page asked for, such as `unreachable`; it is tried again by itself when the
   * connection is back, or by `loadOlder` and `retryLoading`. */
  readonly failure: string | undefined;
  /** The number after which messages were unread when the thread was opened: where the line "new" goes. Absent: no line. */
  readonly unreadAfter: number | undefined;
}
