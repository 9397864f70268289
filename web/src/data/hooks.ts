import type { OwnUser } from 'doorman-client';
import { createContext, useContext, useEffect, useMemo, useState, useSyncExternalStore } from 'react';
import type { Readable } from './cell.ts';
import type { DirectorySearch, Page, Thread } from './page.ts';
import type {
  BlockedView,
  ConnectionView,
  ConversationView,
  DirectoryQueryView,
  DirectoryView,
  Freshness,
  FriendState,
  FriendsView,
  PersonView,
  ProfileView,
  SessionView,
  SettingsView,
  SightView,
  ThreadView,
} from './views.ts';

/** `<PageContext value={page}>` around everything. */
export const PageContext = createContext<Page | undefined>(undefined);

export function usePage(): Page {
  const page = useContext(PageContext);
  if (!page) throw new Error('no PageContext around this component');
  return page;
}

/** The value of any readable; renders when it changes, and only then. */
export function useReadable<T>(readable: Readable<T>): T {
  return useSyncExternalStore(readable.subscribe, readable.get);
}

export function useSession(): SessionView {
  return useReadable(usePage().session);
}

export function useConnection(): ConnectionView {
  return useReadable(usePage().connection);
}

export function useFreshness(): Freshness {
  return useReadable(usePage().freshness);
}

export function useConversations(): readonly ConversationView[] {
  return useReadable(usePage().chats.conversations);
}

export function useUnreadTotal(): number {
  return useReadable(usePage().chats.unreadTotal);
}

/** The conversation with `peer`, loaded and marked as read while the component is there; see `Thread.setAtEnd`. */
export function useThread(peer: string): { view: ThreadView; thread: Thread } {
  const { chats } = usePage();
  const thread = useMemo(() => chats.thread(peer), [chats, peer]);
  useEffect(() => thread.open(), [thread]);
  return { view: useReadable(thread.view), thread };
}

/** Whether `peer` types; for rows of the list too, it loads nothing. */
export function useTyping(peer: string): boolean {
  return useReadable(usePage().chats.thread(peer).typing);
}

/** What is being written to `peer`, as `useState` gives it. */
export function useDraft(peer: string): [text: string, set: (text: string) => void] {
  const { chats } = usePage();
  const draft = useMemo(() => chats.draft(peer), [chats, peer]);
  return [useReadable(draft), draft.set];
}

/** Name and avatar; asked for if they are not known. */
export function usePerson(userId: string): PersonView {
  return useReadable(usePage().people.person(userId));
}

export function useProfile(userId: string): ProfileView {
  return useReadable(usePage().people.profile(userId));
}

/** A list of people of its own; give it what the search field says at every render, it waits by itself. */
export function useDirectory(query: DirectoryQueryView): { view: DirectoryView; search: DirectorySearch } {
  const { people } = usePage();
  const [search] = useState(() => people.newSearch());
  const { q, isOnlineOnly } = query;
  useEffect(() => search.setQuery({ q, isOnlineOnly }), [search, q, isOnlineOnly]);
  useEffect(() => search.open(), [search]);
  return { view: useReadable(search), search };
}

/** Watches those who are on the screen. Each row reads its own with `useSight`. */
export function useSights(userIds: readonly string[]): void {
  const { presence } = usePage();
  const key = userIds.join(' ');
  useEffect(() => (key === '' ? undefined : presence.watch(key.split(' '))), [presence, key]);
}

/**
 * How somebody appears who is watched by `useSights`.
 *
 * @param guess `isOnline` of the directory or a profile, good until he is watched
 */
export function useSight(userId: string, guess?: number): SightView {
  const sight = useReadable(usePage().presence.sight(userId));
  const isBlocked = useIsBlocked(userId);
  const isLive = useConnection().state === 'live';
  if (sight.state !== 'unknown' || guess === undefined || isBlocked || !isLive) return sight;
  return guess === 1 ? GUESSED_ONLINE : GUESSED_OFFLINE;
}
const GUESSED_ONLINE: SightView = { state: 'online', lastSeen: 0 };
const GUESSED_OFFLINE: SightView = { state: 'offline', lastSeen: 0 };

export function useFriends(): FriendsView {
  return useReadable(usePage().friends.all);
}

export function useFriendState(userId: string): FriendState {
  return useReadable(usePage().friends.state(userId));
}

export function useBlocked(): readonly BlockedView[] {
  return useReadable(usePage().blocks.all);
}

export function useIsBlocked(userId: string): boolean {
  return useReadable(usePage().blocks.isBlocked(userId));
}

/** The user himself; absent until the first answer of the service, or what was kept of it. */
export function useOwn(): { profile: OwnUser | undefined; settings: SettingsView | undefined } {
  const { own } = usePage();
  const profile = useReadable(own.profile);
  const settings = useReadable(own.settings);
  return useMemo(() => ({ profile, settings }), [profile, settings]);
}
