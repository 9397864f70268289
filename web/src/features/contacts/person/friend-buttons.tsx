import { CheckIcon, PersonAddIcon } from '@primer/octicons-react';
import { useTexts } from '../../../i18n/texts.tsx';
import { useKeepFocus } from '../../../ui/list/use-keep-focus.ts';
import { useFriendState } from '../model/hooks.ts';
import { FriendButton } from './friend-button.tsx';
import styles from './friend-buttons.module.css';

/** The actions that a friend request or its absence offers, inactive offline; removing a friend is among the `PersonActions`. */
export function FriendButtons({ userId, className }: { userId: string; className: string | undefined }) {
  const texts = useTexts().people;
  const state = useFriendState(userId);
  useKeepFocus(state);
  switch (state) {
    case 'none':
      return (
        <FriendButton
          userId={userId}
          className={className}
          variant="light"
          leftSection={<PersonAddIcon />}
          action="request"
          done={texts.requestSent}
          data-testid="friend-request"
        >
          {texts.add}
        </FriendButton>
      );
    case 'requested':
      return (
        <FriendButton
          userId={userId}
          className={className}
          variant="default"
          action="cancel"
          data-testid="friend-cancel"
        >
          {texts.takeBackRequest}
        </FriendButton>
      );
    case 'asked':
      return (
        <div className={styles.asked}>
          <p>{texts.wantsToBeFriends}</p>
          <div className={styles.answers}>
            <FriendButton
              userId={userId}
              size="sm"
              leftSection={<CheckIcon />}
              action="accept"
              done={texts.nowFriends}
              data-testid="friend-accept"
            >
              {texts.accept}
            </FriendButton>
            <FriendButton
              userId={userId}
              size="sm"
              variant="default"
              action="decline"
              data-testid="friend-decline"
            >
              {texts.decline}
            </FriendButton>
          </div>
        </div>
      );
    case 'friends':
      return (
        <p className={styles.friends} data-testid="friend-state">
          <CheckIcon />
          {texts.areFriends}
        </p>
      );
  }
}
