import { type ReactNode, use, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { tabStop } from '../../../ui/list/row-keys.ts';
import { ScrollerContext } from '../../../ui/list/scroller.tsx';
import { usePresences } from '../model/hooks.ts';
import styles from './people-rows.module.css';
import { withRow } from './row-place.ts';
import { useRowFocus } from './use-row-focus.ts';
import { useVisibleRows } from './use-visible-rows.ts';

/** Which parts of a row the Tab key reaches. */
export interface RowTabs {
  /** For the link of the row. */
  readonly tabIndex: 0 | -1;
  /** For what is beside it, which comes after it: only in the row that has the focus, so that Shift+Tab enters at the row. */
  readonly innerTabIndex: 0 | -1;
}

interface PeopleRowsProps {
  /** For screen readers. */
  label: string;
  count: number;
  /** There are more than `count`; how many is not known. */
  isOpenEnded?: boolean;
  /** Height of a row, in rem. */
  rowRem: number;
  /** Height of what is above the list in its scroller, in rem: measuring it would cost a layout at each scroll. */
  aboveRem?: number;
  /** The user of a row; the same function as long as the users are the same. */
  idAt: (index: number) => string;
  children: (index: number, tabs: RowTabs) => ReactNode;
  /** Called with the rows on the screen; the same function at every render. */
  onSeen?: ((first: number, last: number) => void) | undefined;
}

/** The presence of the users on the screen is requested when the list has not moved for this time. */
const REST_MS = 200;
/** Rows above and below the screen that are in the document. */
const OVERSCAN = 10;

/**
 * A list of users in a `Scroller`; only the rows on the screen are in the document. The arrow keys move between rows; Tab
 * stops at one row and its buttons, then leaves the list.
 */
export function PeopleRows({
  label,
  count,
  isOpenEnded = false,
  rowRem,
  aboveRem = 0,
  idAt,
  children,
  onSeen,
}: PeopleRowsProps) {
  const { element, startAt } = use(ScrollerContext);
  const list = useRef<HTMLUListElement>(null);
  const rem = useRem();
  const rowPixels = rowRem * rem;
  const above = aboveRem * rem;
  const { first, last, scrollTo } = useVisibleRows({ scroller: element, startAt, above, rowPixels, count });
  const { used, hasFocus, handlers } = useRowFocus({
    list,
    count,
    idAt,
    page: () => last - first - 1,
    scrollTo,
  });
  // The row that has the focus stays in the document, or the focus would be lost.
  const rows = withRow(rowsAround(first, last, count), hasFocus ? used : undefined);
  const stop = tabStop(used, hasFocus, { first, last });

  useEffect(() => onSeen?.(first, last), [onSeen, first, last]);
  usePresences(useRested(first, last, idAt));

  const hadFocus = useRef(false);
  useLayoutEffect(() => {
    hadFocus.current = hasFocus;
  }, [hasFocus]);
  useLayoutEffect(
    () => () => {
      // The list is removed with its last row.
      if (hadFocus.current) queueMicrotask(() => element?.focus({ preventScroll: true }));
    },
    [element],
  );

  return (
    <ul
      ref={list}
      className={styles.rows}
      // biome-ignore lint/a11y/noRedundantRoles: Safari ignores lists without bullets.
      role="list"
      aria-label={label}
      style={{ height: count * rowPixels }}
      {...handlers}
    >
      {rows.map((index) => (
        <li
          key={idAt(index)}
          className={styles.row}
          style={{ height: rowPixels, transform: `translateY(${index * rowPixels}px)` }}
          data-index={index}
          aria-posinset={index + 1}
          aria-setsize={isOpenEnded ? -1 : count}
        >
          {children(index, {
            tabIndex: index === stop ? 0 : -1,
            innerTabIndex: index === stop && hasFocus ? 0 : -1,
          })}
        </li>
      ))}
    </ul>
  );
}

/** Pixels per rem, which users can set in their browser. */
function useRem(): number {
  const [pixels] = useState(() => Number.parseFloat(getComputedStyle(document.documentElement).fontSize));
  return pixels;
}

/** The users who have been on the screen for `REST_MS`. */
function useRested(first: number, last: number, idAt: (index: number) => string): readonly string[] {
  const [ids, setIds] = useState<readonly string[]>([]);
  const gather = useCallback(
    () => Array.from({ length: Math.max(last - first + 1, 0) }, (_, i) => idAt(first + i)),
    [first, last, idAt],
  );
  useEffect(() => {
    const rest = setTimeout(() => setIds(gather()), REST_MS);
    return () => clearTimeout(rest);
  }, [gather]);
  return ids;
}

function rowsAround(first: number, last: number, count: number): number[] {
  const start = Math.max(0, first - OVERSCAN);
  const end = Math.min(last + OVERSCAN, count - 1);
  return Array.from({ length: Math.max(end - start + 1, 0) }, (_, i) => start + i);
}
