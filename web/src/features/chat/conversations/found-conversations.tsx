import { type KeyboardEvent, type ReactNode, useId, useMemo, useState } from 'react';
import { useReadable } from '../../../data/hooks.ts';
import { useTexts } from '../../../i18n/texts.tsx';
import { Waiting } from '../../../ui/list/waiting.tsx';
import type { RowTabs } from '../../contacts/list/people-rows.tsx';
import { useFound } from '../../contacts/list/use-found.ts';
import { usePerson, usePresences } from '../../contacts/model/hooks.ts';
import { useDirectory } from '../../contacts/model/use-directory.ts';
import { PersonRow } from '../../contacts/person/person-row.tsx';
import { useChats } from '../model/hooks.ts';
import type { ConversationView } from '../model/views.ts';
import { ConversationRows } from './conversation-rows.tsx';
import styles from './found-conversations.module.css';

/** More rows than anyone reads; a further letter finds the others. */
const MAX_OTHERS = 40;

interface FoundConversationsProps {
  conversations: readonly ConversationView[];
  /** See `toQuery`. */
  q: string;
  /** Shown if no one is found. */
  noMatch: ReactNode;
}

/** The conversations with users whom the search finds, the latest first, then the other users. */
export function FoundConversations({ conversations, q, noMatch }: FoundConversationsProps) {
  const { hasMore } = useReadable(useChats().more.view);
  const { view } = useDirectory({ q, isOnlineOnly: false });
  const chats = useMemo(() => conversations.map(({ peer }) => peer), [conversations]);
  const found = useFound(q, view, { chats });
  const { shown, others } = useMemo(() => {
    const peers = new Set(found.filter(({ kind }) => kind === 'chats').map(({ id }) => id));
    return {
      shown: conversations.filter(({ peer }) => peers.has(peer)),
      others: found.filter(({ kind }) => kind !== 'chats').slice(0, MAX_OTHERS),
    };
  }, [found, conversations]);
  if (found.length === 0 && view.isLoading) return <Waiting />;
  // Without rows the list loads its next pages, until one has a user of that name.
  if (found.length === 0 && !hasMore) return noMatch;
  return (
    <ConversationRows
      conversations={shown}
      end={others.length > 0 && <Others ids={others.map(({ id }) => id)} />}
    />
  );
}

/** Users without a conversation, or whose conversation is not loaded. Tab stops at one of them and their picture. */
function Others({ ids }: { ids: readonly string[] }) {
  const texts = useTexts().shell;
  const titleId = useId();
  const [used, setUsed] = useState('');
  const [hasFocus, setFocus] = useState(false);
  const stop = ids.includes(used) ? used : ids[0];
  usePresences(ids);
  return (
    <section aria-labelledby={titleId}>
      <h3 className={styles.title} id={titleId}>
        {texts.people}
      </h3>
      <ul
        className={styles.others}
        data-found=""
        onKeyDown={onKeyDown}
        onFocus={() => setFocus(true)}
        onBlur={({ currentTarget, relatedTarget }) => setFocus(currentTarget.contains(relatedTarget))}
      >
        {ids.map((id) => (
          <li key={id} onFocus={() => setUsed(id)}>
            <Other id={id} tabIndex={id === stop ? 0 : -1} innerTabIndex={id === stop && hasFocus ? 0 : -1} />
          </li>
        ))}
      </ul>
    </section>
  );
}

function Other({ id, ...tabs }: { id: string } & RowTabs) {
  return <PersonRow {...usePerson(id)} {...tabs} />;
}

/** The arrow keys move between the rows, and from the first one to the conversations above. */
function onKeyDown(event: KeyboardEvent<HTMLElement>): void {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (event.ctrlKey || event.altKey || event.metaKey || event.shiftKey) return;
  if (step === undefined || !(event.target instanceof HTMLElement)) return;
  const rows = [
    ...(event.currentTarget
      .closest('[data-testid="conversations"]')
      ?.querySelectorAll<HTMLElement>('li > a:first-child') ?? []),
  ];
  const row = event.target.closest('li')?.querySelector<HTMLElement>('a');
  const next = row && rows[rows.indexOf(row) + step];
  if (!next) return;
  event.preventDefault();
  next.focus();
}
