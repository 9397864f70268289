import { ArchiveIcon } from '@primer/octicons-react';
import { useTexts } from '../../../i18n/texts.tsx';
import { ARCHIVED_PATH } from '../../../paths.ts';
import { CountBadge, ListRow } from '../../../ui/list/list-row.tsx';
import type { RowTabs } from '../../contacts/list/people-rows.tsx';
import styles from './conversation-list.module.css';
import { useListTexts } from './texts.ts';

interface ArchivedRowProps extends Pick<RowTabs, 'tabIndex'> {
  /** How many unread messages those have that are not muted. */
  unread: number;
}

/** Leads to the archived conversations. */
export function ArchivedRow({ unread, tabIndex }: ArchivedRowProps) {
  const texts = useListTexts();
  const { shell } = useTexts();
  return (
    <ListRow
      href={ARCHIVED_PATH}
      tabIndex={tabIndex}
      start={
        <span className={styles.archiveIcon} aria-hidden="true">
          <ArchiveIcon />
        </span>
      }
      title={texts.archived}
      end={<CountBadge count={unread} label={shell.unread(unread)} />}
      testId="archived"
    />
  );
}
