import type { Message, MessageChange, Outgoing } from 'doorman-client';

/** One row of the list of conversations. */
export interface ConversationView {
  readonly peer: string;
  /** The last stored message; absent while all are unsent. */
  readonly last: Message | undefined;
  /** The user's last message that is not stored yet; newer than `last`. */
  readonly pending: MessageView | undefined;
  /** The state of `last`. */
  readonly lastState: MessageState | undefined;
  /** Epoch milliseconds, of the newer of the two; the order of the list below the pinned ones. */
  readonly at: number;
  /** 0 for a blocked user and for a message request. */
  readonly unread: number;
  /** The number up to which the user has read, on any device. */
  readonly ownRead: number;
  readonly isBlocked: boolean;
  /** Epoch milliseconds; 0: not pinned. */
  readonly pinnedAt: number;
  readonly isMuted: boolean;
  /** It is in a list of its own. */
  readonly isArchived: boolean;
  readonly isMarkedUnread: boolean;
}

export interface MessageRequestsView {
  /** How many wait, also while they are not loaded. */
  readonly count: number;
  /** The latest first, without those of blocked users. */
  readonly rows: readonly ConversationView[];
  /** The error word of the request for them. */
  readonly failure: string | undefined;
}

/**
 * Of the user's message: `waiting` for a connection or for earlier messages, `sending`, `refused` (see `error`); then
 * `stored`, `received` by a device of the peer, `read`. A message of the peer is always `theirs`.
 */
export type MessageState = 'waiting' | 'sending' | 'refused' | 'stored' | 'received' | 'read' | 'theirs';

/** One message of a thread; the same object until it changes. */
export interface MessageView {
  /** For React's `key`; the same before and after the message is stored. */
  readonly key: string;
  /** Absent until it is stored. */
  readonly n: number | undefined;
  readonly from: string;
  readonly isOwn: boolean;
  readonly cid: string;
  readonly body: string;
  /** When it was stored, or else written, epoch milliseconds. */
  readonly at: number;
  readonly state: MessageState;
  /** The error word of a refused message: `not_accepting`, `unblock_first`. */
  readonly error: string | undefined;
  /** The number of the message that it answers, and this message if it is loaded and not deleted. */
  readonly replyTo: number | undefined;
  readonly quoted: Message | undefined;
  /** Its picture; until it is uploaded without an id. */
  readonly picture: Outgoing['picture'];
  readonly isEdited: boolean;
  /** It was taken back, and has no text. */
  readonly isUnsent: boolean;
  /** Each user's emoji, by the user's id; see `reactionOf`. */
  readonly reactions: Message['reactions'];
  /** The user's changes that the service has not stored. Those that wait are shown already, a refused one is not. */
  readonly changes: readonly MessageChange[] | undefined;
  /** What the view was made of; absent until the message is stored. */
  readonly source: Message | undefined;
}

/** What the composer is for. */
export interface Composing {
  readonly kind: 'reply' | 'edit';
  /** Of the message that is answered or edited. */
  readonly key: string;
  /** Of an edit: the text as it is in the composer. */
  readonly text: string;
}

export interface ThreadView {
  readonly peer: string;
  /** Oldest first, without gaps; messages that are not stored come last. */
  readonly messages: readonly MessageView[];
  /** There are no messages to show, and it is unknown whether there are any. */
  readonly isLoading: boolean;
  /** There are older messages: `Thread.loadOlder` loads the next page. */
  readonly hasOlder: boolean;
  readonly isLoadingOlder: boolean;
  /** The error word of the last request, such as `unreachable`. It is repeated when the connection is back, or by
   * `loadOlder` and `retryLoading`. */
  readonly failure: string | undefined;
  /** The last message read when the thread was opened; the "new" divider follows it. Absent: no divider. */
  readonly unreadAfter: number | undefined;
  /** The last message that arrived while the page was hidden or without the focus; 0 if none did. */
  readonly arrivedAway: number;
}
