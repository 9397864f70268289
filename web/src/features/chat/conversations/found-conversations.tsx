import { type ReactNode, useMemo } from 'react';
import { useReadable } from '../../../data/hooks.ts';
import { Waiting } from '../../../ui/list/waiting.tsx';
import { useContacts, useDirectory } from '../../contacts/model/hooks.ts';
import { useChats } from '../model/hooks.ts';
import type { ConversationView } from '../model/views.ts';
import { ConversationRows } from './conversation-rows.tsx';
import { fold, isNamed } from './name-search.ts';

interface FoundConversationsProps {
  conversations: readonly ConversationView[];
  typed: string;
  /** In the place of the rows if there is none. */
  nobody: ReactNode;
}

/**
 * The conversations with people of whose name a part was typed. Not all names are known on a new device, and asking for a
 * thousand of them one by one would take half an hour; so the directory is searched as well, which tells the names that
 * begin with what was typed.
 */
export function FoundConversations({ conversations, typed, nobody }: FoundConversationsProps) {
  const chats = useChats();
  const { people } = useContacts();
  const { hasMore } = useReadable(chats.more.view);
  const { view } = useDirectory({ q: typed.trim(), isOnlineOnly: false });
  const found = useMemo(() => {
    const folded = fold(typed);
    // What the directory has brought is known by now.
    void view;
    return conversations.filter(({ peer }) => isNamed(people.person(peer).getSnapshot(), folded));
  }, [conversations, typed, people, view]);
  // The list goes on to its next pages until one has a user of that name.
  if (found.length > 0 || hasMore) return <ConversationRows conversations={found} />;
  return view.isLoading ? <Waiting /> : nobody;
}
