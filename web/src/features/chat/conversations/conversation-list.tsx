import { CommentDiscussionIcon, PencilIcon } from '@primer/octicons-react';
import { type ReactNode, Suspense, useMemo } from 'react';
import { useFreshness, useKept, useReadable } from '../../../data/hooks.ts';
import { keptForUser } from '../../../data/kept.ts';
import { Store } from '../../../data/store.ts';
import { useTexts } from '../../../i18n/texts.tsx';
import { Button } from '../../../ui/controls/button.tsx';
import { useIsNarrow } from '../../../ui/controls/pointer.ts';
import { EmptyState } from '../../../ui/list/empty-state.tsx';
import { SearchField } from '../../../ui/list/search-field.tsx';
import { Skeleton } from '../../../ui/list/skeleton.tsx';
import { Waiting } from '../../../ui/list/waiting.tsx';
import { lazyView } from '../../../ui/page/lazy-view.tsx';
import { PageHeader } from '../../../ui/page/page-header.tsx';
import { peoplePath, toQuery } from '../../contacts/model/people-address.ts';
import { useConversations } from '../model/hooks.ts';
import type { ConversationView } from '../model/views.ts';
import { ArchivedRow } from './archived-row.tsx';
import styles from './conversation-list.module.css';
import { ConversationRows, focusRow, type OtherRow } from './conversation-rows.tsx';
import { RequestRows } from './request-rows.tsx';

/** Loaded with the first letter that is typed. */
const FoundConversations = lazyView(() => import('./found-conversations.tsx'), 'FoundConversations');

const keptSearch = keptForUser(() => new Store(''));

interface ConversationListProps {
  /** After the last row. */
  end: ReactNode;
  /** The user wants to write to someone. */
  onWrite: () => void;
}

/** All conversations, pinned ones and then the latest first, with a search that finds other users and messages as well. */
export function ConversationList({ end, onWrite }: ConversationListProps) {
  const { shell, chat } = useTexts();
  const conversations = useConversations();
  const freshness = useFreshness();
  // A profile that is opened from the results takes the place of the list.
  const search = useKept(keptSearch);
  const typed = useReadable(search);
  const q = toQuery(typed);
  const isEmpty = conversations.length === 0;
  return (
    <>
      <PageHeader
        title={shell.chats}
        actions={
          <button
            type="button"
            className={styles.write}
            aria-label={shell.newMessage}
            title={shell.newMessage}
            onClick={onWrite}
            data-testid="new-message"
          >
            <PencilIcon />
          </button>
        }
      />
      {!isEmpty && (
        // The search works without a connection if its file has come before.
        <search className={styles.search} onFocus={() => void FoundConversations.load().catch(() => {})}>
          <SearchField
            value={typed}
            onChange={(text) => search.set(text)}
            onKeyDown={(event) => {
              if (event.key === 'ArrowDown' && focusRow(0)) event.preventDefault();
            }}
            label={chat.search}
            hint={chat.search}
            testId="conversation-search"
          />
        </search>
      )}
      <RequestRows />
      {isEmpty && freshness === 'none' && <Placeholders />}
      {isEmpty && freshness !== 'none' && <NoConversations />}
      {!isEmpty && q === '' && <Unarchived conversations={conversations} end={end} />}
      {!isEmpty && q !== '' && (
        <Suspense fallback={<Waiting />}>
          <FoundConversations conversations={conversations} q={q} typed={typed} />
        </Suspense>
      )}
    </>
  );
}

/** Archived conversations are behind a row below the pinned ones. */
function Unarchived({ conversations, end }: { conversations: readonly ConversationView[]; end: ReactNode }) {
  const { shown, archived } = useMemo(() => {
    const shown = conversations.filter(({ isArchived }) => !isArchived);
    const hidden = conversations.filter(({ isArchived }) => isArchived);
    const unread = hidden.reduce((sum, one) => sum + (one.isMuted ? 0 : one.unread), 0);
    const archived: OtherRow | undefined =
      hidden.length === 0
        ? undefined
        : {
            id: 'archived',
            index: shown.filter(({ pinnedAt }) => pinnedAt > 0).length,
            show: ({ tabIndex }) => <ArchivedRow unread={unread} tabIndex={tabIndex} />,
          };
    return { shown, archived };
  }, [conversations]);
  return <ConversationRows conversations={shown} other={archived} end={end} />;
}

/** On wide screens the pane beside the list says what to do. */
function NoConversations() {
  const texts = useTexts().chat;
  if (useIsNarrow())
    return (
      <Nothing title={texts.noConversations} people={peoplePath({})}>
        {texts.noConversationsSays}
      </Nothing>
    );
  return (
    <p className={styles.none} role="status">
      {texts.noConversations}
    </p>
  );
}

interface NothingProps {
  title: string;
  /** The list of people to look into instead. */
  people: string;
  children: ReactNode;
}

function Nothing({ title, people, children }: NothingProps) {
  const texts = useTexts().shell;
  return (
    <div className={styles.nothing} role="status">
      <EmptyState
        icon={<CommentDiscussionIcon />}
        title={title}
        action={
          <Button href={people} variant="light" data-testid="list-find-people">
            {texts.findPeople}
          </Button>
        }
      >
        {children}
      </EmptyState>
    </div>
  );
}

/** Shown for a moment at the first start, while no conversation is known yet. */
function Placeholders() {
  const texts = useTexts().shell;
  return (
    <div className={styles.placeholders} role="status" aria-label={texts.loading}>
      {[150, 110, 170, 130].map((width) => (
        <div className={styles.placeholder} key={width}>
          <Skeleton circle height={44} />
          <div>
            <Skeleton height={12} width={width} />
            <Skeleton height={10} width={width + 40} />
          </div>
        </div>
      ))}
    </div>
  );
}
