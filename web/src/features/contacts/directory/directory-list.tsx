import { PersonAddIcon } from '@primer/octicons-react';
import { useCallback, useMemo, useState } from 'react';
import { useTexts } from '../../../i18n/texts.tsx';
import { EmptyState } from '../../../ui/list/empty-state.tsx';
import { shownName } from '../model/display-name.ts';
import { useDirectory } from '../model/hooks.ts';
import type { DirectoryQueryView } from '../model/views.ts';
import { PersonRow, ROW_REM } from '../person/person-row.tsx';
import styles from './directory-list.module.css';
import { DirectoryFoot, NoRows } from './directory-states.tsx';
import { FoundStatus } from '../list/found-status.tsx';
import { isNearEnd, usePaging } from '../list/paging.ts';
import { PeopleRows } from '../list/people-rows.tsx';
import { useRefreshing } from './use-refreshing.ts';

interface DirectoryListProps {
  q: string;
  isOnlineOnly: boolean;
  ownId: string;
  onShowAll: () => void;
}

/** Everybody, or who is online, or whom a search found of them. */
export function DirectoryList({ q, isOnlineOnly, ownId, onShowAll }: DirectoryListProps) {
  const texts = useTexts().people;
  const { view, search } = useDirectory({ q, isOnlineOnly });
  // Online oneself is always, and it says nothing.
  const isOwnHidden = view.query.isOnlineOnly;
  const entries = useMemo(
    () => (isOwnHidden ? view.entries.filter(({ id }) => id !== ownId) : view.entries),
    [view.entries, isOwnHidden, ownId],
  );
  const count = entries.length;
  const idAt = useCallback((index: number) => entries[index]?.id ?? '', [entries]);

  const [isNear, setNear] = useState(false);
  const onSeen = useCallback((_first: number, last: number) => setNear(isNearEnd(last, count)), [count]);
  const loadMore = useCallback(() => search.loadMore(), [search]);
  // With a page of nobody but oneself there are no rows to come near to.
  const isMoreWanted =
    view.hasMore && !view.isLoading && view.failure === undefined && (isNear || count === 0);
  usePaging(isMoreWanted, view.entries.length, loadMore);

  const isStale = view.query.q !== q || view.query.isOnlineOnly !== isOnlineOnly;
  const isSettled = !isStale && !view.isLoading && view.failure === undefined;
  const isAlone = count === 1 && entries[0]?.id === ownId && q === '' && !isStale && !view.hasMore;
  // Asked for anew, a list that was known to be empty is that until it is known better.
  const [known, setKnown] = useState<DirectoryQueryView>();
  if (isSettled && known !== view.query) setKnown(view.query);
  // Whoever waits for others sees them come; so does a list of who is online, as long as it is a short one.
  useRefreshing(search, isAlone || (isOnlineOnly && !view.hasMore));
  const status = <FoundStatus count={q !== '' && isSettled ? count : undefined} hasMore={view.hasMore} />;
  // What was found before is good for a moment; when the answer takes longer, it is said why.
  const isHeldUp = view.failure !== undefined || view.waitsUntil !== undefined;
  if (count === 0 || (isStale && isHeldUp))
    return (
      <>
        {status}
        <NoRows
          view={view}
          isUnknown={isStale || known !== view.query}
          isOnlineOnly={isOnlineOnly}
          onRetry={() => search.refresh()}
          onShowAll={onShowAll}
        />
      </>
    );
  return (
    <>
      {status}
      <div className={styles.found} aria-busy={isStale}>
        <PeopleRows
          label={texts.list}
          count={count}
          isOpenEnded={view.hasMore}
          rowRem={ROW_REM}
          idAt={idAt}
          onSeen={onSeen}
        >
          {(index, tabIndex) => {
            const entry = entries[index];
            return (
              entry && (
                <PersonRow
                  id={entry.id}
                  username={entry.username}
                  name={shownName(entry)}
                  avatar={entry.avatar}
                  bio={entry.bio}
                  isOnline={entry.isOnline}
                  isOwn={entry.id === ownId}
                  tabIndex={tabIndex}
                />
              )
            );
          }}
        </PeopleRows>
      </div>
      {isAlone && (
        <EmptyState icon={<PersonAddIcon size={24} />} title={texts.nobodyElse}>
          {texts.nobodyElseSays}
        </EmptyState>
      )}
      <DirectoryFoot view={view} onRetry={loadMore} />
    </>
  );
}
