import { ChevronRightIcon, PersonAddIcon } from '@primer/octicons-react';
import { useTexts } from '../../../i18n/texts.tsx';
import { ListRow } from '../../../ui/list/list-row.tsx';
import { useFriends } from '../../contacts/model/hooks.ts';
import { peoplePath } from '../../contacts/model/people-address.ts';
import styles from './conversation-list.module.css';

/** A row above the conversations while the user has friend requests to answer; it leads to them. */
export function FriendRequests() {
  const texts = useTexts().shell;
  const { asked } = useFriends();
  if (asked.length === 0) return null;
  return (
    <div className={styles.requests}>
      <ListRow
        href={peoplePath({ show: 'requests' })}
        start={
          <span className={styles.requestsIcon} aria-hidden="true">
            <PersonAddIcon />
          </span>
        }
        title={texts.requests(asked.length)}
        aside={<ChevronRightIcon />}
        testId="friend-requests"
      />
    </div>
  );
}
