import { daysBetween } from '../../../i18n/times.ts';
import type { MessageView } from '../model/views.ts';

/** How far a message stands from the one above it: same minute, same person, or neither. */
export type Gap = 'none' | 'small' | 'large';

export type Row =
  | { kind: 'day'; key: string; at: number }
  /** The line between what was read and what is new. */
  | { kind: 'unread'; key: string }
  | { kind: 'message'; key: string; message: MessageView; gap: Gap; isGroupEnd: boolean };

const MINUTE_MS = 60_000;

/**
 * What a thread looks like, from top to bottom. Messages of one person within a minute of the clock are a group, of which
 * the last says the time; a day, the line "new", and a refused message, which says why, part groups.
 *
 * @param unreadAfter the number before the first new message; no line without a message of the peer after it
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

/** Rows that are laid out, or left out, together. */
export interface Block {
  key: number;
  rows: readonly Row[];
}

/**
 * Parts the rows by the numbers of their messages, so that a message stays in its block whatever comes above or below; one
 * that is not stored yet goes where it will be, most likely. A browser looks at each block in each frame, so that a block
 * for each of thousands of messages would be too many.
 */
export function partIntoBlocks(rows: readonly Row[], size: number): Block[] {
  const blocks: { key: number; rows: Row[] }[] = [];
  let n = 0;
  /** A day or the line goes with the message below it. */
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
