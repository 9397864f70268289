import type { TextFragment } from '../db/fragments.ts';
import type { Flag } from '../http/validation.ts';

/** Up to which message of a conversation a user received and read. Both numbers only rise. */
export interface Marks {
  readonly received: number;
  readonly read: number;
}

/** What the peer may know of a user's marks, and what decides whether they learn more, read behind the locks of both. */
export interface DisclosureRow {
  readonly disclosed_received: number;
  readonly disclosed_read: number;
  /** Whether one of the two blocks the other, or the user has not accepted the peer's message request. */
  readonly is_kept_back: number;
  /** 0 while one of the two has switched read receipts off. */
  readonly shows_read: Flag;
}

/** The columns of a {@link DisclosureRow}, for a statement that reads `conversations`. */
export const DISCLOSURE: TextFragment = {
  text: `conversations.disclosed_received, conversations.disclosed_read,
    coalesce(
      (select 1 from blocks where blocker_id = conversations.user_id and blocked_id = conversations.peer_id),
      (select 1 from blocks where blocker_id = conversations.peer_id and blocked_id = conversations.user_id),
      (select 1 from message_requests where user_id = conversations.user_id and peer_id = conversations.peer_id), 0) as is_kept_back,
    (select min(shows_read) from users where id in (conversations.user_id, conversations.peer_id)) as shows_read`,
};

/**
 * What the peer may know when a user's marks have risen. What was held back is disclosed by the first mark for which nothing holds it
 * back any more.
 *
 * @returns `isNews`: whether there is something to notify the peer of, as an event without it would show that the user read
 */
export function disclose(marks: Marks, row: DisclosureRow): { disclosed: Marks; isNews: boolean } {
  const { disclosed_received: received, disclosed_read: read, is_kept_back, shows_read } = row;
  const disclosed = is_kept_back
    ? { received, read }
    : { received: marks.received, read: shows_read ? marks.read : read };
  return { disclosed, isNews: disclosed.received > received || disclosed.read > read };
}
