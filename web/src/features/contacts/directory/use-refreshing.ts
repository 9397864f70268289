import { useEffect } from 'react';
import type { DirectorySearch } from '../model/stores.ts';

/** Four calls a minute, of the 60 that a user has. */
const REFRESH_MS = 15_000;

/** Refreshes a list from time to time while `isWanted` and the page is visible. */
export function useRefreshing(search: DirectorySearch, isWanted: boolean): void {
  useEffect(() => {
    if (!isWanted) return;
    const timer = setInterval(() => {
      if (document.visibilityState === 'visible') search.refresh();
    }, REFRESH_MS);
    return () => clearInterval(timer);
  }, [search, isWanted]);
}
