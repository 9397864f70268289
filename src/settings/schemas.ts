import { type Static, Type } from 'typebox';

export const SettingsBody = Type.Object({
  pushEnabled: Type.Optional(Type.Boolean()),
  dndEnabled: Type.Optional(Type.Boolean()),
  /** Ours: how much of a message a notification shows (architecture 8.3). */
  pushPreview: Type.Optional(
    Type.Union([Type.Literal('full'), Type.Literal('sender'), Type.Literal('none')]),
  ),
});
export type SettingsBody = Static<typeof SettingsBody>;

export const Settings = Type.Object({
  id: Type.String(),
  username: Type.String(),
  push_enabled: Type.Integer(),
  dnd_enabled: Type.Integer(),
});
export type Settings = Static<typeof Settings>;
