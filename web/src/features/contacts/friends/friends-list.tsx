import { PeopleIcon } from '@primer/octicons-react';
import { useCallback, useMemo } from 'react';
import { useFreshness } from '../../../data/hooks.ts';
import { LOCALES } from '../../../i18n/languages.ts';
import { useLanguage, useTexts } from '../../../i18n/texts.tsx';
import { Button } from '../../../ui/controls/button.tsx';
import { EmptyState } from '../../../ui/list/empty-state.tsx';
import { SkeletonRows } from '../../../ui/list/skeleton-rows.tsx';
import { FoundStatus } from '../list/found-status.tsx';
import { ListFoot } from '../list/list-foot.tsx';
import { fold, isNamed, sortByName } from '../list/name-filter.ts';
import { NoMatch } from '../list/no-match.tsx';
import { useMorePages } from '../list/paging.ts';
import { PeopleRows } from '../list/people-rows.tsx';
import { usePeople } from '../list/use-people.ts';
import { useContacts, useFriends } from '../model/hooks.ts';
import { PersonRow, ROW_REM } from '../person/person-row.tsx';

/** The user's friends by name. */
export function FriendsList({ q, onSearchAll }: { q: string; onSearchAll: () => void }) {
  const texts = useTexts().people;
  const { language } = useLanguage();
  const { friends } = useFriends();
  const known = usePeople(useMemo(() => friends.map(({ id }) => id), [friends]));
  const shown = useMemo(
    () =>
      sortByName(
        known.filter((person) => isNamed(person, fold(q))),
        LOCALES[language],
      ),
    [known, q, language],
  );
  const idAt = useCallback((index: number) => shown[index]?.id ?? '', [shown]);
  const { view, loadMore, onSeen } = useMorePages(useContacts().friends.moreFriends, shown.length);
  return (
    <>
      <FoundStatus count={q === '' ? undefined : shown.length} hasMore={view.hasMore} />
      {shown.length === 0 && !view.hasMore && (
        <NoFriends hasFriends={friends.length > 0} onSearchAll={onSearchAll} />
      )}
      {shown.length > 0 && (
        <PeopleRows
          label={texts.friends}
          count={shown.length}
          isOpenEnded={view.hasMore}
          rowRem={ROW_REM}
          idAt={idAt}
          onSeen={onSeen}
        >
          {(index, tabs) => {
            const person = shown[index];
            return person && <PersonRow {...person} {...tabs} isAmongFriends />;
          }}
        </PeopleRows>
      )}
      <ListFoot view={view} onRetry={loadMore} />
    </>
  );
}

function NoFriends({ hasFriends, onSearchAll }: { hasFriends: boolean; onSearchAll: () => void }) {
  const texts = useTexts().people;
  const isUnknown = useFreshness() === 'none';
  if (isUnknown) return <SkeletonRows count={6} />;
  if (hasFriends) return <NoMatch onSearchAll={onSearchAll} />;
  return (
    <EmptyState
      icon={<PeopleIcon />}
      title={texts.noFriends}
      action={
        <Button variant="light" onClick={onSearchAll}>
          {texts.showAll}
        </Button>
      }
    >
      {texts.noFriendsSays}
    </EmptyState>
  );
}
