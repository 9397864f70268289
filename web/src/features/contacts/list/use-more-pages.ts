import { useCallback, useState } from 'react';
import { useReadable } from '../../../data/hooks.ts';
import type { MorePages } from '../../../data/stores.ts';
import type { PagesView } from '../../../data/views.ts';
import { isNearEnd, usePaging } from './paging.ts';

interface More {
  readonly view: PagesView;
  readonly loadMore: () => void;
  /** To be called with the rows on the screen; the same function until `count` changes. */
  readonly onSeen: (first: number, last: number) => void;
}

/** Loads the next page of a list when its end comes near. @param count rows that are shown; of a search fewer than are loaded */
export function useMorePages(more: MorePages, count: number): More {
  const view = useReadable(more.view);
  const [isNear, setNear] = useState(false);
  const onSeen = useCallback((_first: number, last: number) => setNear(isNearEnd(last, count)), [count]);
  const loadMore = useCallback(() => more.loadMore(), [more]);
  const isWanted = view.hasMore && !view.isLoading && view.failure === undefined && (isNear || count === 0);
  usePaging(isWanted, count, loadMore);
  return { view, loadMore, onSeen };
}
