import { ChevronRightIcon, InboxIcon, PersonAddIcon } from '@primer/octicons-react';
import type { ReactNode } from 'react';
import { useTexts } from '../../../i18n/texts.tsx';
import { REQUESTS_PATH } from '../../../paths.ts';
import { ListRow } from '../../../ui/list/list-row.tsx';
import { useFriends } from '../../contacts/model/hooks.ts';
import { peoplePath } from '../../contacts/model/people-address.ts';
import { useMessageRequests } from '../model/hooks.ts';
import styles from './conversation-list.module.css';

/** Rows above the conversations while there are requests to answer, of messages and of friends; they lead to them. */
export function RequestRows() {
  const texts = useTexts().shell;
  const { count } = useMessageRequests();
  const { asked } = useFriends();
  if (count === 0 && asked.length === 0) return null;
  return (
    <div className={styles.requests}>
      {count > 0 && (
        <RequestRow href={REQUESTS_PATH} icon={<InboxIcon />} testId="message-requests">
          {texts.messageRequests(count)}
        </RequestRow>
      )}
      {asked.length > 0 && (
        <RequestRow href={peoplePath({ show: 'requests' })} icon={<PersonAddIcon />} testId="friend-requests">
          {texts.requests(asked.length)}
        </RequestRow>
      )}
    </div>
  );
}

interface RequestRowProps {
  href: string;
  icon: ReactNode;
  children: string;
  testId: string;
}

function RequestRow({ href, icon, children, testId }: RequestRowProps) {
  return (
    <ListRow
      href={href}
      start={
        <span className={styles.requestsIcon} aria-hidden="true">
          {icon}
        </span>
      }
      title={children}
      aside={<ChevronRightIcon />}
      testId={testId}
    />
  );
}
