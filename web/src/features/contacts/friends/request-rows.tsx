import { CheckIcon } from '@primer/octicons-react';
import { useIsOffline } from '../../../data/hooks.ts';
import { useTexts } from '../../../i18n/texts.tsx';
import { Button } from '../../../ui/controls/button.tsx';
import { TimeText } from '../../../ui/person/time-text.tsx';
import type { PersonView } from '../model/views.ts';
import { PersonRow } from '../person/person-row.tsx';
import { useFriendAction } from '../person/use-friend-action.ts';
import styles from './request-rows.module.css';

/** Height of a row with two buttons, in rem. */
export const RECEIVED_REM = 7.25;

/** A user with the time of their request, epoch milliseconds. */
export type Request = PersonView & { at: number };

interface RowProps {
  request: Request;
  tabIndex: 0 | -1;
}

/** A user who sent the signed-in user a friend request. */
export function ReceivedRow({ request, tabIndex }: RowProps) {
  const texts = useTexts().people;
  const act = useFriendAction(request.id);
  const isOffline = useIsOffline();
  const { at, ...person } = request;
  return (
    <>
      <PersonRow {...person} tabIndex={tabIndex} aside={<TimeText at={at} as="brief" />} end={null} />
      <div className={styles.actions}>
        <Button
          size="sm"
          className={styles.action}
          leftSection={<CheckIcon />}
          aria-label={texts.acceptFrom(person.name)}
          tabIndex={tabIndex}
          disabled={isOffline}
          onClick={() => void act('accept', texts.nowFriends)}
          data-testid={`accept-${person.id}`}
        >
          {texts.accept}
        </Button>
        <Button
          size="sm"
          className={styles.action}
          variant="default"
          aria-label={texts.declineFrom(person.name)}
          tabIndex={tabIndex}
          disabled={isOffline}
          onClick={() => void act('decline')}
          data-testid={`decline-${person.id}`}
        >
          {texts.decline}
        </Button>
      </div>
    </>
  );
}

/** A user who got a friend request from the signed-in user. */
export function SentRow({ request, tabIndex }: RowProps) {
  const texts = useTexts().people;
  const act = useFriendAction(request.id);
  const isOffline = useIsOffline();
  const { at: _at, ...person } = request;
  return (
    <PersonRow
      {...person}
      tabIndex={tabIndex}
      aside={null}
      end={
        <Button
          className={styles.cancel}
          size="compact-sm"
          variant="default"
          aria-label={texts.takeBackTo(person.name)}
          tabIndex={tabIndex}
          disabled={isOffline}
          onClick={() => void act('cancel')}
          data-testid={`cancel-${person.id}`}
        >
          {texts.takeBack}
        </Button>
      }
    />
  );
}
