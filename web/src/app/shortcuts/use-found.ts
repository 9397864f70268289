import { useMemo } from 'react';
import { useSession } from '../../data/hooks.ts';
import { useConversations } from '../../features/chat/model/hooks.ts';
import { useBlocked, useContacts, useDirectory, useFriends } from '../../features/contacts/model/hooks.ts';
import { toQuery } from '../../features/contacts/model/people-address.ts';
import { type Found, findPeople } from './find-people.ts';

export interface FoundRow extends Found {
  readonly unread: number;
}

/** The users who can be written to, by the typed text. `isSearching`: the directory has not answered. */
export function useFound(typed: string): { found: readonly FoundRow[]; isSearching: boolean } {
  const conversations = useConversations();
  const { friends } = useFriends();
  const blocked = useBlocked();
  const { people } = useContacts();
  const session = useSession();
  const ownId = session.state === 'signed_in' ? session.session.userId : '';
  const q = toQuery(typed);
  const { view } = useDirectory({ q, isOnlineOnly: false });
  const found = useMemo(() => {
    const leftOut = new Set([ownId, ...blocked.map(({ id }) => id)]);
    const unread = new Map(conversations.map((one) => [one.peer, one.unread]));
    const rows = findPeople(q, {
      chats: conversations.map(({ peer }) => peer),
      friends: friends.map(({ id }) => id),
      people: view.entries.map(({ id }) => id),
      person: (id) => people.person(id).getSnapshot(),
      isLeftOut: (id) => leftOut.has(id),
    });
    return rows.map((row) => ({ ...row, unread: unread.get(row.id) ?? 0 }));
  }, [ownId, blocked, conversations, friends, view, people, q]);
  return { found, isSearching: view.isLoading };
}
