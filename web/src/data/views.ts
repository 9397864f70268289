import type { Connection, DirectoryEntry, Message, PublicProfile, Session, SessionEnd } from 'doorman-client';

/** Who is before the page. */
export type SessionView =
  /** It is not known yet; a moment at start. */
  | { state: 'restoring' }
  /** `end`: why there is no session any more; absent where there was none. */
  | { state: 'signed_out'; end?: SessionEnd }
  | { state: 'signed_in'; session: Session };

/**
 * How far what the page shows can be trusted. `none`: nothing is known yet (show placeholders, not "no conversations");
 * `kept`: from this device's storage, as it was when the page was last used; `fresh`: the service told it.
 */
export type Freshness = 'none' | 'kept' | 'fresh';

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

/** Somebody's name as the page knows it. */
export interface PersonView {
  readonly id: string;
  /** The nickname, else the username; empty while it is not known. */
  readonly name: string;
  readonly username: string;
  readonly avatar: string;
  /** `unknown`: being asked for. `gone`: there is no such account any more; `name` is empty. */
  readonly state: 'unknown' | 'known' | 'gone';
}

export interface ProfileView {
  /** The last that was heard, while a newer one is asked for too. */
  readonly profile: PublicProfile | undefined;
  readonly state: 'loading' | 'known' | 'gone' | 'failed';
}

/** How somebody appears. `unknown` also while there is no connection, and for whom one blocks. */
export interface SightView {
  readonly state: 'online' | 'idle' | 'offline' | 'unknown';
  /** Epoch milliseconds of going offline; 0: not known, or not offline. */
  readonly lastSeen: number;
}

export interface DirectoryQueryView {
  /** How the username or nickname starts; empty: everybody. */
  readonly q: string;
  readonly isOnlineOnly: boolean;
}

/** What a search, or the list of everybody, has brought so far. */
export interface DirectoryView {
  /** Of which query `entries` are: for a moment it is the one before. */
  readonly query: DirectoryQueryView;
  readonly entries: readonly DirectoryEntry[];
  /** More can be had: call `loadMore` when the end of the list comes near. */
  readonly hasMore: boolean;
  readonly isLoading: boolean;
  /** Too many calls: it goes on by itself at this moment, epoch milliseconds. */
  readonly waitsUntil: number | undefined;
  /** The word of what went wrong, such as `unreachable`; tried again by itself when the connection is back. */
  readonly failure: string | undefined;
}

/** How far a list is loaded that comes in pages. */
export type PagesView = Pick<DirectoryView, 'hasMore' | 'isLoading' | 'waitsUntil' | 'failure'>;

export type FriendState = 'none' | 'requested' | 'asked' | 'friends';
export type FriendAct = 'request' | 'cancel' | 'accept' | 'decline' | 'remove';

export interface FriendView {
  readonly id: string;
  readonly state: FriendState;
  /** Epoch milliseconds of the last change. */
  readonly at: number;
}

/** By kind, the latest change first. */
export interface FriendsView {
  readonly friends: readonly FriendView[];
  /** They asked the user. */
  readonly asked: readonly FriendView[];
  /** The user asked them. */
  readonly requested: readonly FriendView[];
}

export interface BlockedView {
  readonly id: string;
  /** Epoch milliseconds. */
  readonly at: number;
}

export interface SettingsView {
  readonly pushEnabled: boolean;
  readonly dndEnabled: boolean;
  readonly pushPreview: 'full' | 'sender' | 'none';
}

export type ConnectionView = Connection;
