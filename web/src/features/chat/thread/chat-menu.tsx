import {
  BlockedIcon,
  CheckIcon,
  CircleSlashIcon,
  PersonAddIcon,
  PersonIcon,
  ReportIcon,
  SearchIcon,
  XIcon,
} from '@primer/octicons-react';
import { useState } from 'react';
import { useIsOffline } from '../../../data/hooks.ts';
import { useTexts } from '../../../i18n/texts.tsx';
import { profilePath } from '../../../paths.ts';
import { Menu, type MenuItem } from '../../../ui/controls/menu.tsx';
import { isolate } from '../../contacts/model/display-name.ts';
import { useFriendState, useIsBlocked } from '../../contacts/model/hooks.ts';
import type { FriendState, PersonView } from '../../contacts/model/views.ts';
import { useNameInText } from '../../contacts/person/name-in-text.tsx';
import { PersonDialog, type PersonQuestion } from '../../contacts/person/person-dialog.tsx';
import { useFriendAction } from '../../contacts/person/use-friend-action.ts';
import { ConversationDialog } from '../conversation-menu/conversation-dialog.tsx';
import { useConversationMenu, useMenuTexts } from '../conversation-menu/use-conversation-menu.tsx';
import { chatSearchPath } from '../model/search-address.ts';

export interface ChatMenuProps {
  person: PersonView;
  /** Whether it waits among the message requests. */
  isRequest: boolean;
}

/**
 * The menu of a conversation, open: profile, search, friendship, how the user keeps it, block, report. Offline, only the first two can be
 * chosen. A request has its block below, and is not searched.
 */
export function ChatMenu({ person, isRequest }: ChatMenuProps) {
  const { chat: texts, people } = useTexts();
  const isBlocked = useIsBlocked(person.id);
  const friendItems = useFriendItems(person, () => setQuestion('remove'));
  const [question, setQuestion] = useState<PersonQuestion>();
  const kept = useConversationMenu(person.id);
  const own = useMenuTexts().chat;

  const isInactive = useIsOffline();
  const items: MenuItem[] = [
    { id: 'profile', label: own.profile, icon: <PersonIcon />, leads: profilePath(person.id) },
    ...(kept.items.length > 0
      ? [{ id: 'search', label: own.search, icon: <SearchIcon />, leads: chatSearchPath(person.id) }]
      : []),
    ...(isBlocked || person.state === 'gone' ? [] : friendItems.map((item) => ({ ...item, isInactive }))),
    ...kept.items,
    isBlocked
      ? {
          id: 'unblock',
          label: texts.unblock,
          icon: <CircleSlashIcon />,
          leads: () => setQuestion('unblock'),
          isInactive,
        }
      : {
          id: 'block',
          label: texts.block,
          icon: <BlockedIcon />,
          leads: () => setQuestion('block'),
          isDangerous: true,
          isInactive,
        },
    {
      id: 'report',
      label: people.report,
      icon: <ReportIcon />,
      leads: () => setQuestion('report'),
      isDangerous: true,
      isInactive,
    },
  ];
  return (
    <>
      <Menu
        label={texts.more}
        items={items.filter(({ id }) => !isRequest || (id !== 'block' && id !== 'search'))}
        isOpenAtFirst
      />
      <PersonDialog userId={person.id} question={question} onClose={() => setQuestion(undefined)} />
      <ConversationDialog peer={person.id} question={kept.question} act={kept.act} onClose={kept.close} />
    </>
  );
}

function useFriendItems(person: PersonView, onUnfriend: () => void): MenuItem[] {
  const texts = useMenuTexts().chat;
  const { befriended } = useTexts().chat;
  const name = isolate(useNameInText(person));
  const act = useFriendAction(person.id);
  const byState: Record<FriendState, MenuItem[]> = {
    none: [
      {
        id: 'befriend',
        label: texts.befriend,
        icon: <PersonAddIcon />,
        leads: () => void act('request', texts.requested),
      },
    ],
    requested: [{ id: 'withdraw', label: texts.withdraw, icon: <XIcon />, leads: () => void act('cancel') }],
    asked: [
      {
        id: 'accept',
        label: texts.accept,
        icon: <CheckIcon />,
        leads: () => void act('accept', befriended(name)),
      },
      {
        id: 'decline',
        label: texts.decline,
        icon: <XIcon />,
        leads: () => void act('decline'),
      },
    ],
    friends: [{ id: 'unfriend', label: texts.unfriend, icon: <XIcon />, leads: onUnfriend }],
  };
  return byState[useFriendState(person.id)];
}
