import {
  ArchiveIcon,
  BellIcon,
  BellSlashIcon,
  PinIcon,
  PinSlashIcon,
  ReadIcon,
  TrashIcon,
  UnreadIcon,
} from '@primer/octicons-react';
import { type ReactNode, useState } from 'react';
import { useLocation } from 'wouter';
import { useIsOffline, useStores } from '../../../data/hooks.ts';
import { useLanguage } from '../../../i18n/texts.tsx';
import { chatPath, SECTION_PATHS } from '../../../paths.ts';
import type { MenuItem } from '../../../ui/controls/menu.tsx';
import { useToast } from '../../../ui/controls/toasts.tsx';
import { isolate } from '../../contacts/model/display-name.ts';
import { usePerson } from '../../contacts/model/hooks.ts';
import { useNameInText } from '../../contacts/person/name-in-text.tsx';
import { useChats, useConversations } from '../model/hooks.ts';
import { conversationMenu as en } from './conversation-menu.en.ts';
import { conversationMenu as zh } from './conversation-menu.zh.ts';

/** The dialog that is open. */
type Question = 'mute' | 'delete';

type Item = keyof typeof en.items;

type Settings = Omit<
  Parameters<ReturnType<typeof useStores>['doorman']['api']['setConversation']>[0],
  'peer'
>;

/** The texts of the menu and its dialogs, loaded with the first of the files that show them. */
export function useMenuTexts(): typeof en {
  return { en, zh }[useLanguage().language];
}

/**
 * The entries for a conversation with messages, in the menu of its row and that of the open chat. A user who archives it, marks it as
 * unread or deletes it leaves it. A toast says what the service refuses.
 *
 * @param onActed an action has begun, without a question
 */
export function useConversationMenu(peer: string, onActed: () => void = () => {}) {
  const texts = useMenuTexts();
  const { doorman } = useStores();
  const { known } = useChats();
  const toast = useToast();
  const name = isolate(useNameInText(usePerson(peer)));
  const isInactive = useIsOffline();
  const leave = useLeave(peer);
  const [question, setQuestion] = useState<Question>();
  // Not as a row of the list that shows it, which it may leave while a dialog is open.
  const conversation = useConversations().find((one) => one.peer === peer);
  const { last, unread = 0, pinnedAt = 0, isMuted, isArchived, isMarkedUnread } = conversation ?? {};

  const set = (settings: Settings, done?: string) => async () => {
    onActed();
    try {
      await doorman.api.setConversation({ peer, ...settings });
      if (settings.archived || settings.markedUnread) leave();
      if (done !== undefined) toast.say(done);
    } catch (error) {
      toast.fail(error);
    }
  };
  const markRead = () => {
    onActed();
    if (last) known.readMarks.mark(peer, last.n);
  };
  const item = (id: Item, icon: ReactNode, leads: () => void): MenuItem => ({
    id,
    label: texts.items[id],
    icon,
    leads,
    isInactive,
  });
  const items = [
    pinnedAt > 0
      ? item('unpin', <PinSlashIcon />, set({ pinned: 0 }))
      : item('pin', <PinIcon />, set({ pinned: 1, ...(isArchived && { archived: 0 }) })),
    isMuted
      ? item('unmute', <BellIcon />, set({ mutedUntil: 0 }))
      : item('mute', <BellSlashIcon />, () => setQuestion('mute')),
    isArchived
      ? item('unarchive', <ArchiveIcon />, set({ archived: 0 }, texts.unarchived(name)))
      : item(
          'archive',
          <ArchiveIcon />,
          set({ archived: 1, ...(pinnedAt > 0 && { pinned: 0 }) }, texts.archived(name)),
        ),
    unread > 0 || isMarkedUnread
      ? item('markRead', <ReadIcon />, unread > 0 ? markRead : set({ markedUnread: 0 }))
      : item('markUnread', <UnreadIcon />, set({ markedUnread: 1 })),
    { ...item('delete', <TrashIcon />, () => setQuestion('delete')), isDangerous: true },
  ];
  return {
    // Without a stored message there is nothing to keep.
    items: last ? items : [],
    question,
    close: () => setQuestion(undefined),
    /** The actions of the dialogs. */
    act: {
      mute: async (until: number) => {
        await doorman.api.setConversation({ peer, mutedUntil: until });
        toast.say(texts.muted(name));
      },
      delete: async () => {
        await doorman.api.clearConversation({ peer, n: last?.n ?? 1 });
        leave();
        toast.say(texts.deleted(name));
      },
    },
  };
}

/** Leads to the list if the conversation is open. */
function useLeave(peer: string): () => void {
  const [, navigate] = useLocation();
  return () => {
    if (location.pathname === chatPath(peer)) navigate(SECTION_PATHS.chats, { replace: true });
  };
}
