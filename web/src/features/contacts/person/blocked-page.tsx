import { BlockedIcon } from '@primer/octicons-react';
import { useState } from 'react';
import { Link } from 'wouter';
import { useFreshness, useIsOffline, useReadable } from '../../../data/hooks.ts';
import { useTexts } from '../../../i18n/texts.tsx';
import { profilePath } from '../../../paths.ts';
import { Button } from '../../../ui/controls/button.tsx';
import { EmptyState } from '../../../ui/list/empty-state.tsx';
import { EndOfList } from '../../../ui/list/end-of-list.tsx';
import { LoadingRows } from '../../../ui/list/loading.tsx';
import { SettingsPage } from '../../../ui/list/section.tsx';
import styles from '../../../ui/list/settings.module.css';
import { useKeepFocus } from '../../../ui/list/use-keep-focus.ts';
import { PersonName } from '../../../ui/person/name.tsx';
import { PersonAvatar } from '../../../ui/person/person-avatar.tsx';
import { TimeSentence } from '../../../ui/person/time-text.tsx';
import { ListFoot } from '../list/list-foot.tsx';
import { useBlocked, useContacts, usePerson } from '../model/hooks.ts';
import type { BlockedView } from '../model/views.ts';
import { PersonDialog } from './person-dialog.tsx';

/** How many rows are shown at first, and added when the last one is on the screen. */
const ROWS = 100;

/** The users that the signed-in user blocks, with buttons to unblock them. */
export function BlockedPage() {
  const { settings: texts, shell } = useTexts();
  const blocked = useBlocked();
  const isKnown = useFreshness() !== 'none';
  const { more } = useContacts().blocks;
  const view = useReadable(more.view);
  const [count, setCount] = useState(ROWS);
  const loadMore = () => (count < blocked.length ? setCount(count + ROWS) : more.loadMore());
  useKeepFocus(blocked.length);
  return (
    <SettingsPage title={shell.titles.blocked}>
      {!isKnown && <LoadingRows />}
      {isKnown && blocked.length === 0 && (
        <EmptyState icon={<BlockedIcon />} title={texts.blockedEmpty}>
          {texts.blockedEmptySays}
        </EmptyState>
      )}
      {isKnown && blocked.length > 0 && (
        <>
          <p className={styles.says}>{texts.blockedEmptySays}</p>
          <ul className={styles.rows}>
            {blocked.slice(0, count).map((entry) => (
              <BlockedRow key={entry.id} blocked={entry} />
            ))}
          </ul>
          <EndOfList count={count + blocked.length} onSeen={loadMore} />
          {count >= blocked.length && <ListFoot view={view} onRetry={loadMore} />}
        </>
      )}
    </SettingsPage>
  );
}

function BlockedRow({ blocked: { id, at } }: { blocked: BlockedView }) {
  const { settings: texts, people } = useTexts();
  const person = usePerson(id);
  const isOffline = useIsOffline();
  const [isAsking, setAsking] = useState(false);
  return (
    <li className={styles.row} data-testid={`blocked-${id}`}>
      <PersonAvatar person={person} />
      <div className={styles.rowText}>
        <div className={styles.rowTitle}>
          <Link href={profilePath(id)} className={styles.person}>
            <PersonName person={person} />
          </Link>
        </div>
        <div className={styles.below}>
          <TimeSentence of={texts.blockedSince} at={at} />
        </div>
      </div>
      <Button
        size="xs"
        variant="default"
        disabled={isOffline}
        onClick={() => setAsking(true)}
        aria-label={texts.unblockName(person.name || person.username)}
        data-testid={`unblock-${id}`}
      >
        {people.unblock}
      </Button>
      <PersonDialog
        userId={id}
        question={isAsking ? 'unblock' : undefined}
        onClose={() => setAsking(false)}
      />
    </li>
  );
}
