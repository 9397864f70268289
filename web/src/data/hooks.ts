import type { Registration } from 'doorman-client';
import { type Context, createContext, useContext, useSyncExternalStore } from 'react';
import { ownIdOf } from './kept.ts';
import type { Readable } from './store.ts';
import type { BaseStores } from './stores.ts';
import type { ConnectionView, Freshness, SessionView } from './views.ts';

/** `App` provides it, as it does the context of each feature. */
export const StoresContext = createContext<BaseStores | undefined>(undefined);

export function useStores(): BaseStores {
  return useProvided(StoresContext);
}

/** The value of a context that `App` provides. */
export function useProvided<T>(context: Context<T | undefined>): T {
  const value = useContext(context);
  if (value === undefined) throw new Error('no App around this component');
  return value;
}

/** The value of a store; the component renders when it changes. */
export function useReadable<T>(readable: Readable<T>): T {
  return useSyncExternalStore(readable.subscribe, readable.getSnapshot);
}

export function useSession(): SessionView {
  return useReadable(useStores().session);
}

/** The id of the signed-in user; '' for none. */
export function useOwnId(): string {
  return ownIdOf(useSession());
}

/** What a view keeps while the user is elsewhere in the page; see `keptForUser`. */
export function useKept<T>(kept: (stores: BaseStores, ownId: string) => T): T {
  return kept(useStores(), useOwnId());
}

export function useRegistration(): Registration | undefined {
  return useReadable(useStores().registration);
}

export function useConnection(): ConnectionView {
  return useReadable(useStores().connection);
}

/** Whether the page is cut off from the service, as its banner says: actions that need the service are inactive. */
export function useIsOffline(): boolean {
  return useReadable(useStores().offline);
}

export function useFreshness(): Freshness {
  return useReadable(useStores().freshness);
}

/** Whether the device has a network, as the browser knows it: `false` is certain, `true` may be wrong. */
export function useNetwork(): boolean {
  return useSyncExternalStore(onNetworkChange, () => navigator.onLine);
}

function onNetworkChange(listener: () => void): () => void {
  addEventListener('online', listener);
  addEventListener('offline', listener);
  return () => {
    removeEventListener('online', listener);
    removeEventListener('offline', listener);
  };
}
