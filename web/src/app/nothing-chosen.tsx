import { Button } from '@mantine/core';
import { CommentDiscussionIcon, GearIcon, PeopleIcon } from '@primer/octicons-react';
import { Link } from 'wouter';
import { useFreshness } from '../data/hooks.ts';
import { useConversations } from '../features/chat/model/hooks.ts';
import { useTexts } from '../i18n/texts.tsx';
import type { Section } from '../paths.ts';
import { EmptyState } from '../ui/list/empty-state.tsx';

/** Beside a list on wide screens, until the user chooses something in it. */
export function NothingChosen({ section }: { section: Section }) {
  const texts = useTexts().shell;
  switch (section) {
    case 'chats':
      return <NoChatOpen />;
    case 'people':
      return (
        <EmptyState icon={<PeopleIcon size={24} />} title={texts.noPersonOpen}>
          {texts.noPersonOpenSays}
        </EmptyState>
      );
    case 'settings':
      return (
        <EmptyState icon={<GearIcon size={24} />} title={texts.settings}>
          {texts.noSettingOpenSays}
        </EmptyState>
      );
  }
}

function NoChatOpen() {
  const { shell } = useTexts();
  const isFresh = useFreshness() === 'fresh';
  const isNewcomer = useConversations().length === 0 && isFresh;
  if (isNewcomer) return <Welcome />;
  return (
    <EmptyState icon={<CommentDiscussionIcon size={24} />} title={shell.noChatOpen} action={<FindPeople />}>
      {shell.noChatOpenSays}
    </EmptyState>
  );
}

/** For a user without conversations. */
function Welcome() {
  const { auth } = useTexts();
  return (
    <EmptyState icon={<PeopleIcon size={24} />} title={auth.welcome} action={<FindPeople />}>
      {auth.welcomeSays}
    </EmptyState>
  );
}

function FindPeople() {
  const texts = useTexts().shell;
  return (
    <Button component={Link} href="/people" data-testid="find-people">
      {texts.findPeople}
    </Button>
  );
}
