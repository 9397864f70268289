import {
  BlockedIcon,
  CheckIcon,
  CircleSlashIcon,
  PersonAddIcon,
  PersonIcon,
  ReportIcon,
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
import { useConversationMenu } from '../conversation-menu/use-conversation-menu.tsx';

export interface ChatMenuProps {
  person: PersonView;
  /** Whether it waits among the message requests. */
  isRequest: boolean;
}

/**
 * The menu of a conversation, open: profile, friendship, how the user keeps it, block, report. Offline, only the profile can be chosen. A
 * request has its block below.
 */
export function ChatMenu({ person, isRequest }: ChatMenuProps) {
  const { chat: texts, people } = useTexts();
  const isBlocked = useIsBlocked(person.id);
  const friendItems = useFriendItems(person, () => setQuestion('remove'));
  const [question, setQuestion] = useState<PersonQuestion>();
  const kept = useConversationMenu(person.id);

  const isInactive = useIsOffline();
  const items: MenuItem[] = [
    { id: 'profile', label: texts.profile, icon: <PersonIcon />, leads: profilePath(person.id) },
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
      <Menu label={texts.more} items={items.filter(({ id }) => !isRequest || id !== 'block')} isOpenAtFirst />
      <PersonDialog userId={person.id} question={question} onClose={() => setQuestion(undefined)} />
      <ConversationDialog peer={person.id} question={kept.question} act={kept.act} onClose={kept.close} />
    </>
  );
}

function useFriendItems(person: PersonView, onUnfriend: () => void): MenuItem[] {
  const texts = useTexts().chat;
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
        label: texts.acceptLong,
        icon: <CheckIcon />,
        leads: () => void act('accept', texts.befriended(name)),
      },
      {
        id: 'decline',
        label: texts.declineLong,
        icon: <XIcon />,
        leads: () => void act('decline'),
      },
    ],
    friends: [{ id: 'unfriend', label: texts.unfriend, icon: <XIcon />, leads: onUnfriend }],
  };
  return byState[useFriendState(person.id)];
}
