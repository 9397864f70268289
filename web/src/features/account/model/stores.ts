import type { OwnUser, ProfileBody } from 'doorman-client';
import type { Readable } from '../../../data/store.ts';
import type { SettingsView } from './views.ts';

export interface OwnAccountStore {
  readonly profile: Readable<OwnUser | undefined>;
  readonly settings: Readable<SettingsView | undefined>;
  updateProfile(body: ProfileBody): Promise<void>;
  /** Shows at once what is wanted. */
  updateSettings(wanted: Partial<SettingsView>): Promise<void>;
}
