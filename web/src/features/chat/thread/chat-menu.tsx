import {
  BlockedIcon,
  CheckIcon,
  CircleSlashIcon,
  PersonAddIcon,
  PersonIcon,
  XIcon,
} from '@primer/octicons-react';
import { useState } from 'react';
import { useTexts } from '../../../i18n/texts.tsx';
import { profilePath } from '../../../paths.ts';
import { ConfirmDialog } from '../../../ui/controls/confirm-dialog.tsx';
import { Menu, type MenuItem } from '../../../ui/controls/menu.tsx';
import { useContacts, useFriendState, useIsBlocked } from '../../contacts/model/hooks.ts';
import type { FriendState, PersonView } from '../../contacts/model/views.ts';
import { BlockDialog, UnblockDialog } from '../../contacts/person/block-dialogs.tsx';
import { isolate, useNameInText } from '../../contacts/person/name-in-text.tsx';
import { useFriendAction } from '../../contacts/person/use-friend-action.ts';

type Question = 'block' | 'unblock' | 'unfriend';

/** The menu of a conversation: profile, friendship, block. */
export function ChatMenu({ person }: { person: PersonView }) {
  const texts = useTexts().chat;
  const { friends } = useContacts();
  const name = isolate(useNameInText(person));
  const isBlocked = useIsBlocked(person.id);
  const friendItems = useFriendItems(person, () => setQuestion('unfriend'));
  const [question, setQuestion] = useState<Question>();

  const items: MenuItem[] = [
    { id: 'profile', label: texts.profile, icon: <PersonIcon size={16} />, leads: profilePath(person.id) },
    ...(isBlocked || person.state === 'gone' ? [] : friendItems),
    isBlocked
      ? {
          id: 'unblock',
          label: texts.unblock,
          icon: <CircleSlashIcon size={16} />,
          leads: () => setQuestion('unblock'),
        }
      : {
          id: 'block',
          label: texts.block,
          icon: <BlockedIcon size={16} />,
          leads: () => setQuestion('block'),
          isDangerous: true,
        },
  ];
  const close = () => setQuestion(undefined);
  return (
    <>
      <Menu label={texts.more} items={items} />
      <BlockDialog userId={person.id} isOpen={question === 'block'} onClose={close} />
      <UnblockDialog userId={person.id} isOpen={question === 'unblock'} onClose={close} />
      <ConfirmDialog
        isOpen={question === 'unfriend'}
        title={texts.unfriendAsk(name)}
        confirm={texts.unfriend}
        isDangerous
        onConfirm={() => friends.act('remove', person.id)}
        onClose={close}
      >
        {texts.unfriendSays}
      </ConfirmDialog>
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
        icon: <PersonAddIcon size={16} />,
        leads: () => void act('request', texts.requested),
      },
    ],
    requested: [
      { id: 'withdraw', label: texts.withdraw, icon: <XIcon size={16} />, leads: () => void act('cancel') },
    ],
    asked: [
      {
        id: 'accept',
        label: texts.acceptLong,
        icon: <CheckIcon size={16} />,
        leads: () => void act('accept', texts.befriended(name)),
      },
      {
        id: 'decline',
        label: texts.declineLong,
        icon: <XIcon size={16} />,
        leads: () => void act('decline'),
      },
    ],
    friends: [{ id: 'unfriend', label: texts.unfriend, icon: <XIcon size={16} />, leads: onUnfriend }],
  };
  return byState[useFriendState(person.id)];
}
