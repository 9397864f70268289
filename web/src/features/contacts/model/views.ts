import type { DirectoryEntry, PublicProfile } from 'doorman-client';
import type { PagesView } from '../../../data/views.ts';

/** A user's name and picture. */
export interface PersonView {
  readonly id: string;
  /** The nickname, else the username; empty while unknown. */
  readonly name: string;
  readonly username: string;
  readonly avatar: string;
  /** `unknown`: being fetched. `gone`: the account is deleted; `name` is empty. */
  readonly state: 'unknown' | 'known' | 'gone';
}

export interface ProfileView {
  /** The profile that was fetched last; it stays while it is fetched again. */
  readonly profile: PublicProfile | undefined;
  readonly state: 'loading' | 'known' | 'gone' | 'failed';
}

/** A user's presence. `unknown` also without a connection, and for users that one blocks. */
export interface PresenceView {
  readonly state: 'online' | 'idle' | 'offline' | 'unknown';
  /** Epoch milliseconds of going offline; 0: not known, or not offline. */
  readonly lastSeen: number;
}

export interface DirectoryQueryView {
  /** The start of the username or nickname; empty: all users. */
  readonly q: string;
  readonly isOnlineOnly: boolean;
}

/** The entries that are loaded of a search, or of the list of all users. */
export interface DirectoryView extends PagesView {
  /** The query of `entries`: the previous one until the current one has results. */
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

/** By state, the latest change first. */
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
