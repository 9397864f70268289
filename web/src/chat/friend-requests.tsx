import { ChevronRightIcon, PersonAddIcon } from '@primer/octicons-react';
import { listMemory } from '../people/list-memory.ts';
import { ListRow } from '../shell/list-row.tsx';
import { useFriends, usePage, useSession } from '../state/hooks.ts';
import { useWords } from '../words/words.tsx';
import styles from './conversation-list.module.css';

/** Somebody waits to be let in. */
export function FriendRequests() {
  const words = useWords().shell;
  const { people } = usePage();
  const session = useSession();
  const { asked } = useFriends();
  if (asked.length === 0 || session.state !== 'signed_in') return null;
  const { userId } = session.session;
  const showRequests = () => {
    listMemory(people, userId).filter = 'requests';
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
        title={words.requests(asked.length)}
        aside={<ChevronRightIcon size={16} />}
        testId="friend-requests"
      />
    </div>
  );
}
