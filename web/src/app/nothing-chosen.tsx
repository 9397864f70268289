import { CommentDiscussionIcon, PeopleIcon } from '@primer/octicons-react';
import { useFreshness } from '../data/hooks.ts';
import { useConversations } from '../features/chat/model/hooks.ts';
import { useTexts } from '../i18n/texts.tsx';
import { Button } from '../ui/controls/button.tsx';
import { EmptyState } from '../ui/list/empty-state.tsx';

/** Beside the list of people on wide screens, until the user chooses one. */
export function NoPersonOpen() {
  const texts = useTexts().shell;
  return (
    <EmptyState icon={<PeopleIcon />} title={texts.noPersonOpen}>
      {texts.noPersonOpenSays}
    </EmptyState>
  );
}

/** Beside the conversations on wide screens, until the user chooses one. */
export function NoChatOpen() {
  const { shell } = useTexts();
  const isFresh = useFreshness() === 'fresh';
  const isNewcomer = useConversations().length === 0 && isFresh;
  if (isNewcomer) return <Welcome />;
  return <EmptyState icon={<CommentDiscussionIcon />} title={shell.noChatOpen} action={<FindPeople />} />;
}

/** For a user without conversations. */
function Welcome() {
  const { auth } = useTexts();
  return (
    <EmptyState icon={<PeopleIcon />} title={auth.welcome} action={<FindPeople />}>
      {auth.welcomeSays}
    </EmptyState>
  );
}

function FindPeople() {
  const texts = useTexts().shell;
  return (
    <Button href="/people" data-testid="find-people">
      {texts.findPeople}
    </Button>
  );
}
