import type { TextFragment } from '../db/fragments.ts';
import type { ConversationSettings } from '../events/log-events.ts';
import type { Flag } from '../http/validation.ts';

/** A row of `conversation_settings`, without its key; a conversation without one has {@link AT_FIRST}. */
export interface SettingsRow {
  readonly muted_until: number;
  readonly pinned_at: number;
  readonly archived_n: number;
  readonly marked_unread: Flag;
  readonly cleared_n: number;
}

/** How a conversation is kept until its user changes it. */
export const AT_FIRST: SettingsRow = {
  muted_until: 0,
  pinned_at: 0,
  archived_n: 0,
  marked_unread: 0,
  cleared_n: 0,
};

/** The columns of a {@link SettingsRow}, for a statement that names `conversation_settings` `kept`. */
export const SETTINGS: TextFragment = {
  text: ['muted_until', 'pinned_at', 'archived_n', 'marked_unread', 'cleared_n']
    .map((column) => `coalesce(kept.${column}, 0) as ${column}`)
    .join(', '),
};

/**
 * The settings as devices get them. A later message brings an archived conversation back, unless it is muted.
 *
 * @param n the number of the conversation's last message
 */
export function toSettings(row: SettingsRow, n: number, now: number): ConversationSettings {
  const isArchived = row.muted_until > now ? row.archived_n > 0 : row.archived_n >= n;
  return {
    mutedUntil: row.muted_until,
    pinnedAt: row.pinned_at,
    archived: isArchived ? 1 : 0,
    markedUnread: row.marked_unread,
    clearedN: row.cleared_n,
  };
}
