import { InboxIcon } from '@primer/octicons-react';
import { type ReactNode, use, useCallback, useId, useMemo } from 'react';
import { useFreshness } from '../../../data/hooks.ts';
import { useTexts } from '../../../i18n/texts.tsx';
import { EmptyState } from '../../../ui/list/empty-state.tsx';
import { SkeletonRows } from '../../../ui/list/skeleton-rows.tsx';
import { PaneContext } from '../../../ui/page/panes.ts';
import { FoundStatus } from '../list/found-status.tsx';
import { ListFoot } from '../list/list-foot.tsx';
import { fold, isNamed } from '../list/name-filter.ts';
import { NoMatch } from '../list/no-match.tsx';
import { useMorePages } from '../list/paging.ts';
import { PeopleRows, type RowTabs } from '../list/people-rows.tsx';
import { usePeople } from '../list/use-people.ts';
import { useContacts, useFriends } from '../model/hooks.ts';
import type { FriendView } from '../model/views.ts';
import { ROW_REM } from '../person/person-row.tsx';
import { RECEIVED_REM, ReceivedRow, type Request, SentRow } from './request-rows.tsx';
import styles from './requests-list.module.css';

/** Height of a title, in rem. */
const TITLE_REM = 2.25;

/** The friend requests that the user received, then those that they sent. */
export function RequestsList({ q, onSearchAll }: { q: string; onSearchAll: () => void }) {
  const texts = useTexts().people;
  const { asked, requested } = useFriends();
  const received = useRequests(asked, q);
  const sent = useRequests(requested, q);
  const found = received.length + sent.length;
  const { view, loadMore, onSeen } = useMorePages(useContacts().friends.moreRequests, found);
  return (
    <>
      <FoundStatus count={q === '' ? undefined : found} hasMore={view.hasMore} />
      {found === 0 && !view.hasMore && (
        <NoRequests hasRequests={asked.length + requested.length > 0} onSearchAll={onSearchAll} />
      )}
      <Section
        title={texts.received(asked.length)}
        requests={received}
        rowRem={RECEIVED_REM}
        aboveRem={TITLE_REM}
        onSeen={sent.length === 0 ? onSeen : undefined}
      >
        {(request, tabs) => <ReceivedRow request={request} {...tabs} />}
      </Section>
      <Section
        title={texts.sent(requested.length)}
        requests={sent}
        rowRem={ROW_REM}
        aboveRem={received.length === 0 ? TITLE_REM : 2 * TITLE_REM + received.length * RECEIVED_REM}
        onSeen={onSeen}
      >
        {(request, tabs) => <SentRow request={request} {...tabs} />}
      </Section>
      <ListFoot view={view} onRetry={loadMore} />
    </>
  );
}

/** The requests of users whose name contains `q`. */
function useRequests(friends: readonly FriendView[], q: string): readonly Request[] {
  const people = usePeople(useMemo(() => friends.map(({ id }) => id), [friends]));
  return useMemo(
    () =>
      people
        .map((person, i) => ({ ...person, at: friends[i]?.at ?? 0 }))
        .filter((request) => isNamed(request, fold(q))),
    [people, friends, q],
  );
}

interface SectionProps {
  title: string;
  requests: readonly Request[];
  rowRem: number;
  aboveRem: number;
  /** Given to the last section only. */
  onSeen: ((first: number, last: number) => void) | undefined;
  children: (request: Request, tabs: RowTabs) => ReactNode;
}

function Section({ title, requests, rowRem, aboveRem, onSeen, children }: SectionProps) {
  const titleId = useId();
  const Title = use(PaneContext) === 'front' ? 'h2' : 'h3';
  const idAt = useCallback((index: number) => requests[index]?.id ?? '', [requests]);
  if (requests.length === 0) return null;
  return (
    <section aria-labelledby={titleId}>
      <Title className={styles.title} style={{ height: `${TITLE_REM}rem` }} id={titleId}>
        {title}
      </Title>
      <PeopleRows
        label={title}
        count={requests.length}
        rowRem={rowRem}
        aboveRem={aboveRem}
        idAt={idAt}
        onSeen={onSeen}
      >
        {(index, tabs) => {
          const request = requests[index];
          return request && children(request, tabs);
        }}
      </PeopleRows>
    </section>
  );
}

function NoRequests({ hasRequests, onSearchAll }: { hasRequests: boolean; onSearchAll: () => void }) {
  const texts = useTexts().people;
  const isUnknown = useFreshness() === 'none';
  if (isUnknown) return <SkeletonRows count={4} />;
  if (hasRequests) return <NoMatch onSearchAll={onSearchAll} />;
  return (
    <EmptyState icon={<InboxIcon />} title={texts.noRequests}>
      {texts.noRequestsSays}
    </EmptyState>
  );
}
