import {
  type FocusEvent,
  type KeyboardEvent,
  type RefObject,
  useLayoutEffect,
  useRef,
  useState,
} from 'react';
import { rowByKey } from '../../../ui/list/row-keys.ts';
import { useRowPlace } from './row-place.ts';

interface RowFocusOptions {
  /** The list; its rows have `data-index`, and begin with the link that gets the focus. */
  list: RefObject<HTMLElement | null>;
  count: number;
  /** The user of a row; the same function as long as the users are the same. */
  idAt: (index: number) => string;
  /** Rows that a page key moves by. */
  page: () => number;
  /** Scrolls no further than needed. */
  scrollTo: (index: number) => void;
}

interface RowFocus {
  /** The row that had the focus last. */
  readonly used: number | undefined;
  /** The focus is in the list: the row that has it stays in the document, or the focus would be lost. */
  readonly hasFocus: boolean;
  /** Of the list. */
  readonly handlers: {
    onKeyDown: (event: KeyboardEvent) => void;
    onFocus: (event: FocusEvent) => void;
    onBlur: (event: FocusEvent) => void;
  };
}

/** Moves the focus between the rows of a list by arrow and page keys, Home and End. */
export function useRowFocus({ list, count, idAt, page, scrollTo }: RowFocusOptions): RowFocus {
  const { used, setUsed } = useRowPlace(count, idAt);
  const [hasFocus, setFocus] = useState(false);
  const wantsFocus = useRef(false);

  useLayoutEffect(() => {
    // A key moved the focus; or its row has left the list, and the row in that place takes it.
    const isLost = hasFocus && document.activeElement === document.body;
    if (!wantsFocus.current && !isLost) return;
    const row = list.current?.querySelector<HTMLElement>(`[data-index="${used}"] > a`);
    if (!row) return;
    wantsFocus.current = false;
    row.focus({ preventScroll: true });
  });

  const handlers = {
    onKeyDown: (event: KeyboardEvent) => {
      if (event.ctrlKey || event.altKey || event.metaKey || event.shiftKey || used === undefined) return;
      const next = rowByKey(event.key, used, count, page());
      if (next === undefined) return;
      event.preventDefault();
      wantsFocus.current = true;
      setUsed(next);
      scrollTo(next);
    },
    onFocus: ({ target }: FocusEvent) => {
      setFocus(true);
      const index = Number(target.closest<HTMLElement>('[data-index]')?.dataset.index);
      if (!Number.isNaN(index)) setUsed(index);
    },
    onBlur: ({ currentTarget, target, relatedTarget }: FocusEvent) => {
      if (currentTarget.contains(relatedTarget)) return;
      // Of a removed row that has the focus, browsers send this event before or after the removal.
      queueMicrotask(() => target.isConnected && setFocus(false));
    },
  };
  return { used, hasFocus, handlers };
}
