import {
  type KeyboardEvent,
  type ReactNode,
  use,
  useCallback,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
} from 'react';
import { rowByKey, tabStop } from '../../../ui/list/row-keys.ts';
import { ScrollerContext } from '../../../ui/list/scroller.tsx';
import { usePresences } from '../model/hooks.ts';
import styles from './people-rows.module.css';
import { useRowPlace, withRow } from './row-place.ts';
import { useVisibleRows } from './use-visible-rows.ts';

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
  /** @param tabIndex of the links and buttons in the row */
  children: (index: number, tabIndex: 0 | -1) => ReactNode;
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
  const { used, setUsed } = useRowPlace(count, idAt);
  const [hasFocus, setFocus] = useState(false);
  const wantsFocus = useRef(false);

  const { first, last, scrollTo } = useVisibleRows({ scroller: element, startAt, above, rowPixels, count });
  // The row that has the focus stays in the document, or the focus would be lost.
  const rows = withRow(rowsAround(first, last, count), hasFocus ? used : undefined);
  const stop = tabStop(used, hasFocus, { first, last });

  useEffect(() => onSeen?.(first, last), [onSeen, first, last]);
  usePresences(useRested(first, last, idAt));

  useLayoutEffect(() => {
    // A key moved the focus; or its row has left the list, and the row in that place takes it.
    const isLost = hasFocus && document.activeElement === document.body;
    if (!wantsFocus.current && !isLost) return;
    const row = list.current?.querySelector<HTMLElement>(`[data-index="${stop}"] > a`);
    if (!row) return;
    wantsFocus.current = false;
    row.focus({ preventScroll: true });
  });

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

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.altKey || event.metaKey || event.shiftKey) return;
    const next = rowByKey(event.key, stop, count, last - first - 1);
    if (next === undefined) return;
    event.preventDefault();
    wantsFocus.current = true;
    setUsed(next);
    scrollTo(next);
  };

  return (
    <ul
      ref={list}
      className={styles.rows}
      // biome-ignore lint/a11y/noRedundantRoles: Safari ignores lists without bullets.
      role="list"
      aria-label={label}
      style={{ height: count * rowPixels }}
      onKeyDown={onKeyDown}
      onFocus={(event) => {
        setFocus(true);
        const index = Number(event.target.closest('li')?.dataset.index);
        if (!Number.isNaN(index)) setUsed(index);
      }}
      onBlur={({ currentTarget, target, relatedTarget }) => {
        if (currentTarget.contains(relatedTarget)) return;
        // Of a removed row that has the focus, browsers send this event before or after the removal.
        queueMicrotask(() => target.isConnected && setFocus(false));
      }}
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
          {children(index, index === stop ? 0 : -1)}
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
