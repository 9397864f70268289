import { CommentDiscussionIcon, PencilIcon } from '@primer/octicons-react';
import { type ReactNode, useState } from 'react';
import { Link } from 'wouter';
import { useFreshness } from '../../../data/hooks.ts';
import { useTexts } from '../../../i18n/texts.tsx';
import { Button } from '../../../ui/controls/button.tsx';
import { useIsNarrow } from '../../../ui/controls/pointer.ts';
import { EmptyState } from '../../../ui/list/empty-state.tsx';
import { SearchField } from '../../../ui/list/search-field.tsx';
import { Skeleton } from '../../../ui/list/skeleton.tsx';
import { PageHeader } from '../../../ui/page/page-header.tsx';
import { peoplePath, toQuery } from '../../contacts/model/people-address.ts';
import { isolate } from '../../contacts/person/name-in-text.tsx';
import { useConversations } from '../model/hooks.ts';
import styles from './conversation-list.module.css';
import { ConversationRows, focusRow } from './conversation-rows.tsx';
import { FoundConversations } from './found-conversations.tsx';
import { FriendRequests } from './friend-requests.tsx';

/**
 * All conversations, the latest first, with a search by name.
 *
 * @param props.end after the last row
 */
export function ConversationList({ end }: { end: ReactNode }) {
  const { shell, chat } = useTexts();
  const conversations = useConversations();
  const freshness = useFreshness();
  const [typed, setTyped] = useState('');
  const isEmpty = conversations.length === 0;
  return (
    <>
      <PageHeader
        title={shell.chats}
        actions={
          <Link
            href="/people"
            className={styles.write}
            aria-label={shell.findPeople}
            title={shell.findPeople}
          >
            <PencilIcon />
          </Link>
        }
      />
      {!isEmpty && (
        <search className={styles.search}>
          <SearchField
            value={typed}
            onChange={setTyped}
            onKeyDown={(event) => {
              if (event.key === 'ArrowDown' && focusRow(0)) event.preventDefault();
            }}
            label={chat.search}
            hint={chat.search}
            testId="conversation-search"
          />
        </search>
      )}
      <FriendRequests />
      {isEmpty && freshness === 'none' && <Placeholders />}
      {isEmpty && freshness !== 'none' && <NoConversations />}
      {!isEmpty && typed.trim() === '' && <ConversationRows conversations={conversations} end={end} />}
      {!isEmpty && typed.trim() !== '' && (
        <FoundConversations
          conversations={conversations}
          typed={typed}
          noMatch={
            <Nothing title={chat.noneNamed(isolate(typed.trim()))} people={peoplePath({ q: toQuery(typed) })}>
              {chat.noneNamedSays}
            </Nothing>
          }
        />
      )}
    </>
  );
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
