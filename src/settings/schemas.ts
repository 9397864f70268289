import { type Static, Type } from 'typebox';
import { flag } from '../http/validation.ts';
import { PushPreview } from '../users/schemas.ts';

export const SettingsBody = Type.Object({
  pushEnabled: Type.Optional(Type.Boolean()),
  dndEnabled: Type.Optional(Type.Boolean()),
  /** Ours. */
  pushPreview: Type.Optional(PushPreview),
});
export type SettingsBody = Static<typeof SettingsBody>;

export const Settings = Type.Object({
  id: Type.String(),
  username: Type.String(),
  push_enabled: flag(),
  dnd_enabled: flag(),
});
export type Settings = Static<typeof Settings>;
