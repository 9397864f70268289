import type { OwnUser } from 'doorman-client';
import { createContext, useMemo } from 'react';
import { useProvided, useReadable } from '../../../data/hooks.ts';
import type { OwnAccount } from './own-account.ts';
import type { SettingsView } from './views.ts';

export const OwnAccountContext = createContext<OwnAccount | undefined>(undefined);

export function useOwnAccountStore(): OwnAccount {
  return useProvided(OwnAccountContext);
}

/** The signed-in user; absent until the service has answered or a stored copy was read. */
export function useOwnAccount(): { profile: OwnUser | undefined; settings: SettingsView | undefined } {
  const own = useOwnAccountStore();
  const profile = useReadable(own.profile);
  const settings = useReadable(own.settings);
  return useMemo(() => ({ profile, settings }), [profile, settings]);
}
