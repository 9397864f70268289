import type { OwnUser } from 'doorman-client';
import { createContext, useMemo } from 'react';
import { useProvided, useReadable } from '../../../data/hooks.ts';
import type { OwnStore } from './stores.ts';
import type { SettingsView } from './views.ts';

export const OwnContext = createContext<OwnStore | undefined>(undefined);

export function useOwnStore(): OwnStore {
  return useProvided(OwnContext);
}

/** The signed-in user; absent until the first answer of the service, or the copy kept of it. */
export function useOwn(): { profile: OwnUser | undefined; settings: SettingsView | undefined } {
  const own = useOwnStore();
  const profile = useReadable(own.profile);
  const settings = useReadable(own.settings);
  return useMemo(() => ({ profile, settings }), [profile, settings]);
}
