import type { OwnUser, ProfileBody } from 'doorman-client';
import type { Readable } from '../../../data/store.ts';
import type { SettingsView } from './views.ts';

export interface OwnAccountStore {
  readonly profile: Readable<OwnUser | undefined>;
  readonly settings: Readable<SettingsView | undefined>;
  updateProfile(body: ProfileBody): Promise<void>;
  /** The change is shown at once, and undone if the service refuses it. */
  updateSettings(wanted: Partial<SettingsView>): Promise<void>;
}
