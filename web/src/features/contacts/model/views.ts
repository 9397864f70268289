import type { DirectoryEntry, PublicProfile } from 'doorman-client';
import type { PagesView } from '../../../data/views.ts';

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
export interface PresenceView {
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
export interface DirectoryView extends PagesView {
  /** Of which query `entries` are: for a moment it is the one before. */
  readonly query: DirectoryQueryView;
  readonly entries: readonly DirectoryEntry[];
}

export type FriendState = 'none' | 'requested' | 'asked' | 'friends';
export type FriendAction = 'request' | 'cancel' | 'accept' | 'decline' | 'remove';

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
