import { createContext, useEffect, useMemo } from 'react';
import { useProvided, useReadable } from '../../../data/hooks.ts';
import { useIsBlocked, usePerson } from '../../contacts/model/hooks.ts';
import type { Chats } from './chats.ts';
import type { Thread } from './thread.ts';
import type { ConversationView, MessageRequestsView, ThreadView } from './views.ts';

export const ChatsContext = createContext<Chats | undefined>(undefined);

export function useChats(): Chats {
  return useProvided(ChatsContext);
}

export function useConversations(): readonly ConversationView[] {
  return useReadable(useChats().conversations);
}

export function useMessageRequests(): MessageRequestsView {
  return useReadable(useChats().requests.view);
}

/** Whether what `peer` wrote waits for an answer. */
export function useIsRequest(peer: string | undefined): boolean {
  useMessageRequests();
  return useChats().requests.has(peer ?? '');
}

/** Whether the user can write to `peer`. A stranger who wrote gets an answer first. */
export function useCanWrite(peer: string): boolean {
  const isRequest = useIsRequest(peer);
  const isBlocked = useIsBlocked(peer);
  const { state } = usePerson(peer);
  return !isRequest && !isBlocked && state !== 'gone';
}

/** Whether the conversation with `peer` is archived. */
export function useIsArchived(peer: string | undefined): boolean {
  return useConversations().find((one) => one.peer === peer)?.isArchived ?? false;
}

export function useUnreadTotal(): number {
  return useReadable(useChats().unreadTotal);
}

/** The conversation with `peer`, loaded and marked as read while the component is mounted; see `Thread.setAtEnd`. */
export function useThread(peer: string): { view: ThreadView; thread: Thread } {
  const chats = useChats();
  const thread = useMemo(() => chats.thread(peer), [chats, peer]);
  useEffect(() => chats.open(peer), [chats, peer]);
  return { view: useReadable(thread.view), thread };
}

/** Whether `peer` is typing. Loads no messages. */
export function useTyping(peer: string): boolean {
  return useReadable(useChats().thread(peer).typing);
}

/** The text that the user is writing to `peer`, and its setter, as `useState` returns them. */
export function useDraft(peer: string): [text: string, set: (text: string) => void] {
  const chats = useChats();
  const draft = useMemo(() => chats.drafts.of(peer), [chats, peer]);
  return [useReadable(draft), draft.set];
}
