import type { ReactNode } from 'react';
import { useIsOffline } from '../../../data/hooks.ts';
import { useTexts } from '../../../i18n/texts.tsx';
import { Button } from '../../../ui/controls/button.tsx';
import { useToast } from '../../../ui/controls/toasts.tsx';
import { useSubmit } from '../../../ui/controls/use-submit.ts';
import { useContacts, useIsBlocked } from '../../contacts/model/hooks.ts';
import type { PersonView } from '../../contacts/model/views.ts';
import { Sentence, useNameInText } from '../../contacts/person/name-in-text.tsx';
import type { Thread } from '../model/thread.ts';
import type { MessageView } from '../model/views.ts';
import styles from './composer.module.css';
import { Composer } from './composer.tsx';

interface ComposerPlaceProps {
  person: PersonView;
  thread: Thread;
  messages: readonly MessageView[];
}

/** The composer, or a notice why the user cannot write, with what they can do about it. The draft stays meanwhile. */
export function ComposerPlace({ person, thread, messages }: ComposerPlaceProps) {
  const texts = useTexts().chat;
  const name = useNameInText(person);
  const isBlocked = useIsBlocked(person.id);
  const notAccepted = messages.filter(({ error, state }) => state === 'refused' && error === 'not_accepting');

  if (isBlocked)
    return (
      <Notice testId="composer-blocked" action={<Unblock userId={person.id} />}>
        {messages.length > 0 ? <Sentence of={texts.unblockToWrite} person={person} /> : texts.unblockFirst}
      </Notice>
    );
  // Without messages the pane above says it.
  if (person.state === 'gone')
    return messages.length > 0 && <Notice testId="composer-gone">{texts.gone}</Notice>;
  if (notAccepted.length > 0) {
    const retry = () => {
      for (const { cid } of notAccepted) thread.retry(cid);
    };
    return (
      <Notice
        testId="composer-refused"
        action={
          <Button variant="default" size="sm" onClick={retry} data-testid="retry-all">
            {texts.retry}
          </Button>
        }
      >
        <Sentence of={texts.notAccepting} person={person} />
      </Notice>
    );
  }
  return <Composer name={name} thread={thread} messages={messages} />;
}

interface NoticeProps {
  testId: string;
  children: ReactNode;
  action?: ReactNode;
}

function Notice({ testId, children, action }: NoticeProps) {
  return (
    <div className={styles.notice} role="status" data-floor="" data-testid={testId}>
      <p>{children}</p>
      {action}
    </div>
  );
}

function Unblock({ userId }: { userId: string }) {
  const texts = useTexts().chat;
  const { blocks } = useContacts();
  const { fail } = useToast();
  const isOffline = useIsOffline();
  const { isPending, submit } = useSubmit();
  return (
    <Button
      variant="default"
      size="sm"
      disabled={isOffline}
      loading={isPending}
      onClick={() => void submit(() => blocks.unblock(userId).catch(fail))}
      data-testid="unblock-to-write"
    >
      {texts.unblock}
    </Button>
  );
}
