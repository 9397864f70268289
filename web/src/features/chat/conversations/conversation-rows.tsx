import { defaultRangeExtractor, useVirtualizer } from '@tanstack/react-virtual';
import { type KeyboardEvent, type ReactNode, use, useEffect, useRef } from 'react';
import { useRoute } from 'wouter';
import { useTexts } from '../../../i18n/texts.tsx';
import { PaneContext } from '../../../ui/page/panes.ts';
import { ListFoot } from '../../contacts/list/list-foot.tsx';
import { useMorePages } from '../../contacts/list/paging.ts';
import { withRow } from '../../contacts/list/row-place.ts';
import { usePresences } from '../../contacts/model/hooks.ts';
import { useChats } from '../model/hooks.ts';
import type { ConversationView } from '../model/views.ts';
import styles from './conversation-list.module.css';
import { ConversationRow } from './conversation-row.tsx';

/** Height of a row in pixels, until it is measured. */
const ROW_PX = 60;
/** Rows above and below the screen, so that the Tab key and the arrows can reach them. */
const OVERSCAN = 6;

interface ConversationRowsProps {
  conversations: readonly ConversationView[];
  /** After the last row. */
  end?: ReactNode;
}

/** A list of conversations; only the rows on the screen are rendered, and only their users are watched. */
export function ConversationRows({ conversations, end }: ConversationRowsProps) {
  const texts = useTexts().chat;
  const [, params] = useRoute('/chat/:id');
  const active = params?.id;
  const activeIndex = conversations.findIndex(({ peer }) => peer === active);
  const scroller = useRef<HTMLDivElement>(null);
  const virtualizer = useVirtualizer({
    count: conversations.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_PX,
    getItemKey: (i) => conversations[i]?.peer ?? i,
    overscan: OVERSCAN,
    // Escape in a chat moves the focus to its row.
    rangeExtractor: (range) => withRow(defaultRangeExtractor(range), activeIndex),
  });
  const items = virtualizer.getVirtualItems();
  usePresences(items.map(({ index }) => conversations[index]?.peer ?? '').filter((peer) => peer !== ''));
  const last = virtualizer.range?.endIndex ?? 0;
  const { view, loadMore, onSeen } = useMorePages(useChats().more, conversations.length);
  useEffect(() => onSeen(0, last), [onSeen, last]);
  useReveal(active, activeIndex, (index) => {
    virtualizer.scrollToIndex(index, { align: 'auto' });
    // The virtualizer does not know what stays at the lower end; the browser's own scrolling does.
    requestAnimationFrame(() => linkOf(index)?.scrollIntoView({ block: 'nearest' }));
  });
  useReturn(active, (peer) => {
    const i = conversations.findIndex((one) => one.peer === peer);
    if (i < 0) return;
    virtualizer.scrollToIndex(i);
    requestAnimationFrame(() => focusRow(i));
  });

  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const row = event.target instanceof Element ? event.target.closest('li') : null;
    if (step && row && focusRow(Number(row.dataset.index) + step)) event.preventDefault();
  };
  return (
    <div className={styles.scroller} ref={scroller} data-testid="conversations">
      <ul
        className={styles.rows}
        aria-label={texts.conversations}
        style={{ height: virtualizer.getTotalSize() }}
        onKeyDown={onKeyDown}
      >
        {items.map(({ key, index, start }) => {
          const conversation = conversations[index];
          return (
            conversation && (
              <li
                key={key}
                ref={virtualizer.measureElement}
                data-index={index}
                aria-setsize={view.hasMore ? -1 : conversations.length}
                aria-posinset={index + 1}
                style={{ transform: `translateY(${start}px)` }}
              >
                <ConversationRow conversation={conversation} isActive={conversation.peer === active} />
              </li>
            )
          );
        })}
      </ul>
      <ListFoot view={view} onRetry={loadMore} />
      {end}
    </div>
  );
}

function linkOf(index: number): HTMLElement | null {
  return document.querySelector(`.${styles.rows} > li[data-index="${index}"] a`);
}

/** Puts the focus on the link of a row; after the last one, on the first of other users found. @returns whether it is there */
export function focusRow(index: number): boolean {
  if (index < 0) return false;
  const link = linkOf(index) ?? document.querySelector<HTMLElement>('[data-found] a');
  link?.focus();
  return link !== null;
}

/** Calls `reveal` with the row of a conversation once after it was opened, as it may be opened from elsewhere than its row. */
function useReveal(active: string | undefined, index: number, reveal: (index: number) => void): void {
  const revealed = useRef<string>(undefined);
  useEffect(() => {
    if (active === revealed.current || (active !== undefined && index < 0)) return;
    revealed.current = active;
    if (index >= 0) reveal(index);
  });
}

/** Calls `onReturn` with the user whose conversation was open when the list becomes the front pane again. */
function useReturn(active: string | undefined, onReturn: (peer: string) => void): void {
  const isFront = use(PaneContext) === 'front';
  const lastActive = useRef<string>(undefined);
  useEffect(() => {
    if (active !== undefined) {
      lastActive.current = active;
    } else if (isFront && lastActive.current !== undefined) {
      onReturn(lastActive.current);
      lastActive.current = undefined;
    }
  });
}
