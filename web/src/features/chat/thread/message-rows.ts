import { daysBetween } from '../../../i18n/times.ts';
import type { MessageView } from '../model/views.ts';

/** The distance to the message above: none within a group, small from the same user, large otherwise. */
export type Gap = 'none' | 'small' | 'large';

export type Row =
  | { kind: 'day'; key: string; at: number }
  /** Separates the messages that the user has read from the new ones. */
  | { kind: 'unread'; key: string }
  | { kind: 'message'; key: string; message: MessageView; gap: Gap; isGroupEnd: boolean };

const MINUTE_MS = 60_000;

/**
 * The rows of a thread from top to bottom. Messages of one user within one minute of the clock are a group, and the last
 * of a group shows the time. A day, the "new" line and a refused message, which shows why, separate groups.
 *
 * @param unreadAfter the number before the first new message; without a message of the peer after it there is no line
 */
export function layOutRows(messages: readonly MessageView[], unreadAfter?: number): Row[] {
  const rows: Row[] = [];
  let above: Extract<Row, { kind: 'message' }> | undefined;
  let hasLine = unreadAfter === undefined;
  for (const message of messages) {
    const before = above?.message;
    const isNewDay = !before || daysBetween(before.at, message.at) !== 0;
    if (isNewDay) rows.push({ kind: 'day', key: `day-${message.key}`, at: message.at });
    const isFirstNew = !hasLine && !message.isOwn && (message.n ?? 0) > (unreadAfter ?? 0);
    if (isFirstNew) {
      rows.push({ kind: 'unread', key: 'unread' });
      hasLine = true;
    }
    const gap = before && !isNewDay && !isFirstNew ? gapBetween(before, message) : 'large';
    if (above && gap === 'none') above.isGroupEnd = false;
    above = { kind: 'message', key: message.key, message, gap, isGroupEnd: true };
    rows.push(above);
  }
  return rows;
}

function gapBetween(above: MessageView, message: MessageView): Gap {
  if (above.isOwn !== message.isOwn) return 'large';
  if (above.state === 'refused' || message.state === 'refused') return 'small';
  return Math.floor(above.at / MINUTE_MS) === Math.floor(message.at / MINUTE_MS) ? 'none' : 'small';
}

/** Rows whose layout the browser does, or skips, together. */
interface Block {
  key: number;
  rows: readonly Row[];
}

/**
 * Splits the rows by the numbers of their messages, so that a message stays in its block when others come above or below.
 * A message that is not stored yet gets the number that it will most likely have. A browser checks each block in each
 * frame, so one block for each of thousands of messages would be too many.
 */
export function splitIntoBlocks(rows: readonly Row[], size: number): Block[] {
  const blocks: { key: number; rows: Row[] }[] = [];
  let n = 0;
  /** A day or the "new" line belongs to the block of the message below it. */
  let waiting: Row[] = [];
  for (const row of rows) {
    waiting.push(row);
    if (row.kind !== 'message') continue;
    n = row.message.n ?? n + 1;
    const key = Math.floor(n / size);
    const last = blocks.at(-1);
    if (last && last.key >= key) last.rows.push(...waiting);
    else blocks.push({ key, rows: waiting });
    waiting = [];
  }
  return blocks;
}
