import { type Inboxes, withInboxes } from '../inbox/inbox.ts';
import type { PushPreview } from '../users/schemas.ts';
import { userNotFound } from '../users/users.ts';
import type { Settings, SettingsBody } from './schemas.ts';

/**
 * Changes the settings that were sent (interface 4.9), and appends a `settings` event for the user's devices. A body without
 * fields changes nothing and appends nothing.
 *
 * @param now epoch milliseconds
 * @throws {ServiceError} `not-found`
 */
export async function updateSettings(
  inboxes: Inboxes,
  userId: string,
  body: SettingsBody,
  now: number,
): Promise<Settings> {
  return withInboxes(inboxes, [userId], now, async (tx, append) => {
    const row = await tx.get<Settings & { push_preview: PushPreview }>`
      update users set
        push_enabled = coalesce(${toFlag(body.pushEnabled)}, push_enabled),
        dnd_enabled = coalesce(${toFlag(body.dndEnabled)}, dnd_enabled),
        push_preview = coalesce(${body.pushPreview ?? null}, push_preview)
      where id = ${userId} and status <> 'deleted' returning id, username, push_enabled, dnd_enabled, push_preview`;
    if (!row) throw userNotFound();
    const { push_enabled, dnd_enabled, push_preview } = row;
    if (Object.keys(body).length > 0)
      await append(userId, 'settings', { push_enabled, dnd_enabled, push_preview });
    return row;
  });
}

function toFlag(value: boolean | undefined): number | null {
  return value === undefined ? null : Number(value);
}
