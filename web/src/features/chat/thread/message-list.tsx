import { ArrowDownIcon } from '@primer/octicons-react';
import { type ReactNode, useMemo, useRef, useState } from 'react';
import { useConnection } from '../../../data/hooks.ts';
import { useTexts } from '../../../i18n/texts.tsx';
import { focusComposer } from '../../../ui/controls/pointer.ts';
import { useConversations } from '../model/hooks.ts';
import type { Thread } from '../model/stores.ts';
import type { ThreadView } from '../model/views.ts';
import { Announcer } from './announcer.tsx';
import { DayLine, UnreadLine } from './lines.tsx';
import { Message } from './message.tsx';
import { MessageBlock } from './message-block.tsx';
import styles from './message-list.module.css';
import { layOutRows, partIntoBlocks, type Row } from './message-rows.ts';
import { MessageScroller } from './message-scroller.tsx';

/**
 * Messages that are left out of the layout together. With 5,000 of them a frame of scrolling takes 17 ms in blocks of 16 to
 * 64, but 73 ms if each is a block of its own; the smaller ones take less at once when they come in sight.
 */
const BLOCK = 16;

interface MessageListProps {
  view: ThreadView;
  thread: Thread;
  /** How the peer is called in labels. */
  called: string;
  /** What stands above the first message. */
  top: ReactNode;
}

/** What the two wrote, with what happens below kept in sight. */
export function MessageList({ view, thread, called, top }: MessageListProps) {
  const texts = useTexts().chat;
  const { messages, unreadAfter, hasOlder, isLoadingOlder, failure } = view;
  const [isAtEnd, setAtEnd] = useState(true);
  const isCutOff = useConnection().state !== 'live';
  const scroller = useRef<MessageScroller>(null);
  const rows = useMemo(() => layOutRows(messages, unreadAfter), [messages, unreadAfter]);
  const hasLine = rows.some(({ kind }) => kind === 'unread');
  const elements = useMemo(() => {
    const show = (row: Row) => {
      if (row.kind === 'day') return <DayLine key={row.key} at={row.at} />;
      if (row.kind === 'unread') return <UnreadLine key={row.key} />;
      const { key, message, gap, isGroupEnd } = row;
      const who = message.isOwn ? texts.ownName : called;
      return <Message key={key} {...{ message, gap, isGroupEnd, who, thread }} />;
    };
    return partIntoBlocks(rows, BLOCK).map((block) => (
      <MessageBlock key={block.key} count={block.rows.length}>
        {block.rows.map(show)}
      </MessageBlock>
    ));
  }, [rows, texts, called, thread]);

  return (
    <div className={styles.list} data-cut-off={isCutOff || undefined}>
      <MessageScroller
        ref={scroller}
        label={texts.messages(called)}
        unreadAfter={hasLine ? unreadAfter : undefined}
        ownLast={messages.findLast(({ isOwn }) => isOwn)?.key}
        onAtEnd={(isThere) => {
          setAtEnd(isThere);
          thread.setAtEnd(isThere);
        }}
        onNearTop={() => {
          if (hasOlder && !isLoadingOlder && failure === undefined) thread.loadOlder();
        }}
        overlay={
          !isAtEnd && (
            <ToNewest
              peer={view.peer}
              onClick={() => {
                scroller.current?.toEnd();
                // The button goes, and the focus would go with it.
                if (!focusComposer()) scroller.current?.focus();
              }}
            />
          )
        }
      >
        {top}
        {elements}
      </MessageScroller>
      <Announcer peer={view.peer} messages={messages} called={called} />
    </div>
  );
}

/** Away from the end: back to it, and how much has come there. */
function ToNewest({ peer, onClick }: { peer: string; onClick: () => void }) {
  const texts = useTexts().chat;
  const unread = useConversations().find((one) => one.peer === peer)?.unread ?? 0;
  return (
    <button
      type="button"
      className={styles.newest}
      onClick={onClick}
      aria-label={unread > 0 ? `${texts.newBelow(unread)}. ${texts.toNewest}` : texts.toNewest}
      title={texts.toNewest}
      data-testid="to-newest"
    >
      {unread > 0 && <span>{texts.newBelow(unread)}</span>}
      <ArrowDownIcon size={16} />
    </button>
  );
}
