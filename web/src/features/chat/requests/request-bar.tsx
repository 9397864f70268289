import { DoormanError } from 'doorman-client';
import { useCallback, useEffect, useRef, useState } from 'react';
import { useLocation } from 'wouter';
import { useIsOffline, useStores } from '../../../data/hooks.ts';
import { useTexts } from '../../../i18n/texts.tsx';
import { chatPath, REQUESTS_PATH, SECTION_PATHS } from '../../../paths.ts';
import { Button, type ButtonProps } from '../../../ui/controls/button.tsx';
import { useToast } from '../../../ui/controls/toasts.tsx';
import { useSubmit } from '../../../ui/controls/use-submit.ts';
import { isolate } from '../../contacts/model/display-name.ts';
import type { PersonView } from '../../contacts/model/views.ts';
import { Sentence, useNameInText } from '../../contacts/person/name-in-text.tsx';
import { PersonDialog, type PersonQuestion } from '../../contacts/person/person-dialog.tsx';
import { useChats } from '../model/hooks.ts';
import styles from './request-bar.module.css';
import { useRequestTexts } from './texts.ts';

/** In place of the composer: the answer to a stranger who wrote. A request that ends otherwise than by Accept is left. */
export function RequestBar({ person }: { person: PersonView }) {
  const texts = useRequestTexts();
  const { people } = useTexts();
  const name = isolate(useNameInText(person));
  const { requests } = useChats();
  const toast = useToast();
  const { isPending, submit } = useSubmit();
  const isInactive = useIsOffline() || isPending;
  const [question, setQuestion] = useState<PersonQuestion>();
  const peer = person.id;
  // A report that blocks too closes with the request.
  const leave = useLeave(peer, () => {
    if (question === 'report') toast.say(texts.reported(name));
  });
  const answer = (act: 'accept' | 'decline') =>
    submit(async () => {
      try {
        await requests.answer(peer, act);
      } catch (error) {
        if (!(error instanceof DoormanError && error.error === 'no_request')) return toast.fail(error);
        requests.load();
        return toast.warn(texts.answered);
      }
      if (act === 'accept') return;
      leave();
      toast.say(texts.declined(name));
    });
  const button = { className: styles.button, variant: 'default', disabled: isInactive } satisfies ButtonProps;
  return (
    <section className={styles.bar} aria-labelledby="request-asks" data-floor="" data-testid="request-bar">
      <p className={styles.asks} id="request-asks">
        <Sentence of={texts.ask} person={person} />
      </p>
      <p className={styles.says}>{texts.askSays}</p>
      <div className={styles.buttons}>
        <Button
          {...button}
          variant="filled"
          onClick={() => void answer('accept')}
          data-testid="request-accept"
        >
          {texts.accept}
        </Button>
        <Button {...button} onClick={() => void answer('decline')} data-testid="request-decline">
          {texts.decline}
        </Button>
        <Button
          {...button}
          className={`${styles.button} ${styles.danger}`}
          onClick={() => setQuestion('block')}
          data-testid="request-block"
        >
          {texts.block}
        </Button>
        <Button
          {...button}
          className={`${styles.button} ${styles.danger}`}
          onClick={() => setQuestion('report')}
          data-testid="request-report"
        >
          {people.report}
        </Button>
      </div>
      <PersonDialog userId={peer} question={question} onClose={() => setQuestion(undefined)} onDone={leave} />
    </section>
  );
}

/** Leads to the other requests, or without any to the conversations, when another device has declined. @returns the same for here */
function useLeave(peer: string, onLeft: () => void): () => void {
  const chats = useChats();
  const { session } = useStores();
  const [, navigate] = useLocation();
  const leave = useCallback(() => {
    // The user may have gone elsewhere meanwhile.
    if (location.pathname !== chatPath(peer) || session.getSnapshot().state !== 'signed_in') return;
    const isLast = chats.requests.view.getSnapshot().count === 0;
    navigate(isLast ? SECTION_PATHS.chats : REQUESTS_PATH, { replace: true });
  }, [chats, session, peer, navigate]);
  const latest = useRef(onLeft);
  useEffect(() => {
    latest.current = onLeft;
  });
  useEffect(
    () => () => {
      if (chats.requests.has(peer) || chats.has(peer)) return;
      leave();
      latest.current();
    },
    [chats, peer, leave],
  );
  return leave;
}
