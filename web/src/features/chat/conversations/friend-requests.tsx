import { ChevronRightIcon, PersonAddIcon } from '@primer/octicons-react';
import { useSession } from '../../../data/hooks.ts';
import { useTexts } from '../../../i18n/texts.tsx';
import { ListRow } from '../../../ui/list/list-row.tsx';
import { directoryMemory } from '../../contacts/model/directory-memory.ts';
import { useContacts, useFriends } from '../../contacts/model/hooks.ts';
import styles from './conversation-list.module.css';

/** A row above the conversations while the user has friend requests to answer; it leads to them. */
export function FriendRequests() {
  const texts = useTexts().shell;
  const { people } = useContacts();
  const session = useSession();
  const { asked } = useFriends();
  if (asked.length === 0 || session.state !== 'signed_in') return null;
  const { userId } = session.session;
  const showRequests = () => {
    directoryMemory(people, userId).filter = 'requests';
  };
  return (
    <div className={styles.requests} onClickCapture={showRequests}>
      <ListRow
        href="/people"
        start={
          <span className={styles.requestsIcon} aria-hidden="true">
            <PersonAddIcon size={20} />
          </span>
        }
        title={texts.requests(asked.length)}
        aside={<ChevronRightIcon size={16} />}
        testId="friend-requests"
      />
    </div>
  );
}
