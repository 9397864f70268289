import type { OwnUser, ProfileBody } from 'doorman-client';
import { isBoolean, isNumber, isString, oneOf, record } from '../../../data/persisted-shapes.ts';
import { PROFILE_NAMES } from './profile-names.ts';
import type { SettingsView } from './views.ts';

const profileFields = Object.fromEntries(PROFILE_NAMES.map((name) => [name, isString])) as Record<
  keyof ProfileBody,
  typeof isString
>; // these names

export const isPersistedProfile = record<OwnUser>({
  id: isString,
  username: isString,
  ...profileFields,
  push_enabled: isNumber,
  dnd_enabled: isNumber,
});

export const isPersistedSettings = record<SettingsView>({
  pushEnabled: isBoolean,
  dndEnabled: isBoolean,
  pushPreview: oneOf('full', 'sender', 'none'),
});
