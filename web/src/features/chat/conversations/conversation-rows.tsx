import { defaultRangeExtractor, useVirtualizer } from '@tanstack/react-virtual';
import {
  type KeyboardEvent,
  type MouseEvent,
  type ReactNode,
  Suspense,
  use,
  useCallback,
  useEffect,
  useMemo,
  useRef,
  useState,
} from 'react';
import { useRoute } from 'wouter';
import type { MorePages } from '../../../data/pages.ts';
import { useTexts } from '../../../i18n/texts.tsx';
import { WhileLoading } from '../../../ui/controls/while-loading.tsx';
import { tabStop } from '../../../ui/list/row-keys.ts';
import { lazyView } from '../../../ui/page/lazy-view.tsx';
import { PaneContext } from '../../../ui/page/panes.ts';
import { ListFoot } from '../../contacts/list/list-foot.tsx';
import { useMorePages } from '../../contacts/list/paging.ts';
import type { RowTabs } from '../../contacts/list/people-rows.tsx';
import { withRow } from '../../contacts/list/row-place.ts';
import { useRowFocus } from '../../contacts/list/use-row-focus.ts';
import { usePresences } from '../../contacts/model/hooks.ts';
import type { MenuPlace } from '../conversation-menu/conversation-menu.tsx';
import { useChats } from '../model/hooks.ts';
import type { ConversationView } from '../model/views.ts';
import styles from './conversation-list.module.css';
import { ConversationRow } from './conversation-row.tsx';
import { useMovingRows } from './use-moving-rows.ts';

const ConversationMenu = lazyView(
  () => import('../conversation-menu/conversation-menu.tsx'),
  'ConversationMenu',
);

/** Height of a row in pixels, until it is measured. */
const ROW_PX = 60;
/** Rows above and below the screen that are in the document. */
const OVERSCAN = 6;

/** A row among the conversations that is none. */
export interface OtherRow {
  readonly id: string;
  /** Its number in the list. */
  readonly index: number;
  readonly show: (tabs: RowTabs) => ReactNode;
}

interface ConversationRowsProps {
  conversations: readonly ConversationView[];
  other?: OtherRow | undefined;
  /** The further pages of the list. Default: of the conversations. */
  more?: MorePages;
  /** For screen readers. Default: `Conversations`. */
  label?: string;
  /** After the last row. */
  end?: ReactNode;
}

/**
 * A list of conversations, each with a menu; only the rows on the screen are rendered, and only their users are watched. It is one stop of the
 * Tab key, with arrows inside.
 */
export function ConversationRows({ conversations, other, more, label, end }: ConversationRowsProps) {
  const texts = useTexts().chat;
  const [, params] = useRoute('/chat/:id');
  const active = params?.id;
  const rows = useMemo(
    () =>
      other
        ? [...conversations.slice(0, other.index), other, ...conversations.slice(other.index)]
        : conversations,
    [conversations, other],
  );
  const activeIndex = rows.findIndex((row) => idOf(row) === active);
  const scroller = useRef<HTMLDivElement>(null);
  const list = useRef<HTMLUListElement>(null);
  const { used, hasFocus, handlers } = useRowFocus({
    list,
    count: rows.length,
    idAt: useCallback((i: number) => idOf(rows[i]), [rows]),
    page: () => last - first,
    scrollTo: (index) => reveal(index),
  });
  const virtualizer = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_PX,
    getItemKey: (i) => idOf(rows[i]),
    overscan: OVERSCAN,
    // Escape in a chat moves the focus to its row; the row that has it would lose it.
    rangeExtractor: (range) =>
      withRow(withRow(defaultRangeExtractor(range), activeIndex), hasFocus ? used : undefined),
  });
  const reveal = (index: number) => {
    virtualizer.scrollToIndex(index, { align: 'auto' });
    // The virtualizer does not know what stays at the lower end; the browser's own scrolling does.
    requestAnimationFrame(() => linkOf(index)?.scrollIntoView({ block: 'nearest' }));
  };
  const items = virtualizer.getVirtualItems();
  useMovingRows(items, (index) => linkOf(index)?.closest('li'));
  usePresences(
    items.flatMap(({ index }) => {
      const row = rows[index];
      return row && 'peer' in row ? row.peer : [];
    }),
  );
  const { startIndex: first, endIndex: last } = virtualizer.range ?? { startIndex: 0, endIndex: 0 };
  const stop = tabStop(used ?? (activeIndex < 0 ? undefined : activeIndex), hasFocus, { first, last });
  const chats = useChats();
  const { view, loadMore, onSeen } = useMorePages(more ?? chats.more, rows.length);
  useEffect(() => onSeen(0, last), [onSeen, last]);
  useReveal(active, activeIndex, reveal);
  useReturn(active, (peer) => {
    const i = rows.findIndex((row) => idOf(row) === peer);
    if (i < 0) return;
    virtualizer.scrollToIndex(i);
    requestAnimationFrame(() => focusRow(i));
  });

  const onKeyDown = (event: KeyboardEvent) => {
    handlers.onKeyDown(event);
    if (event.ctrlKey || event.altKey || event.metaKey || event.shiftKey) return;
    if (event.key === 'ArrowDown' && used === rows.length - 1 && focusRow(used + 1)) event.preventDefault();
  };
  const [menu, setMenu] = useState<MenuPlace>();
  const closeMenu = () => setMenu(undefined);
  const onContextMenu = (event: MouseEvent) => {
    const { target, clientX: x, clientY: y } = event;
    const item = target instanceof Element ? target.closest<HTMLElement>('[data-index]') : null;
    const row = item && rows[Number(item.dataset.index)];
    const link = item?.querySelector('a');
    // A message request is answered instead; one without a stored message has nothing to keep.
    if (!row || !link || !('peer' in row) || !row.last || chats.requests.has(row.peer)) return;
    event.preventDefault();
    setMenu({ peer: row.peer, row: link, x, y });
  };
  return (
    // Firefox makes what scrolls a stop of the Tab key.
    <div className={styles.scroller} ref={scroller} tabIndex={-1} data-testid="conversations">
      <ul
        ref={list}
        className={styles.rows}
        aria-label={label ?? texts.conversations}
        style={{ height: virtualizer.getTotalSize() }}
        {...handlers}
        onKeyDown={onKeyDown}
        onContextMenu={onContextMenu}
      >
        {items.map(({ key, index, start }) => {
          const row = rows[index];
          const tabs: RowTabs = {
            tabIndex: index === stop ? 0 : -1,
            innerTabIndex: index === stop && hasFocus ? 0 : -1,
          };
          return (
            row && (
              <li
                key={key}
                ref={virtualizer.measureElement}
                data-index={index}
                aria-setsize={view.hasMore ? -1 : rows.length}
                aria-posinset={index + 1}
                style={{ transform: `translateY(${start}px)` }}
              >
                {'peer' in row ? (
                  <ConversationRow conversation={row} isActive={row.peer === active} {...tabs} />
                ) : (
                  row.show(tabs)
                )}
              </li>
            )
          );
        })}
      </ul>
      <ListFoot view={view} onRetry={loadMore} />
      {end}
      {menu && (
        <Suspense fallback={<WhileLoading onEscape={closeMenu} />}>
          <ConversationMenu key={menu.peer} {...menu} onClose={closeMenu} />
        </Suspense>
      )}
    </div>
  );
}

function idOf(row: ConversationView | OtherRow | undefined): string {
  return row ? ('peer' in row ? row.peer : row.id) : '';
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
