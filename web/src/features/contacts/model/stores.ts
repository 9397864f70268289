import type { Readable } from '../../../data/store.ts';
import type { MorePages } from '../../../data/stores.ts';
import type {
  BlockedView,
  DirectoryQueryView,
  DirectoryView,
  FriendAction,
  FriendState,
  FriendsView,
  PersonView,
  PresenceView,
  ProfileView,
} from './views.ts';

/** What the page knows of other users. */
export interface Contacts {
  readonly people: PeopleStore;
  readonly presence: PresenceStore;
  readonly friends: FriendsStore;
  readonly blocks: BlocksStore;
}

export interface PeopleStore {
  /** Reading it asks the service for whoever is not known, few at a time. */
  person(userId: string): Readable<PersonView>;
  /** Asks for it anew if it is older than a minute, when it gets its first subscriber. */
  profile(userId: string): Readable<ProfileView>;
  /** A search of its own: one for each list on the screen. */
  newSearch(): DirectorySearch;
}

export interface DirectorySearch extends Readable<DirectoryView> {
  /** Takes effect 200 ms after the last call, at once for what is known already. */
  setQuery(query: DirectoryQueryView): void;
  loadMore(): void;
  /** Asks anew, and shows what it has until then. */
  refresh(): void;
  /** It is on the screen until what is returned is called; before, it asks nothing. */
  open(): () => void;
}

export interface PresenceStore {
  /** The presence of a user who is watched. */
  of(userId: string): Readable<PresenceView>;
  /** Wants to know about these until what is returned is called. 500 in all; the latest asked count. */
  watch(userIds: readonly string[]): () => void;
}

export interface FriendsStore {
  readonly all: Readable<FriendsView>;
  /** They are loaded one after the other by themselves. */
  readonly moreFriends: MorePages;
  readonly moreRequests: MorePages;
  state(userId: string): Readable<FriendState>;
  act(act: FriendAction, userId: string): Promise<void>;
}

export interface BlocksStore {
  /** The newest first. */
  readonly all: Readable<readonly BlockedView[]>;
  /** They are loaded one after the other by themselves. */
  readonly more: MorePages;
  isBlocked(userId: string): Readable<boolean>;
  /** From this call on nothing of the user is shown: no typing, no dot, no unread count. */
  block(userId: string): Promise<void>;
  unblock(userId: string): Promise<void>;
}
