import { type Context, createContext, useContext, useSyncExternalStore } from 'react';
import type { Readable } from './store.ts';
import type { PageBase } from './stores.ts';
import type { ConnectionView, Freshness, SessionView } from './views.ts';

/** `App` provides it, and the context of each feature, around everything. */
export const PageContext = createContext<PageBase | undefined>(undefined);

export function usePage(): PageBase {
  return useProvided(PageContext);
}

/** The value of a context that `App` provides. */
export function useProvided<T>(context: Context<T | undefined>): T {
  const value = useContext(context);
  if (value === undefined) throw new Error('no App around this component');
  return value;
}

/** The value of any readable; renders when it changes, and only then. */
export function useReadable<T>(readable: Readable<T>): T {
  return useSyncExternalStore(readable.subscribe, readable.getSnapshot);
}

export function useSession(): SessionView {
  return useReadable(usePage().session);
}

export function useConnection(): ConnectionView {
  return useReadable(usePage().connection);
}

export function useFreshness(): Freshness {
  return useReadable(usePage().freshness);
}
