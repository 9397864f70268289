import { useCallback, useLayoutEffect, useSyncExternalStore } from 'react';

interface VisibleRowsOptions {
  /** Absent until it is in the document. */
  scroller: Element | null;
  /** The scroll position that the list begins with, in pixels; the same function at every render. */
  startAt: () => number;
  /** Height of what is above the list in its scroller, in pixels. */
  above: number;
  /** Height of a row, in pixels. */
  rowPixels: number;
  count: number;
}

interface VisibleRows {
  /** The index of the first row on the screen. */
  readonly first: number;
  readonly last: number;
  /** Scrolls no further than needed. */
  readonly scrollTo: (index: number) => void;
}

/** Which rows of a list are on the screen. All rows have one height, so a long list costs as much as a short one. */
export function useVisibleRows(options: VisibleRowsOptions): VisibleRows {
  const { scroller, startAt, above, rowPixels, count } = options;
  useLayoutEffect(() => {
    // A second list in the scroller may come when the user has scrolled already.
    if (scroller?.scrollTop === 0) scroller.scrollTop = startAt();
  }, [scroller, startAt]);
  const subscribe = useCallback(
    (listener: () => void) => {
      if (!scroller) return () => {};
      const resizes = new ResizeObserver(listener);
      resizes.observe(scroller);
      scroller.addEventListener('scroll', listener, { passive: true });
      return () => {
        resizes.disconnect();
        scroller.removeEventListener('scroll', listener);
      };
    },
    [scroller],
  );
  const top = () => (scroller?.scrollTop ?? startAt()) - above;
  const height = () => scroller?.clientHeight ?? 0;
  const inList = (row: number) => Math.max(0, Math.min(row, count - 1));
  const first = useSyncExternalStore(subscribe, () => inList(Math.floor(top() / rowPixels)));
  const last = useSyncExternalStore(subscribe, () => inList(Math.ceil((top() + height()) / rowPixels) - 1));
  const scrollTo = (index: number) => {
    if (!scroller) return;
    const rowTop = above + index * rowPixels;
    const least = rowTop + rowPixels - scroller.clientHeight;
    scroller.scrollTop = Math.max(least, Math.min(scroller.scrollTop, rowTop));
  };
  return { first, last, scrollTo };
}
