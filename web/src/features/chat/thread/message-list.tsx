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
import { layOutRows, type Row, splitIntoBlocks } from './message-rows.ts';
import { MessageScroller } from './message-scroller.tsx';
import { useCopiedText } from './use-copied-text.ts';

/**
 * Rows per `MessageBlock`. With 5,000 messages a frame of scrolling takes 17 ms in blocks of 16 to 64, but 73 ms if each
 * message is a block; small blocks need less time at once when they come on the screen.
 */
const BLOCK_ROWS = 16;

interface MessageListProps {
  view: ThreadView;
  thread: Thread;
  /** The name of the peer, for labels. */
  name: string;
  /** Above the first message. */
  top: ReactNode;
}

/** The messages of a conversation, with a button to the newest one and announcements for screen readers. */
export function MessageList({ view, thread, name, top }: MessageListProps) {
  const texts = useTexts().chat;
  const { messages, unreadAfter, hasOlder, isLoadingOlder, failure } = view;
  const [isAtEnd, setAtEnd] = useState(true);
  const isOffline = useConnection().state !== 'live';
  const scroller = useRef<MessageScroller>(null);
  const list = useRef<HTMLDivElement>(null);
  useCopiedText(list, messages, name);
  const rows = useMemo(() => layOutRows(messages, unreadAfter), [messages, unreadAfter]);
  const hasLine = rows.some(({ kind }) => kind === 'unread');
  const elements = useMemo(() => {
    const show = (row: Row) => {
      if (row.kind === 'day') return <DayLine key={row.key} at={row.at} />;
      if (row.kind === 'unread') return <UnreadLine key={row.key} />;
      const { key, message, gap, isGroupEnd } = row;
      const sender = message.isOwn ? texts.ownName : name;
      return <Message key={key} {...{ message, gap, isGroupEnd, sender, thread }} />;
    };
    return splitIntoBlocks(rows, BLOCK_ROWS).map((block) => (
      <MessageBlock key={block.key} count={block.rows.length}>
        {block.rows.map(show)}
      </MessageBlock>
    ));
  }, [rows, texts, name, thread]);

  return (
    <div className={styles.list} ref={list} data-offline={isOffline || undefined}>
      <MessageScroller
        ref={scroller}
        label={texts.messages(name)}
        unreadAfter={hasLine ? unreadAfter : undefined}
        lastOwnKey={messages.findLast(({ isOwn }) => isOwn)?.key}
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
                // The button disappears, and the focus with it.
                if (!focusComposer()) scroller.current?.focus();
              }}
            />
          )
        }
      >
        {top}
        {elements}
      </MessageScroller>
      <Announcer peer={view.peer} messages={messages} name={name} />
    </div>
  );
}

/** Scrolls to the newest message; says how many unread ones are there. */
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
