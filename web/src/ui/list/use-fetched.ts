import { useCallback, useEffect, useRef, useState } from 'react';
import { Fetched, type FetchState } from '../../data/fetched.ts';
import { useConnection, useReadable } from '../../data/hooks.ts';

export interface FetchedView<T> extends FetchState<T> {
  readonly reload: () => void;
  /** Like `reload`, but the user sees only the new value. */
  readonly update: () => void;
  /** Fetches a longer value, such as one with another page. */
  readonly extend: (fetch: () => Promise<T>) => void;
}

/** Fetches a value when the component is mounted, at `reload`, and after an error when the connection is back. */
export function useFetched<T>(fetch: () => Promise<T>): FetchedView<T> {
  const latest = useRef(fetch);
  useEffect(() => {
    latest.current = fetch;
  });
  const [fetched] = useState(() => new Fetched(() => latest.current()));
  const reload = useCallback(() => fetched.refresh(), [fetched]);
  const update = useCallback(() => fetched.update(), [fetched]);
  const extend = useCallback((fetch: () => Promise<T>) => fetched.extend(fetch), [fetched]);
  useEffect(() => {
    fetched.refresh();
    return () => fetched.clear();
  }, [fetched]);
  const isLive = useConnection().state === 'live';
  useEffect(() => {
    if (isLive) fetched.retry();
  }, [fetched, isLive]);
  return { ...useReadable(fetched), reload, update, extend };
}

/** A window that gets the focus again updates, but not more often than this. */
const FRESH_MS = 10_000;

/** Calls `update` when the user comes back to the window or the connection is back, and every `everyMs` while it is visible. */
export function useUpdates(update: () => void, everyMs: number): void {
  const isLive = useConnection().state === 'live';
  const hasBeenLive = useRef(false);
  useEffect(() => {
    if (!isLive) return;
    let updatedAt = Date.now();
    const updateIfVisible = () => {
      if (document.visibilityState !== 'visible') return;
      updatedAt = Date.now();
      update();
    };
    const onReturn = () => {
      if (Date.now() - updatedAt >= FRESH_MS) updateIfVisible();
    };
    if (hasBeenLive.current) updateIfVisible();
    hasBeenLive.current = true;
    const timer = setInterval(updateIfVisible, everyMs);
    window.addEventListener('focus', onReturn);
    document.addEventListener('visibilitychange', onReturn);
    return () => {
      clearInterval(timer);
      window.removeEventListener('focus', onReturn);
      document.removeEventListener('visibilitychange', onReturn);
    };
  }, [update, everyMs, isLive]);
}
