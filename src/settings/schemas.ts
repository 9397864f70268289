import { type Static, Type } from 'typebox';
import { OwnUser, PushPreview } from '../users/schemas.ts';

export const SettingsBody = Type.Object({
  pushEnabled: Type.Optional(Type.Boolean()),
  dndEnabled: Type.Optional(Type.Boolean()),
  /** Ours. */
  pushPreview: Type.Optional(PushPreview),
});
export type SettingsBody = Static<typeof SettingsBody>;

const { id, username, push_enabled, dnd_enabled } = OwnUser.properties;
export const Settings = Type.Object({ id, username, push_enabled, dnd_enabled });
export type Settings = Static<typeof Settings>;
