import { useEffect } from 'react';
import type { DirectorySearch } from '../model/stores.ts';

/** A few calls a minute, of 60. */
const REFRESH_MS = 15_000;

/** Asks a list anew now and then, as long as `isWanted` and somebody looks at the page. */
export function useRefreshing(search: DirectorySearch, isWanted: boolean): void {
  useEffect(() => {
    if (!isWanted) return;
    const timer = setInterval(() => {
      if (document.visibilityState === 'visible') search.refresh();
    }, REFRESH_MS);
    return () => clearInterval(timer);
  }, [search, isWanted]);
}
