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
  /** Shown if there is no such conversation. */
  noMatch: ReactNode;
}

/**
 * The conversations with users whose name contains what was typed. A new device does not know all names, and requesting a
 * thousand of them one by one would take half an hour; so the directory is searched as well, which brings the names that
 * begin with the text.
 */
export function FoundConversations({ conversations, typed, noMatch }: FoundConversationsProps) {
  const chats = useChats();
  const { people } = useContacts();
  const { hasMore } = useReadable(chats.more.view);
  const { view } = useDirectory({ q: typed.trim(), isOnlineOnly: false });
  const found = useMemo(() => {
    const folded = fold(typed);
    // The names that the directory found are known now, so the filter runs again.
    void view;
    return conversations.filter(({ peer }) => isNamed(people.person(peer).getSnapshot(), folded));
  }, [conversations, typed, people, view]);
  // Without rows the list loads its next pages, until one has a user of that name.
  if (found.length > 0 || hasMore) return <ConversationRows conversations={found} />;
  return view.isLoading ? <Waiting /> : noMatch;
}
