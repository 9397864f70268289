import { useReadable } from '../../../data/hooks.ts';
import { useContacts } from './hooks.ts';
import { Profiles } from './profiles.ts';
import type { ProfileView } from './views.ts';

export function useProfile(userId: string): ProfileView {
  return useReadable(useContacts().people.profile(userId, Profiles));
}
