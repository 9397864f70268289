import { useCallback, useEffect, useRef, useState } from 'react';
import { useReadable } from '../../../data/hooks.ts';
import type { MorePages } from '../../../data/pages.ts';
import type { PagesView } from '../../../data/views.ts';

/** How many rows before its end a list loads its next page; less for a short list, which would load it at once. */
const ROWS_AHEAD = 400;
/** The page stays below the service's limit of 60 calls a minute (interface 8), which its other calls share. */
const PAGE_EVERY_MS = 2_000;

interface Pages {
  readonly view: PagesView;
  readonly loadMore: () => void;
  readonly onSeen: OnSeen;
}

/** Called with the first and the last row on the screen. */
type OnSeen = (first: number, last: number) => void;

/** Loads the next page of a list when its end comes near. @param count see `useNextPage` */
export function useMorePages(more: MorePages, count: number): Pages {
  const view = useReadable(more.view);
  const loadMore = useCallback(() => more.loadMore(), [more]);
  return { view, loadMore, onSeen: useNextPage(view, count, loadMore) };
}

/**
 * Calls `loadMore` when the end of a list comes near, and while it shows no rows at all.
 *
 * @param count rows that are shown; a search shows fewer than are loaded
 * @returns the same function until `count` changes
 */
export function useNextPage(view: PagesView, count: number, loadMore: () => void): OnSeen {
  const [isNear, setNear] = useState(false);
  const isWanted = view.hasMore && !view.isLoading && view.failure === undefined && (isNear || count === 0);
  usePaging(isWanted, count, loadMore);
  return useCallback((_first: number, last: number) => setNear(isNearEnd(last, count)), [count]);
}

/** Calls `loadMore` once for each `count` while `isWanted`, never sooner than `PAGE_EVERY_MS` after the last call. */
function usePaging(isWanted: boolean, count: number, loadMore: () => void): void {
  const loadedAt = useRef<number>(undefined);
  useEffect(() => {
    if (!isWanted) return;
    const timer = setTimeout(
      () => {
        loadedAt.current = performance.now();
        loadMore();
      },
      pageWaitMs(loadedAt.current, performance.now()),
    );
    return () => clearTimeout(timer);
  }, [isWanted, count, loadMore]);
}

/** @param last index of the last row on the screen, of `count` */
export function isNearEnd(last: number, count: number): boolean {
  return last >= count - Math.min(ROWS_AHEAD, count * 0.6);
}

/** Milliseconds until the next page may be requested; both moments are of one clock. */
export function pageWaitMs(loadedAt: number | undefined, now: number): number {
  return loadedAt === undefined ? 0 : Math.max(0, loadedAt + PAGE_EVERY_MS - now);
}
