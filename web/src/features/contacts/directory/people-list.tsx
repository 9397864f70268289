import { type KeyboardEvent, useCallback, useEffect, useRef } from 'react';
import { useKept, useOwnId } from '../../../data/hooks.ts';
import { useTexts } from '../../../i18n/texts.tsx';
import { isTypeAhead } from '../../../ui/list/row-keys.ts';
import { Scroller } from '../../../ui/list/scroller.tsx';
import { SearchField } from '../../../ui/list/search-field.tsx';
import { PageHeader } from '../../../ui/page/page-header.tsx';
import { FriendsList } from '../friends/friends-list.tsx';
import { RequestsList } from '../friends/requests-list.tsx';
import { directoryMemory } from '../model/directory-memory.ts';
import { useFriends } from '../model/hooks.ts';
import { printPeopleQuery, toQuery } from '../model/people-address.ts';
import { RowQueryContext } from '../person/person-row.tsx';
import { DirectoryList } from './directory-list.tsx';
import { FilterBar } from './filter-bar.tsx';
import styles from './people-list.module.css';
import { usePeopleQuery } from './use-people-query.ts';

/** The list of users with its search field and filters: all, online, friends, requests. */
export function PeopleList() {
  const texts = useTexts();
  const ownId = useOwnId();
  const memory = useKept(directoryMemory);
  const { show, q, typed, visit, type, choose } = usePeopleQuery();
  const printed = printPeopleQuery({ show, q });
  const { friends, asked } = useFriends();
  const pane = useRef<HTMLDivElement>(null);
  const field = useRef<HTMLInputElement>(null);

  useEffect(() => {
    memory.query = { show, q };
  }, [memory, show, q]);
  useEffect(() => {
    if (show === 'requests') for (const { id } of asked) memory.seenRequests.add(id);
  }, [memory, show, asked]);
  const startAt = useCallback(() => memory.scrolled.get(printed) ?? 0, [memory, printed]);
  const onLeave = useCallback((pixels: number) => memory.scrolled.set(printed, pixels), [memory, printed]);
  const search = (text: string) => {
    // The results of a search that is typed begin at the top.
    if (toQuery(text) !== q) memory.scrolled.delete(printPeopleQuery({ show, q: toQuery(text) }));
    type(text);
  };
  const searchAll = () => {
    choose('all');
    field.current?.focus();
  };

  /** The keys that the lists do not handle: from the field into a list, from one list to the next, letters into the field. */
  const onKeyDown = (event: KeyboardEvent) => {
    const { target, key } = event;
    if (event.defaultPrevented || !(target instanceof HTMLElement)) return;
    if (target === field.current) {
      if (key === 'Enter' && !event.nativeEvent.isComposing) tabStops(pane.current)[0]?.click();
      if (key === 'ArrowDown') focusStop(event, tabStops(pane.current)[0]);
      return;
    }
    if (target instanceof HTMLInputElement) return;
    if (isTypeAhead(event)) field.current?.focus();
    if (key !== 'ArrowDown' && key !== 'ArrowUp') return;
    const inOrder = [field.current, ...tabStops(pane.current)];
    // Outside of the rows the key counts as if it came from the field, above the first list.
    const at = Math.max(
      0,
      inOrder.findIndex((stop) => stop?.closest('li')?.contains(target)),
    );
    focusStop(event, inOrder[at + (key === 'ArrowDown' ? 1 : -1)]);
  };

  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the keys come from the field and the rows inside.
    <div className={styles.pane} ref={pane} onKeyDown={onKeyDown}>
      <PageHeader title={texts.shell.people} />
      <search className={styles.search}>
        <SearchField
          ref={field}
          value={typed}
          onChange={search}
          label={texts.people.search}
          hint={texts.people.searchHint}
          testId="people-search"
        />
        <FilterBar
          filter={show}
          onChange={choose}
          counts={{ friends: friends.length, requests: asked.length }}
        />
      </search>
      <RowQueryContext value={printed}>
        <Scroller key={`${show} ${visit}`} listKey={q} startAt={startAt} onLeave={onLeave}>
          {(show === 'all' || show === 'online') && (
            <DirectoryList
              q={q}
              isOnlineOnly={show === 'online'}
              ownId={ownId}
              onShowAll={() => choose('all')}
            />
          )}
          {show === 'friends' && <FriendsList q={q} onSearchAll={searchAll} />}
          {show === 'requests' && <RequestsList q={q} onSearchAll={searchAll} />}
        </Scroller>
      </RowQueryContext>
    </div>
  );
}

/** The row of each list that the Tab key reaches. */
function tabStops(pane: HTMLElement | null): HTMLElement[] {
  return pane ? [...pane.querySelectorAll<HTMLElement>('li > a[tabindex="0"]:first-child')] : [];
}

function focusStop(event: KeyboardEvent, stop: HTMLElement | null | undefined): void {
  if (!stop) return;
  event.preventDefault();
  stop.focus();
}
