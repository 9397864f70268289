import { CommentDiscussionIcon, PeopleIcon } from '@primer/octicons-react';
import { useEffect, useState } from 'react';
import { useLocation } from 'wouter';
import { useFreshness, useIsOffline } from '../data/hooks.ts';
import { useConversations } from '../features/chat/model/hooks.ts';
import type { ConversationView } from '../features/chat/model/views.ts';
import { useTexts } from '../i18n/texts.tsx';
import { chatPath } from '../paths.ts';
import { Button } from '../ui/controls/button.tsx';
import { isNarrow } from '../ui/controls/pointer.ts';
import { EmptyState } from '../ui/list/empty-state.tsx';
import { Waiting } from '../ui/list/waiting.tsx';

interface NoChatOpenProps {
  isFirst: boolean;
  focusAtFirst?: Element | null;
}

/**
 * Beside the conversations on wide screens, until the user chooses one.
 *
 * @param props.isFirst the page was loaded here: the latest conversation opens
 * @param props.focusAtFirst what had the focus at that time
 */
export function NoChatOpen({ isFirst, focusAtFirst = null }: NoChatOpenProps) {
  const { shell } = useTexts();
  const isOpening = useLatestConversation(isFirst, focusAtFirst);
  const isFresh = useFreshness() === 'fresh';
  const isNewcomer = useConversations().length === 0 && isFresh;
  if (isOpening) return <Waiting />;
  if (isNewcomer) return <Welcome />;
  return <EmptyState icon={<CommentDiscussionIcon />} title={shell.noChatOpen} action={<FindPeople />} />;
}

/**
 * Opens the conversation with the newest message, once, in place of the current entry of the history. It waits until the
 * messages of the service are there, or the connection is lost. A screen that is wide only later opens none.
 *
 * @returns whether one may still open
 */
function useLatestConversation(isFirst: boolean, focusAtFirst: Element | null): boolean {
  const [isOpening, setOpening] = useState(isFirst && !isNarrow());
  const [, navigate] = useLocation();
  const isFresh = useFreshness() === 'fresh';
  const isKnown = useIsOffline() || isFresh;
  const latest = useConversations()
    .filter(({ isBlocked, isArchived }) => !isBlocked && !isArchived)
    .reduce<ConversationView | undefined>(
      (one, other) => (one && one.at >= other.at ? one : other),
      undefined,
    )?.peer;
  useEffect(() => {
    if (!isOpening || !isKnown) return;
    setOpening(false);
    // The user may be searching already, or be on the way to another conversation by keyboard.
    const isIdle = [document.body, focusAtFirst].includes(document.activeElement);
    if (latest !== undefined && !isNarrow() && isIdle) navigate(chatPath(latest), { replace: true });
  }, [isOpening, isKnown, latest, focusAtFirst, navigate]);
  return isOpening;
}

/** For a user without conversations. */
function Welcome() {
  const texts = useTexts().shell;
  return (
    <EmptyState icon={<PeopleIcon />} title={texts.welcome} action={<FindPeople />}>
      {texts.welcomeSays}
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
