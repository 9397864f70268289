import { useCallback, useEffect, useRef, useState } from 'react';
import { Fetched, type FetchState } from '../../data/fetched.ts';
import { useConnection, useReadable } from '../../data/hooks.ts';

export interface FetchedView<T> extends FetchState<T> {
  readonly reload: () => void;
}

/** Fetches a value when the component is mounted, at `reload`, and after an error when the connection is back. */
export function useFetched<T>(fetch: () => Promise<T>): FetchedView<T> {
  const latest = useRef(fetch);
  useEffect(() => {
    latest.current = fetch;
  });
  const [fetched] = useState(() => new Fetched(() => latest.current()));
  const reload = useCallback(() => fetched.refresh(), [fetched]);
  useEffect(() => {
    fetched.refresh();
    return () => fetched.clear();
  }, [fetched]);
  const isLive = useConnection().state === 'live';
  useEffect(() => {
    if (isLive) fetched.retry();
  }, [fetched, isLive]);
  return { ...useReadable(fetched), reload };
}

/** A window that gets the focus again reloads, but not more often than this. */
const FRESH_MS = 10_000;

/** Calls `reload` when the user comes back to the window. */
export function useReloadOnReturn(reload: () => void): void {
  useEffect(() => {
    let reloadedAt = Date.now();
    const onReturn = () => {
      if (document.visibilityState !== 'visible' || Date.now() - reloadedAt < FRESH_MS) return;
      reloadedAt = Date.now();
      reload();
    };
    window.addEventListener('focus', onReturn);
    document.addEventListener('visibilitychange', onReturn);
    return () => {
      window.removeEventListener('focus', onReturn);
      document.removeEventListener('visibilitychange', onReturn);
    };
  }, [reload]);
}
