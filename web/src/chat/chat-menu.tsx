import {
  BlockedIcon,
  CheckIcon,
  CircleSlashIcon,
  PersonAddIcon,
  PersonIcon,
  XIcon,
} from '@primer/octicons-react';
import { useState } from 'react';
import { ConfirmDialog } from '../shell/confirm-dialog.tsx';
import { useToast } from '../shell/toasts.tsx';
import { useFriendState, useIsBlocked, usePage } from '../state/hooks.ts';
import type { FriendState, PersonView } from '../state/views.ts';
import { useWords } from '../words/words.tsx';
import { Menu, type MenuItem } from './menu.tsx';
import { isolated, useCalled } from './names.tsx';
import { useFriendAct } from './use-friend-act.ts';

type Question = 'block' | 'unblock' | 'unfriend';

/** What can be done about the person of a conversation. */
export function ChatMenu({ person }: { person: PersonView }) {
  const words = useWords().chat;
  const { blocks, friends } = usePage();
  const { say } = useToast();
  const called = isolated(useCalled(person));
  const isBlocked = useIsBlocked(person.id);
  const friendItems = useFriendItems(person, () => setQuestion('unfriend'));
  const [question, setQuestion] = useState<Question>();

  const items: MenuItem[] = [
    { id: 'profile', label: words.profile, icon: <PersonIcon size={16} />, leads: `/people/${person.id}` },
    ...(isBlocked || person.state === 'gone' ? [] : friendItems),
    isBlocked
      ? {
          id: 'unblock',
          label: words.unblock,
          icon: <CircleSlashIcon size={16} />,
          leads: () => setQuestion('unblock'),
        }
      : {
          id: 'block',
          label: words.block,
          icon: <BlockedIcon size={16} />,
          leads: () => setQuestion('block'),
          isDangerous: true,
        },
  ];
  const close = () => setQuestion(undefined);
  return (
    <>
      <Menu label={words.more} items={items} />
      <ConfirmDialog
        isOpen={question === 'block'}
        title={words.blockAsk(called)}
        confirm={words.block}
        isDangerous
        onConfirm={async () => {
          await blocks.block(person.id);
          say(words.blockedNow(called));
        }}
        onClose={close}
      >
        {words.blockSays}
      </ConfirmDialog>
      <ConfirmDialog
        isOpen={question === 'unblock'}
        title={words.unblockAsk(called)}
        confirm={words.unblock}
        onConfirm={async () => {
          await blocks.unblock(person.id);
          say(words.unblockedNow(called));
        }}
        onClose={close}
      >
        {words.unblockSays}
      </ConfirmDialog>
      <ConfirmDialog
        isOpen={question === 'unfriend'}
        title={words.unfriendAsk(called)}
        confirm={words.unfriend}
        isDangerous
        onConfirm={() => friends.act('remove', person.id)}
        onClose={close}
      >
        {words.unfriendSays}
      </ConfirmDialog>
    </>
  );
}

function useFriendItems(person: PersonView, onUnfriend: () => void): MenuItem[] {
  const words = useWords().chat;
  const { act } = useFriendAct(person);
  const byState: Record<FriendState, MenuItem[]> = {
    none: [
      {
        id: 'befriend',
        label: words.befriend,
        icon: <PersonAddIcon size={16} />,
        leads: () => void act('request'),
      },
    ],
    requested: [
      { id: 'withdraw', label: words.withdraw, icon: <XIcon size={16} />, leads: () => void act('cancel') },
    ],
    asked: [
      {
        id: 'accept',
        label: words.acceptLong,
        icon: <CheckIcon size={16} />,
        leads: () => void act('accept'),
      },
      {
        id: 'decline',
        label: words.declineLong,
        icon: <XIcon size={16} />,
        leads: () => void act('decline'),
      },
    ],
    friends: [{ id: 'unfriend', label: words.unfriend, icon: <XIcon size={16} />, leads: onUnfriend }],
  };
  return byState[useFriendState(person.id)];
}
