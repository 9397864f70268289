import { userNotFound } from '../accounts/users.ts';
import type { Db } from '../db/db.ts';
import type { Settings, SettingsBody } from './schemas.ts';

/** Switches what was sent and nothing else (interface 4.9). */
export async function updateSettings(db: Db, userId: string, body: SettingsBody): Promise<Settings> {
  const row = await db.get<Settings>`
    update users set
      push_enabled = coalesce(${toFlag(body.pushEnabled)}, push_enabled),
      dnd_enabled = coalesce(${toFlag(body.dndEnabled)}, dnd_enabled),
      push_preview = coalesce(${body.pushPreview ?? null}, push_preview)
    where id = ${userId} and status <> 'deleted' returning id, username, push_enabled, dnd_enabled`;
  if (!row) throw userNotFound();
  return row;
}

function toFlag(value: boolean | undefined): 0 | 1 | null {
  return value === undefined ? null : value ? 1 : 0;
}
