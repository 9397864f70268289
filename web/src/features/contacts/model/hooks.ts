import { createContext, useEffect } from 'react';
import { useIsOffline, useProvided, useReadable } from '../../../data/hooks.ts';
import type { Blocks } from './blocks.ts';
import type { Friends } from './friends.ts';
import type { People } from './people.ts';
import type { Presence } from './presence.ts';
import type { BlockedView, FriendState, FriendsView, PersonView, PresenceView } from './views.ts';

/** The stores about other users. */
interface Contacts {
  readonly people: People;
  readonly presence: Presence;
  readonly friends: Friends;
  readonly blocks: Blocks;
}

export const ContactsContext = createContext<Contacts | undefined>(undefined);

export function useContacts(): Contacts {
  return useProvided(ContactsContext);
}

/** Name and picture; fetched if they are unknown. */
export function usePerson(userId: string): PersonView {
  return useReadable(useContacts().people.person(userId));
}

/** Watches the users on the screen. Each row reads its user's presence with `usePresence`. */
export function usePresences(userIds: readonly string[]): void {
  const { presence } = useContacts();
  const key = userIds.join(' ');
  useEffect(() => (key === '' ? undefined : presence.watch(key.split(' '))), [presence, key]);
}

/**
 * The presence of a user that `usePresences` watches.
 *
 * @param guess `isOnline` of the directory or a profile, used until the user is watched
 */
export function usePresence(userId: string, guess?: number): PresenceView {
  const presence = useReadable(useContacts().presence.of(userId));
  const isBlocked = useIsBlocked(userId);
  const isOffline = useIsOffline();
  if (presence.state !== 'unknown' || guess === undefined || isBlocked || isOffline) return presence;
  return guess === 1 ? GUESSED_ONLINE : GUESSED_OFFLINE;
}
const GUESSED_ONLINE: PresenceView = { state: 'online', lastSeen: 0 };
const GUESSED_OFFLINE: PresenceView = { state: 'offline', lastSeen: 0 };

export function useFriends(): FriendsView {
  return useReadable(useContacts().friends.all);
}

export function useFriendState(userId: string): FriendState {
  return useReadable(useContacts().friends.state(userId));
}

export function useBlocked(): readonly BlockedView[] {
  return useReadable(useContacts().blocks.all);
}

export function useIsBlocked(userId: string): boolean {
  return useReadable(useContacts().blocks.isBlocked(userId));
}
