import { useEffect } from 'react';
import type { DirectorySearch } from '../model/directory.ts';

/** One call a minute, of the 60 that a user has. */
const LIST_MS = 60_000;
/** Who is online changes faster. */
const ONLINE_MS = 15_000;
/** A user who finds no one waits for someone to register or to come online. */
const EMPTY_MS = 4_000;

interface Shown {
  readonly isOnlineOnly: boolean;
  /** The list has no one but the user themselves. */
  readonly isEmpty: boolean;
}

/** Loads a list on the screen again from time to time while the page is visible, and when it becomes visible. */
export function useRefreshing(search: DirectorySearch, { isOnlineOnly, isEmpty }: Shown): void {
  const everyMs = isEmpty ? EMPTY_MS : isOnlineOnly ? ONLINE_MS : LIST_MS;
  useEffect(() => {
    const update = () => {
      if (document.visibilityState === 'visible') search.update();
    };
    const timer = setInterval(update, everyMs);
    document.addEventListener('visibilitychange', update);
    return () => {
      clearInterval(timer);
      document.removeEventListener('visibilitychange', update);
    };
  }, [search, everyMs]);
}
