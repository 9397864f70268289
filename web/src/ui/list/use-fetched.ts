import { useCallback, useEffect, useRef, useState } from 'react';
import { useConnection } from '../../data/hooks.ts';

export interface Fetched<T> {
  /** The last that came; stays while it is asked for again. */
  readonly value: T | undefined;
  /** What was caught at the last try. */
  readonly error: unknown;
  readonly isLoading: boolean;
  readonly reload: () => void;
}

/**
 * Asks once when it is shown, again at `reload`, and when the connection is back after an error. An answer that was
 * overtaken by a later question is dropped.
 */
export function useFetched<T>(load: () => Promise<T>): Fetched<T> {
  const [state, setState] = useState<{ value?: T; error?: unknown; isLoading: boolean }>({ isLoading: true });
  const asked = useRef(0);
  const loading = useRef(load);
  useEffect(() => {
    loading.current = load;
  });
  const ask = useCallback(async () => {
    asked.current += 1;
    const turn = asked.current;
    setState((before) => ({ ...before, isLoading: true }));
    try {
      const value = await loading.current();
      if (turn === asked.current) setState({ value, isLoading: false });
    } catch (error) {
      if (turn === asked.current) setState((before) => ({ ...before, error, isLoading: false }));
    }
  }, []);
  const reload = useCallback(() => void ask(), [ask]);
  useEffect(() => {
    reload();
    return () => {
      asked.current += 1; // what comes now comes too late
    };
  }, [reload]);

  const isLive = useConnection().state === 'live';
  const failed = useRef(false);
  useEffect(() => {
    failed.current = state.error !== undefined;
  });
  useEffect(() => {
    if (isLive && failed.current) reload();
  }, [isLive, reload]);
  return { value: state.value, error: state.error, isLoading: state.isLoading, reload };
}

/** Whoever comes back to the window sees what is now, but not more often than this. */
const FRESH_MS = 10_000;

/** Calls `reload` when the window is looked at again. */
export function useReloadOnReturn(reload: () => void): void {
  useEffect(() => {
    let reloadedAt = Date.now();
    const look = () => {
      if (document.visibilityState !== 'visible' || Date.now() - reloadedAt < FRESH_MS) return;
      reloadedAt = Date.now();
      reload();
    };
    window.addEventListener('focus', look);
    document.addEventListener('visibilitychange', look);
    return () => {
      window.removeEventListener('focus', look);
      document.removeEventListener('visibilitychange', look);
    };
  }, [reload]);
}
