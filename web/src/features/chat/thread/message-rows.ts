import { daysBetween } from '../../../i18n/times.ts';
import type { MessageView } from '../model/views.ts';

/** The distance to the message above: none within a group, small from the same user, large otherwise. */
export type Gap = 'none' | 'small' | 'large';

export type Row =
  | { kind: 'day'; key: string; at: number }
  /** Separates the messages that the user has read from the new ones. */
  | { kind: 'unread'; key: string }
  | { kind: 'message'; key: string; message: MessageView; gap: Gap; isGroupEnd: boolean };

/** Rows that are in the document together, or not at all. */
export interface RowBlock {
  readonly key: number;
  readonly messages: readonly MessageView[];
  readonly rows: readonly Row[];
  /** The "new" line is one of the rows. */
  readonly hasLine: boolean;
}

/** What the rows of a block depend on, apart from its own messages. */
interface Surroundings {
  readonly above: MessageView | undefined;
  readonly below: MessageView | undefined;
  /** The message below the "new" line, if it is in the block or right below. */
  readonly firstNew: MessageView | undefined;
}

type KnownBlock = RowBlock & Surroundings;

/** Messages per block. */
const BLOCK_SIZE = 16;
const MINUTE_MS = 60_000;

/**
 * Lays out a thread each time it has changed: its rows from top to bottom, in blocks. Messages of one user within one
 * minute of the clock are a group, and the last of a group shows the time. A day, the "new" line and a refused message,
 * which shows why, separate groups.
 *
 * A block that did not change is the same object as before, so that a message or a page costs the same in a long thread as
 * in a short one.
 *
 * @returns a function of the messages and of the number before the first new one; without a message of the peer after it
 * there is no "new" line
 */
export function blockLayout(
  size = BLOCK_SIZE,
): (messages: readonly MessageView[], unreadAfter?: number) => readonly RowBlock[] {
  let known = new Map<number, KnownBlock>();
  return (messages, unreadAfter) => {
    const firstNew = findFirstNew(messages, unreadAfter);
    const blocks = splitByNumber(messages, size).map(({ key, start, end }) => {
      const isNear = firstNew >= start && firstNew <= end;
      const around = {
        above: messages[start - 1],
        below: messages[end],
        firstNew: isNear ? messages[firstNew] : undefined,
      };
      const old = known.get(key);
      if (old && isUnchanged(old, messages, start, end, around)) return old;
      const own = messages.slice(start, end);
      const hasLine = isNear && firstNew < end;
      return { key, messages: own, rows: layOutRows(own, around), hasLine, ...around };
    });
    known = new Map(blocks.map((block) => [block.key, block]));
    return blocks;
  };
}

/** The index of the first message of the peer that is not read; -1 if there is none. */
function findFirstNew(messages: readonly MessageView[], unreadAfter: number | undefined): number {
  if (unreadAfter === undefined) return -1;
  return messages.findIndex(({ isOwn, n = 0 }) => !isOwn && n > unreadAfter);
}

/**
 * Splits messages by their numbers, so that a message stays in its block when others come above or below. A message that
 * is not stored yet gets the number that it will most likely have.
 */
function splitByNumber(messages: readonly MessageView[], size: number) {
  const parts: { key: number; start: number; end: number }[] = [];
  let n = 0;
  for (const [i, message] of messages.entries()) {
    n = message.n ?? n + 1;
    const key = Math.floor(n / size);
    const last = parts.at(-1);
    if (last && last.key >= key) last.end = i + 1;
    else parts.push({ key, start: i, end: i + 1 });
  }
  return parts;
}

function isUnchanged(
  block: KnownBlock,
  messages: readonly MessageView[],
  start: number,
  end: number,
  { above, below, firstNew }: Surroundings,
): boolean {
  return (
    block.above === above &&
    block.below === below &&
    block.firstNew === firstNew &&
    block.messages.length === end - start &&
    block.messages.every((message, i) => message === messages[start + i])
  );
}

function layOutRows(messages: readonly MessageView[], { above, below, firstNew }: Surroundings): Row[] {
  const rows: Row[] = [];
  for (const [i, message] of messages.entries()) {
    const before = messages[i - 1] ?? above;
    const after = messages[i + 1] ?? below;
    if (isNewDay(before, message)) rows.push({ kind: 'day', key: `day-${message.key}`, at: message.at });
    if (message === firstNew) rows.push({ kind: 'unread', key: 'unread' });
    const gap = message === firstNew ? 'large' : gapBetween(before, message);
    const isGroupEnd = !after || after === firstNew || gapBetween(message, after) !== 'none';
    rows.push({ kind: 'message', key: message.key, message, gap, isGroupEnd });
  }
  return rows;
}

function isNewDay(above: MessageView | undefined, message: MessageView): boolean {
  return !above || daysBetween(above.at, message.at) !== 0;
}

function gapBetween(above: MessageView | undefined, message: MessageView): Gap {
  if (!above || isNewDay(above, message) || above.isOwn !== message.isOwn) return 'large';
  if (above.state === 'refused' || message.state === 'refused') return 'small';
  return Math.floor(above.at / MINUTE_MS) === Math.floor(message.at / MINUTE_MS) ? 'none' : 'small';
}
