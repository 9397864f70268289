import { PersonIcon } from '@primer/octicons-react';
import { useEffect, useState } from 'react';
import { Link } from 'wouter';
import { useIsOffline } from '../../../data/hooks.ts';
import { useTexts } from '../../../i18n/texts.tsx';
import { profilePath } from '../../../paths.ts';
import { Button } from '../../../ui/controls/button.tsx';
import { ErrorText, useErrorSentence } from '../../../ui/controls/error-text.tsx';
import { Loader } from '../../../ui/controls/loader.tsx';
import { EmptyState } from '../../../ui/list/empty-state.tsx';
import { LoadFailed } from '../../../ui/list/load-failed.tsx';
import { Skeleton } from '../../../ui/list/skeleton.tsx';
import { Waiting } from '../../../ui/list/waiting.tsx';
import { PersonAvatar } from '../../../ui/person/person-avatar.tsx';
import { useIsBlocked } from '../../contacts/model/hooks.ts';
import type { PersonView } from '../../contacts/model/views.ts';
import { Sentence, useNameInText } from '../../contacts/person/name-in-text.tsx';
import type { Thread } from '../model/thread.ts';
import type { ThreadView } from '../model/views.ts';
import styles from './chat-page.module.css';
import { hasParts, messageParts } from './message.tsx';
import { MessageList } from './message-list.tsx';

/** Up to so many messages are loaded before the thread is shown, to reach the first unread one; after that it is shown anyway. */
const MAX_OPENED = 1_000;

interface ThreadPaneProps {
  person: PersonView;
  view: ThreadView;
  thread: Thread;
}

/** The messages of a conversation, or why there are none yet. */
export function ThreadPane({ person, view, thread }: ThreadPaneProps) {
  const { chat, people } = useTexts();
  const name = useNameInText(person);
  const sentence = useErrorSentence();
  const isReady = useLoadedToFirstUnread(view, thread);
  if (person.state === 'gone' && view.messages.length === 0)
    return (
      <div className={styles.middle}>
        <EmptyState icon={<PersonIcon />} title={people.nobodyHere}>
          {people.nobodyHereSays}
        </EmptyState>
      </div>
    );
  if (view.messages.length === 0 && view.failure !== undefined)
    return (
      <div className={styles.middle}>
        <LoadFailed title={chat.cannotLoad} onRetry={() => thread.retryLoading()}>
          {sentence(view.failure)}
        </LoadFailed>
      </div>
    );
  if (!isReady)
    return (
      <div className={styles.middle}>
        <Waiting />
      </div>
    );
  return <MessageList view={view} thread={thread} name={name} top={<Top {...{ person, view, thread }} />} />;
}

/** Loads history up to the first unread message, and what draws parts of some messages. @returns whether it is loaded; once true, it stays true */
function useLoadedToFirstUnread(view: ThreadView, thread: Thread): boolean {
  const { messages, unreadAfter, hasOlder, isLoading, failure } = view;
  const isAbove = unreadAfter !== undefined && (messages[0]?.n ?? 0) > unreadAfter + 1;
  const isMoreNeeded = isAbove && hasOlder && failure === undefined && messages.length < MAX_OPENED;
  const lacksParts = !messageParts.areLoaded && messages.some(hasParts);
  const [isReady, setReady] = useState(!isLoading && !isMoreNeeded && !lacksParts);
  useEffect(() => {
    if (isReady || isLoading) return;
    const show = () => setReady(true);
    if (isMoreNeeded) thread.loadOlder();
    else if (lacksParts) void messageParts.load().then(show, show);
    else show();
  });
  return isReady;
}

/** Above the first loaded message: a button for older ones, or the peer at the beginning of the conversation. */
function Top({ person, view, thread }: ThreadPaneProps) {
  const texts = useTexts().chat;
  const isBlocked = useIsBlocked(person.id);
  const { messages, hasOlder, isLoadingOlder, failure } = view;
  if (failure !== undefined)
    return (
      <div className={styles.failed}>
        <ErrorText error={failure} />
        {/* By keyboard, an arrow up from the first message does the same. */}
        <Button
          variant="default"
          size="sm"
          tabIndex={-1}
          onClick={() => thread.retryLoading()}
          data-testid="retry-loading"
        >
          {texts.retry}
        </Button>
      </div>
    );
  if (hasOlder)
    return (
      <div className={styles.older} data-testid="older">
        {isLoadingOlder ? (
          <Loader size="xs" role="status" aria-label={texts.loadingOlder} />
        ) : (
          // Keys reach older messages by the first one, which loads them.
          <Button variant="subtle" size="compact-sm" tabIndex={-1} onClick={() => thread.loadOlder()}>
            {texts.loadOlder}
          </Button>
        )}
      </div>
    );
  const isEmpty = messages.length === 0;
  if (person.state === 'unknown') return <UnknownPeer isEmpty={isEmpty} />;
  const says = isEmpty ? (isBlocked ? texts.blockedTitle : texts.sayHello) : texts.beginning;
  return (
    <div className={styles.beginning} data-empty={isEmpty || undefined} data-testid="beginning">
      <Link href={profilePath(person.id)} tabIndex={-1} aria-hidden="true">
        <PersonAvatar person={person} size={72} />
      </Link>
      <p className={isEmpty ? styles.hello : undefined}>
        <Sentence of={says} person={person} />
      </p>
      {isEmpty && !isBlocked && <p>{texts.sayHelloSays}</p>}
    </div>
  );
}

/** In place of the peer, until it is known whether there is such a user. */
function UnknownPeer({ isEmpty }: { isEmpty: boolean }) {
  // Without a connection no answer is on its way.
  if (useIsOffline()) return null;
  return (
    <div
      className={styles.beginning}
      data-empty={isEmpty || undefined}
      aria-busy="true"
      data-testid="beginning"
    >
      <Skeleton circle height={72} />
      {isEmpty && (
        <p className={styles.hello}>
          <Skeleton component="span" height={16} width={180} />
        </p>
      )}
      <p>
        <Skeleton component="span" height={12} width={120} />
      </p>
    </div>
  );
}
