import type { Doorman, LoginBody, OwnUser, ProfileBody, RegisterBody } from 'doorman-client';
import type { Readable } from './cell.ts';
import type {
  BlockedView,
  ConnectionView,
  ConversationView,
  DirectoryQueryView,
  DirectoryView,
  Freshness,
  FriendAct,
  FriendState,
  FriendsView,
  PagesView,
  PersonView,
  ProfileView,
  SessionView,
  SettingsView,
  SightView,
  ThreadView,
} from './views.ts';

/**
 * All that the page knows, and all that it does, without any React: `hooks.ts` reads it. What is a `Readable` here gives
 * the same object until it changes. Acts that can be refused reject with `DoormanError`; what they did beforehand on the
 * screen is taken back by itself.
 */
export interface Page {
  /** For what has no state here: push, sessions, password, devices, push log. */
  readonly doorman: Doorman;
  readonly session: SessionStore;
  readonly connection: Readable<ConnectionView>;
  readonly freshness: Readable<Freshness>;
  readonly chats: ChatsStore;
  readonly people: PeopleStore;
  readonly presence: PresenceStore;
  readonly friends: FriendsStore;
  readonly blocks: BlocksStore;
  readonly own: OwnStore;
  /** Finds who is signed in, shows what was kept, and connects. Once. */
  start(): Promise<void>;
  /** Writes what is not kept yet; the page is about to be hidden or closed. */
  flush(): Promise<void>;
  /** Ends timers and listeners; for tests. The doorman is not the page's to close. */
  close(): Promise<void>;
}

export interface SessionStore extends Readable<SessionView> {
  signUp(body: RegisterBody): Promise<void>;
  signIn(body: LoginBody): Promise<void>;
  /** Leaves nothing on this device. */
  signOut(): Promise<void>;
}

export interface ChatsStore {
  /** By the last message, the latest first; those with blocked people too (`isBlocked`). */
  readonly conversations: Readable<readonly ConversationView[]>;
  readonly more: MorePages;
  /** Of all conversations that are loaded, but for those with blocked users. */
  readonly unreadTotal: Readable<number>;
  thread(peer: string): Thread;
  draft(peer: string): Draft;
}

/** The pages of a list after its first one. */
export interface MorePages {
  readonly view: Readable<PagesView>;
  /** More calls while one is under way do nothing. */
  loadMore(): void;
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
  noteTyping(): void;
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
  /** How somebody appears, if he is among those who are watched. */
  sight(userId: string): Readable<SightView>;
  /** Wants to know about these until what is returned is called. 500 in all; the latest asked count. */
  watch(userIds: readonly string[]): () => void;
}

export interface FriendsStore {
  readonly all: Readable<FriendsView>;
  /** They are loaded one after the other by themselves. */
  readonly moreFriends: MorePages;
  readonly moreRequests: MorePages;
  state(userId: string): Readable<FriendState>;
  act(act: FriendAct, userId: string): Promise<void>;
}

export interface BlocksStore {
  /** The newest first. */
  readonly all: Readable<readonly BlockedView[]>;
  /** They are loaded one after the other by themselves. */
  readonly more: MorePages;
  isBlocked(userId: string): Readable<boolean>;
  /** From this call on nothing of him is shown: no typing, no dot, no unread. */
  block(userId: string): Promise<void>;
  unblock(userId: string): Promise<void>;
}

export interface OwnStore {
  readonly profile: Readable<OwnUser | undefined>;
  readonly settings: Readable<SettingsView | undefined>;
  updateProfile(body: ProfileBody): Promise<void>;
  /** Shows at once what is wanted. */
  updateSettings(wanted: Partial<SettingsView>): Promise<void>;
}
