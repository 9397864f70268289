import { SearchIcon } from '@primer/octicons-react';
import { useCallback, useMemo } from 'react';
import { useReadable } from '../../../data/hooks.ts';
import { useTexts } from '../../../i18n/texts.tsx';
import { Button } from '../../../ui/controls/button.tsx';
import { EmptyState } from '../../../ui/list/empty-state.tsx';
import { Waiting } from '../../../ui/list/waiting.tsx';
import { useNextPage } from '../../contacts/list/paging.ts';
import type { RowTabs } from '../../contacts/list/people-rows.tsx';
import { useFound } from '../../contacts/list/use-found.ts';
import { usePerson, usePresences } from '../../contacts/model/hooks.ts';
import { peoplePath } from '../../contacts/model/people-address.ts';
import { useDirectory } from '../../contacts/model/use-directory.ts';
import { PersonRow } from '../../contacts/person/person-row.tsx';
import { useChats } from '../model/hooks.ts';
import type { ConversationView } from '../model/views.ts';
import { FoundSection } from '../search/found-section.tsx';
import { toMessageQuery } from '../search/found-text.ts';
import { MessageHits } from '../search/message-hits.tsx';
import { useSearchTexts } from '../search/texts.ts';
import { useMessageSearch } from '../search/use-message-search.ts';
import styles from './conversation-list.module.css';
import { ConversationRows } from './conversation-rows.tsx';

/** More rows than anyone reads; a further letter finds the others. */
const MAX_OTHERS = 40;
/** Shown at first, as the messages come below. */
const FIRST_OTHERS = 5;

interface FoundConversationsProps {
  conversations: readonly ConversationView[];
  /** See `toQuery`. */
  q: string;
  /** The text of the field. */
  typed: string;
}

/**
 * What the search finds: the conversations with users of that name, the latest first, then other users, friends first, then messages.
 * The first two come from memory at once, and more users from the directory.
 */
export function FoundConversations({ conversations, q, typed }: FoundConversationsProps) {
  const texts = useTexts().shell;
  const { hasMore } = useReadable(useChats().more.view);
  const { view, search: directory } = useDirectory({ q, isOnlineOnly: false });
  const { view: messages, search } = useMessageSearch(toMessageQuery(typed));
  const chats = useMemo(() => conversations.map(({ peer }) => peer), [conversations]);
  const found = useFound(q, view, { chats });
  const { shown, others } = useMemo(() => {
    const peers = new Set(found.filter(({ kind }) => kind === 'chats').map(({ id }) => id));
    return {
      shown: conversations.filter(({ peer }) => peers.has(peer)),
      others: found
        .filter(({ kind }) => kind !== 'chats')
        .slice(0, MAX_OTHERS)
        .map(({ id }) => id),
    };
  }, [found, conversations]);
  usePresences(others);
  // A page of the directory may be empty, and not the last one.
  useNextPage(
    view,
    found.length,
    useCallback(() => directory.loadMore(), [directory]),
  );

  const isNothing = found.length === 0 && messages.hits.length === 0;
  const isSearching = view.isLoading || messages.isLoading;
  // While it reads on, the button that was pressed for it stays.
  if (isNothing && isSearching && !messages.hasMore && messages.waitsUntil === undefined) return <Waiting />;
  // Without rows the list loads its next pages, until one has a user of that name.
  if (isNothing && !hasMore && !view.hasMore && !messages.hasMore && messages.failure === undefined)
    return <NothingFound isOnDevice={messages.isOnDevice} />;
  return (
    <ConversationRows
      conversations={shown}
      end={
        <>
          {others.length > 0 && (
            <FoundSection title={texts.people} ids={others} first={FIRST_OTHERS}>
              {(id, tabs) => <Other id={id} {...tabs} />}
            </FoundSection>
          )}
          <MessageHits view={messages} search={search} />
        </>
      }
    />
  );
}

/** A user without a conversation, or whose conversation is not loaded. */
function Other({ id, ...tabs }: { id: string } & RowTabs) {
  return <PersonRow {...usePerson(id)} {...tabs} />;
}

function NothingFound({ isOnDevice }: { isOnDevice: boolean }) {
  const texts = useSearchTexts();
  const { shell } = useTexts();
  return (
    <div className={styles.nothing} role="status">
      <EmptyState
        icon={<SearchIcon />}
        title={texts.nothing}
        action={
          <Button href={peoplePath({})} variant="light" data-testid="list-find-people">
            {shell.findPeople}
          </Button>
        }
      >
        {isOnDevice ? texts.onDevice : texts.nothingSays}
      </EmptyState>
    </div>
  );
}
