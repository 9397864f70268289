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
  const [push, dnd, preview] = [toFlag(body.pushEnabled), toFlag(body.dndEnabled), body.pushPreview ?? null];
  return withInboxes(inboxes, [userId], now, async (tx, append) => {
    const row = await tx.get<Settings & { push_preview: PushPreview }>`
      update users set
        push_enabled = coalesce(${push}, push_enabled), dnd_enabled = coalesce(${dnd}, dnd_enabled),
        push_preview = coalesce(${preview}, push_preview)
      where id = ${userId} and status <> 'deleted' returning id, username, push_enabled, dnd_enabled, push_preview`;
    if (!row) throw userNotFound();
    const { id, username, push_enabled, dnd_enabled, push_preview } = row;
    if ([push, dnd, preview].some((field) => field !== null))
      await append(userId, 'settings', { push_enabled, dnd_enabled, push_preview });
    return { id, username, push_enabled, dnd_enabled };
  });
}

function toFlag(value: boolean | undefined): 0 | 1 | null {
  return value === undefined ? null : value ? 1 : 0;
}
