import { useIsOffline } from '../../../data/hooks.ts';
import { useTexts } from '../../../i18n/texts.tsx';
import { Button } from '../../../ui/controls/button.tsx';
import { useFriendState, useIsBlocked } from '../../contacts/model/hooks.ts';
import type { PersonView } from '../../contacts/model/views.ts';
import { isolate, Sentence, useNameInText } from '../../contacts/person/name-in-text.tsx';
import { useFriendAction } from '../../contacts/person/use-friend-action.ts';
import styles from './chat-page.module.css';

/** The answer to a friend request of the peer, above the messages. */
export function FriendBar({ person }: { person: PersonView }) {
  const texts = useTexts().chat;
  const name = useNameInText(person);
  const act = useFriendAction(person.id);
  const isAsked = useFriendState(person.id) === 'asked';
  const isBlocked = useIsBlocked(person.id);
  const isOffline = useIsOffline();
  return (
    <div role="status">
      {isAsked && !isBlocked && (
        <div className={styles.friend} data-testid="friend-asked">
          <p>
            <Sentence of={texts.asksYou} person={person} />
          </p>
          <span className={styles.answers}>
            <Button
              size="xs"
              disabled={isOffline}
              onClick={() => void act('accept', texts.befriended(isolate(name)))}
              data-testid="accept"
            >
              {texts.accept}
            </Button>
            <Button
              size="xs"
              variant="default"
              disabled={isOffline}
              onClick={() => void act('decline')}
              data-testid="decline"
            >
              {texts.decline}
            </Button>
          </span>
        </div>
      )}
    </div>
  );
}
