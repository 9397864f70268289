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

/** The stores about other users. */
export interface Contacts {
  readonly people: PeopleStore;
  readonly presence: PresenceStore;
  readonly friends: FriendsStore;
  readonly blocks: BlocksStore;
}

export interface PeopleStore {
  /** All users whose names are on this device: of conversations, friends and blocks, and of lists that were loaded. */
  readonly known: Readable<readonly PersonView[]>;
  /** An unknown name is fetched in the background when it gets a subscriber. */
  person(userId: string): Readable<PersonView>;
  /** Fetched when it gets its first subscriber, unless it is less than a minute old. */
  profile(userId: string): Readable<ProfileView>;
  /** Each list on the screen has its own search. */
  newSearch(): DirectorySearch;
}

export interface DirectorySearch extends Readable<DirectoryView> {
  /** Takes effect 200 ms after the last call, at once if the results are loaded already. */
  setQuery(query: DirectoryQueryView): void;
  loadMore(): void;
  /** Loads the list again; the loaded entries stay until then. */
  refresh(): void;
  /** The same, without showing that it loads or fails. */
  update(): void;
  /** The list is on the screen, so it loads, and loads again if it was loaded before. @returns closes it */
  open(): () => void;
}

export interface PresenceStore {
  /** The presence of a user in `watch`. */
  of(userId: string): Readable<PresenceView>;
  /** Watches these users; of more than 500 in all calls, the latest. @returns ends it */
  watch(userIds: readonly string[]): () => void;
}

export interface FriendsStore {
  readonly all: Readable<FriendsView>;
  /** All pages load in the background. */
  readonly moreFriends: MorePages;
  readonly moreRequests: MorePages;
  state(userId: string): Readable<FriendState>;
  act(action: FriendAction, userId: string): Promise<void>;
}

export interface BlocksStore {
  /** The newest block first. */
  readonly all: Readable<readonly BlockedView[]>;
  /** All pages load in the background. */
  readonly more: MorePages;
  isBlocked(userId: string): Readable<boolean>;
  /** From this call on the page shows neither typing nor presence nor unread messages of the user. */
  block(userId: string): Promise<void>;
  unblock(userId: string): Promise<void>;
}
