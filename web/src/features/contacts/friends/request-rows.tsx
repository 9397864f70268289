import { CheckIcon } from '@primer/octicons-react';
import { useTexts } from '../../../i18n/texts.tsx';
import { TimeText } from '../../../ui/person/time-text.tsx';
import type { RowTabs } from '../list/people-rows.tsx';
import type { PersonView } from '../model/views.ts';
import { FriendButton } from '../person/friend-button.tsx';
import { PersonRow } from '../person/person-row.tsx';
import styles from './request-rows.module.css';

/** Height of a row with two buttons, in rem. */
export const RECEIVED_REM = 7.25;

/** A user with the time of their request, epoch milliseconds. */
export type Request = PersonView & { at: number };

interface RowProps extends RowTabs {
  request: Request;
}

/** A user who sent the signed-in user a friend request. */
export function ReceivedRow({ request, ...tabs }: RowProps) {
  const texts = useTexts().people;
  const { at, ...person } = request;
  return (
    <>
      <PersonRow {...person} {...tabs} aside={<TimeText at={at} as="brief" />} end={null} />
      <div className={styles.actions}>
        <FriendButton
          userId={request.id}
          size="sm"
          className={styles.action}
          leftSection={<CheckIcon />}
          aria-label={texts.acceptFrom(person.name)}
          tabIndex={tabs.innerTabIndex}
          action="accept"
          done={texts.nowFriends}
          data-testid={`accept-${person.id}`}
        >
          {texts.accept}
        </FriendButton>
        <FriendButton
          userId={request.id}
          size="sm"
          className={styles.action}
          variant="default"
          aria-label={texts.declineFrom(person.name)}
          tabIndex={tabs.innerTabIndex}
          action="decline"
          data-testid={`decline-${person.id}`}
        >
          {texts.decline}
        </FriendButton>
      </div>
    </>
  );
}

/** A user who got a friend request from the signed-in user. */
export function SentRow({ request, ...tabs }: RowProps) {
  const texts = useTexts().people;
  const { at: _at, ...person } = request;
  return (
    <PersonRow
      {...person}
      {...tabs}
      aside={null}
      end={
        <FriendButton
          userId={request.id}
          className={styles.cancel}
          size="compact-sm"
          variant="default"
          aria-label={texts.takeBackTo(person.name)}
          tabIndex={tabs.innerTabIndex}
          action="cancel"
          data-testid={`cancel-${person.id}`}
        >
          {texts.takeBack}
        </FriendButton>
      }
    />
  );
}
