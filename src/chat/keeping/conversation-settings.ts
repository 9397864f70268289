import type { TextFragment } from '../../db/fragments.ts';
import type { ConversationSettings } from '../../events/log-events.ts';
import type { Flag } from '../../http/validation.ts';

/** A row of `conversation_settings`, without its key; a conversation without one has zeros. */
export interface SettingsRow {
  readonly muted_until: number;
  readonly pinned_at: number;
  readonly archived_n: number;
  readonly marked_unread: Flag;
  readonly cleared_n: number;
}

const COLUMNS = ['muted_until', 'pinned_at', 'archived_n', 'marked_unread', 'cleared_n'];

/** The columns of a {@link SettingsRow}, for a statement with a left join of `conversation_settings` as `kept`. */
export const SETTINGS: TextFragment = {
  text: COLUMNS.map((column) => `coalesce(kept.${column}, 0) as ${column}`).join(', '),
};

/**
 * A {@link SettingsRow} as one text, for a subquery in a list. A join is slower on PostgreSQL: it compares each row of settings with each
 * conversation while it has no statistics of them, and sends five columns of every conversation.
 */
export const PACKED_SETTINGS: TextFragment = { text: COLUMNS.join(" || ' ' || ") };

/** @param packed null for a conversation without a row */
export function unpackSettings(packed: string | null): SettingsRow {
  const [muted_until = 0, pinned_at = 0, archived_n = 0, marked_unread = 0, cleared_n = 0] =
    packed?.split(' ').map(Number) ?? [];
  return { muted_until, pinned_at, archived_n, marked_unread: marked_unread === 1 ? 1 : 0, cleared_n };
}

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
