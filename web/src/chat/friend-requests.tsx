import { PersonAddIcon } from '@primer/octicons-react';
import { CountBadge, ListRow } from '../shell/list-row.tsx';
import { useFriends } from '../state/hooks.ts';
import { useWords } from '../words/words.tsx';
import styles from './conversation-list.module.css';

/** Somebody waits to be let in. */
export function FriendRequests() {
  const words = useWords().shell;
  const { asked } = useFriends();
  if (asked.length === 0) return null;
  return (
    <div className={styles.requests}>
      <ListRow
        href="/people"
        start={
          <span className={styles.requestsIcon} aria-hidden="true">
            <PersonAddIcon size={20} />
          </span>
        }
        title={words.requests(asked.length)}
        aside={<CountBadge count={asked.length} label="" />}
        testId="friend-requests"
      />
    </div>
  );
}
