import { useTexts } from '../../../i18n/texts.tsx';
import { isolate } from '../../contacts/model/display-name.ts';
import { useFriendState, useIsBlocked } from '../../contacts/model/hooks.ts';
import type { PersonView } from '../../contacts/model/views.ts';
import { FriendButton } from '../../contacts/person/friend-button.tsx';
import { Sentence, useNameInText } from '../../contacts/person/name-in-text.tsx';
import styles from './chat-page.module.css';

/** The answer to a friend request of the peer, above the messages. */
export function FriendBar({ person }: { person: PersonView }) {
  const texts = useTexts().chat;
  const name = useNameInText(person);
  const isAsked = useFriendState(person.id) === 'asked';
  const isBlocked = useIsBlocked(person.id);
  return (
    <div role="status">
      {isAsked && !isBlocked && (
        <div className={styles.friend} data-testid="friend-asked">
          <p>
            <Sentence of={texts.asksYou} person={person} />
          </p>
          <span className={styles.answers}>
            <FriendButton
              userId={person.id}
              size="xs"
              action="accept"
              done={texts.befriended(isolate(name))}
              data-testid="accept"
            >
              {texts.accept}
            </FriendButton>
            <FriendButton
              userId={person.id}
              size="xs"
              variant="default"
              action="decline"
              data-testid="decline"
            >
              {texts.decline}
            </FriendButton>
          </span>
        </div>
      )}
    </div>
  );
}
