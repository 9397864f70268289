import { lazy, Suspense, useCallback, useMemo, useState } from 'react';
import { useIsOffline } from '../../../data/hooks.ts';
import { useTexts } from '../../../i18n/texts.tsx';
import { FoundStatus } from '../list/found-status.tsx';
import { ListFoot } from '../list/list-foot.tsx';
import { NeedsConnection } from '../list/needs-connection.tsx';
import { useNextPage } from '../list/paging.ts';
import { PeopleRows } from '../list/people-rows.tsx';
import { useFound } from '../list/use-found.ts';
import { displayName } from '../model/display-name.ts';
import { useContacts } from '../model/hooks.ts';
import { useDirectory } from '../model/use-directory.ts';
import type { DirectoryQueryView, DirectoryView, PersonView } from '../model/views.ts';
import { PersonRow, ROW_REM } from '../person/person-row.tsx';
import styles from './directory-list.module.css';
import { EmptyDirectory } from './empty-directory.tsx';
import { SavedPeople } from './saved-people.tsx';
import { useCutOff } from './use-cut-off.ts';
import { useRefreshing } from './use-refreshing.ts';

/** Loaded for a user who is alone. */
const Invite = lazy(async () => ({ default: (await import('./invite.tsx')).Invite }));

/** Of the directory, or a user whose name alone is known. */
type Entry = DirectoryView['entries'][number] | PersonView;

interface DirectoryListProps {
  q: string;
  isOnlineOnly: boolean;
  ownId: string;
  onShowAll: () => void;
}

/**
 * All users, or those who are online. With `q`, everyone whom the search finds; of those who are online, the users whose name it
 * begins, as only the service knows who they are.
 */
export function DirectoryList({ q, isOnlineOnly, ownId, onShowAll }: DirectoryListProps) {
  const texts = useTexts().people;
  const { people } = useContacts();
  const { view, search } = useDirectory({ q, isOnlineOnly });
  const isSearch = q !== '' && !isOnlineOnly;
  const found = useFound(isSearch ? q : undefined, view, { hasPages: true });
  // The user is always online themselves, so that row would say nothing.
  const isOwnHidden = view.query.isOnlineOnly;
  const entries: readonly Entry[] = useMemo(() => {
    if (!isSearch) return isOwnHidden ? view.entries.filter(({ id }) => id !== ownId) : view.entries;
    const listed = new Map(view.entries.map((entry) => [entry.id, entry]));
    return found.map(({ id }) => listed.get(id) ?? people.person(id).getSnapshot());
  }, [isSearch, found, people, view.entries, isOwnHidden, ownId]);
  const count = entries.length;
  const idAt = useCallback((index: number) => entries[index]?.id ?? '', [entries]);
  const loadMore = useCallback(() => search.loadMore(), [search]);
  const onSeen = useNextPage(view, count, loadMore);

  const isStale = view.query.q !== q || view.query.isOnlineOnly !== isOnlineOnly;
  const isSettled = !isStale && !view.isLoading && view.failure === undefined;
  const isAlone = count === 1 && entries[0]?.id === ownId && q === '' && !isStale && !view.hasMore;
  // An empty list that is loaded again still shows that it is empty, until the answer says otherwise.
  const [answered, setAnswered] = useState<DirectoryQueryView>();
  if (isSettled && answered !== view.query) setAnswered(view.query);
  useRefreshing(search, { isOnlineOnly, isEmpty: isAlone || (count === 0 && isSettled) });
  const status = <FoundStatus count={q !== '' && isSettled ? count : undefined} hasMore={view.hasMore} />;
  const isMissing = useCutOff(view.failure, isSettled) && (count === 0 || isStale);
  const isOffline = useIsOffline();
  // Who was online before is not known any more.
  if (isOnlineOnly && (isMissing || isOffline)) return <NeedsConnection title={texts.onlineOffline} />;
  if (isMissing) return <SavedPeople q={q} ownId={ownId} />;
  // The previous result stays for a moment; when the answer takes longer, its place says why.
  const isHeldUp = view.failure !== undefined || view.waitsUntil !== undefined;
  if (count === 0 || (isStale && isHeldUp))
    return (
      <>
        {status}
        <EmptyDirectory
          view={view}
          isUnknown={isStale || answered !== view.query}
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
          {(index, tabs) => {
            const entry = entries[index];
            return (
              entry && (
                <PersonRow
                  id={entry.id}
                  username={entry.username}
                  name={'name' in entry ? entry.name : displayName(entry)}
                  avatar={entry.avatar}
                  {...('bio' in entry && { bio: entry.bio, isOnline: entry.isOnline })}
                  isOwn={entry.id === ownId}
                  {...tabs}
                />
              )
            );
          }}
        </PeopleRows>
      </div>
      {isAlone && (
        <Suspense fallback={null}>
          <Invite />
        </Suspense>
      )}
      <ListFoot view={view} onRetry={loadMore} />
    </>
  );
}
