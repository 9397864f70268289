import type { OwnUser } from 'doorman-client';
import { isBoolean, isNumber, isString, oneOf, record } from '../../../data/persisted-shapes.ts';
import type { SettingsView } from './views.ts';

export const isPersistedProfile = record<OwnUser>({
  id: isString,
  username: isString,
  nickname: isString,
  email: isString,
  avatar: isString,
  gender: isString,
  bio: isString,
  phone: isString,
  push_enabled: isNumber,
  dnd_enabled: isNumber,
});

export const isPersistedSettings = record<SettingsView>({
  pushEnabled: isBoolean,
  dndEnabled: isBoolean,
  pushPreview: oneOf('full', 'sender', 'none'),
});
