import { CheckIcon, PersonAddIcon } from '@primer/octicons-react';
import { useIsOffline } from '../../../data/hooks.ts';
import { useTexts } from '../../../i18n/texts.tsx';
import { Button } from '../../../ui/controls/button.tsx';
import { useKeepFocus } from '../../../ui/list/use-keep-focus.ts';
import { useFriendState } from '../model/hooks.ts';
import styles from './friend-buttons.module.css';
import { useFriendAction } from './use-friend-action.ts';

/** The actions that a friend request or its absence offers, inactive offline; removing a friend is among the `PersonActions`. */
export function FriendButtons({ userId, className }: { userId: string; className: string | undefined }) {
  const texts = useTexts().people;
  const state = useFriendState(userId);
  const act = useFriendAction(userId);
  const isOffline = useIsOffline();
  useKeepFocus(state);
  switch (state) {
    case 'none':
      return (
        <Button
          className={className}
          variant="light"
          leftSection={<PersonAddIcon />}
          disabled={isOffline}
          onClick={() => void act('request', texts.requestSent)}
          data-testid="friend-request"
        >
          {texts.add}
        </Button>
      );
    case 'requested':
      return (
        <Button
          className={className}
          variant="default"
          disabled={isOffline}
          onClick={() => void act('cancel')}
          data-testid="friend-cancel"
        >
          {texts.takeBackRequest}
        </Button>
      );
    case 'asked':
      return (
        <div className={styles.asked}>
          <p>{texts.wantsToBeFriends}</p>
          <div className={styles.answers}>
            <Button
              size="sm"
              leftSection={<CheckIcon />}
              disabled={isOffline}
              onClick={() => void act('accept', texts.nowFriends)}
              data-testid="friend-accept"
            >
              {texts.accept}
            </Button>
            <Button
              size="sm"
              variant="default"
              disabled={isOffline}
              onClick={() => void act('decline')}
              data-testid="friend-decline"
            >
              {texts.decline}
            </Button>
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
