import type { TextFragment } from '../db/fragments.ts';
import type { MessageState, Picture } from '../events/log-events.ts';

/** The columns of `messages` that make a message as its readers get it. */
export interface MessageRow {
  readonly n: number;
  readonly from: string;
  readonly cid: string;
  readonly body: string;
  readonly at: number;
  readonly reply_to: number | null;
  readonly edited_at: number | null;
  readonly unsent_at: number | null;
  readonly low_reaction: string | null;
  readonly high_reaction: string | null;
  /** Id, type, size, width and height of its picture, separated by spaces; null without one. */
  readonly picture: string | null;
}

/** The picture of a message as one text, or null. */
export const PACKED_PICTURE: TextFragment = {
  text: `case when messages.picture_id is not null then (
      select pictures.id || ' ' || pictures.type || ' ' || pictures.size || ' ' || pictures.width || ' ' || pictures.height
      from pictures where pictures.id = messages.picture_id) end as picture`,
};

/** The columns of a {@link MessageRow}, for a statement that reads `messages`. */
export const MESSAGE_COLUMNS: TextFragment = {
  text: `messages.n, messages.sender_id as "from", messages.cid, messages.body, messages.at, messages.reply_to, messages.edited_at,
    messages.unsent_at, messages.low_reaction, messages.high_reaction,
    ${PACKED_PICTURE.text}`,
};

/**
 * What may change of a message, without what is not set. An unsent one has its text and all else removed in the row.
 *
 * @param users the two of the conversation, in any order
 */
export function stateOf(
  row: Omit<MessageRow, 'n' | 'from' | 'cid' | 'at'>,
  ...users: [string, string]
): MessageState {
  const { body, reply_to, edited_at, unsent_at, low_reaction, high_reaction, picture } = row;
  const [low, high] = users[0] < users[1] ? users : [users[1], users[0]];
  const reactions = [low_reaction && [low, low_reaction], high_reaction && [high, high_reaction]].filter(
    (one) => one !== null && one !== '',
  );
  return {
    body,
    ...(reply_to !== null && { replyTo: reply_to }),
    // A node of the version before leaves it at an unsend.
    ...(picture !== null && unsent_at === null && { picture: unpackPicture(picture) }),
    ...(edited_at !== null && { editedAt: edited_at }),
    ...(unsent_at !== null && { unsentAt: unsent_at }),
    ...(reactions.length > 0 && { reactions: Object.fromEntries(reactions) }),
  };
}

/** Reads {@link PACKED_PICTURE}. */
export function unpackPicture(packed: string): Picture {
  const [id, type, ...numbers] = packed.split(' ') as [string, Picture['type'], string, string, string];
  const [size = 0, width = 0, height = 0] = numbers.map(Number);
  return { id, type, size, width, height };
}

/** @param users the two of the conversation, in any order */
export function toMessage(row: MessageRow, ...users: [string, string]) {
  const { n, from, cid, at } = row;
  return { n, from, cid, at, ...stateOf(row, ...users) };
}
