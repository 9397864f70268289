import { isDeepStrictEqual } from 'node:util';
import { assertSessionActive } from '../../accounts/session-lookup.ts';
import type { Queries, Tx } from '../../db/db.ts';
import { ServiceError } from '../../errors.ts';
import { type Checked, checkThenLock, type Inboxes } from '../../inbox/inbox.ts';
import { cancelPushes } from '../../push/decide/pending.ts';
import { getUser } from '../../users/users.ts';
import { MAX_PINS } from '../conversations.ts';
import { countUnread } from '../marks.ts';
import type { ClearBody, ConversationBody, KeptConversation } from '../schemas.ts';
import type { Caller } from '../sending.ts';
import { SETTINGS, type SettingsRow, toSettings } from './conversation-settings.ts';

/** One side of a conversation, with how its user keeps it. */
interface Side extends SettingsRow {
  readonly n: number;
  readonly read: number;
}

/**
 * Mutes, pins, archives a conversation of the caller or marks it as unread, or the opposite. Their other devices are notified, the peer
 * is not. The values that it has already change nothing.
 *
 * @throws {ServiceError} `invalid`, word `nothing_to_change`, or `too_many_pins`; `not-found`, word `user_not_found`, or
 *   `conversation_not_found` without a message that the caller has, or while it is a message request; `unauthenticated` when the session
 *   ended meanwhile
 */
export async function setConversation(
  inboxes: Inboxes,
  caller: Caller,
  { peer, mutedUntil, pinned, archived, markedUnread }: ConversationBody,
  now: number,
): Promise<KeptConversation> {
  if ([mutedUntil, pinned, archived, markedUnread].every((value) => value === undefined))
    throw new ServiceError('invalid', 'nothing_to_change', '没有要更改的内容');
  return keep(inboxes, caller, peer, now, async (db, side) => {
    if (side.n <= side.cleared_n) throw conversationNotFound();
    // One that a message brought back is not archived again when it is muted.
    const archivedN = toSettings(side, side.n, now).archived * side.archived_n;
    const isPinned = side.pinned_at > 0;
    return {
      ...side,
      muted_until: mutedUntil ?? side.muted_until,
      pinned_at:
        pinned === 1 && !isPinned ? await nextPinAt(db, caller.userId, now) : (pinned ?? 1) * side.pinned_at,
      archived_n: archived === undefined ? archivedN : archived * side.n,
      marked_unread: markedUnread ?? side.marked_unread,
    };
  });
}

/**
 * Deletes for the caller alone all messages up to `n`. They are no longer in their history, lists and unread count; no mark rises. With
 * the last unread message its pushes end. With the last message of all the conversation is neither pinned, archived nor marked as unread.
 *
 * @throws {ServiceError} `not-found` and `unauthenticated` as {@link setConversation}
 */
export function clearConversation(
  inboxes: Inboxes,
  caller: Caller,
  { peer, n }: ClearBody,
  now: number,
): Promise<KeptConversation> {
  return keep(inboxes, caller, peer, now, async (_db, side) => {
    const cleared_n = Math.max(side.cleared_n, Math.min(n, side.n));
    if (cleared_n < side.n || cleared_n === side.cleared_n) return { ...side, cleared_n };
    return { ...side, cleared_n, pinned_at: 0, archived_n: 0, marked_unread: 0 };
  });
}

/**
 * Writes what `change` makes of the side of a conversation, after a look without a lock. Only the log of the caller is locked.
 *
 * @param change reads and has no effects
 */
async function keep(
  inboxes: Inboxes,
  caller: Caller,
  peer: string,
  now: number,
  change: (db: Queries, side: Side) => Promise<Side>,
): Promise<KeptConversation> {
  const { userId } = caller;
  const check = async (db: Queries): Promise<Checked<KeptConversation, { before: Side; after: Side }>> => {
    const [before] = await Promise.all([
      readSide(db, userId, peer),
      assertSessionActive(db, caller.sessionId),
    ]);
    const after = await change(db, before);
    const settings = toSettings(before, before.n, now);
    return isDeepStrictEqual(toSettings(after, after.n, now), settings)
      ? { answer: { peer, ...settings } }
      : { change: { before, after } };
  };
  return checkThenLock(inboxes, [userId], now, check, async (tx, append, { before, after }) => {
    await writeSettings(tx, userId, peer, after);
    if (after.cleared_n > before.cleared_n) await forgetCleared(tx, caller, peer, after, now);
    const settings = { peer, ...toSettings(after, after.n, now) };
    await append(userId, 'conversation', settings);
    return settings;
  });
}

/** @throws {ServiceError} `not-found` for an unknown user, and where the user has no message with them outside a message request */
async function readSide(db: Queries, userId: string, peer: string): Promise<Side> {
  const side = await db.get<Side & { is_request: number }>`
    select conversations.n, conversations.read, ${SETTINGS}, coalesce((select 1 from message_requests
      where user_id = conversations.user_id and peer_id = conversations.peer_id), 0) as is_request
    from conversations left join conversation_settings kept
      on kept.user_id = conversations.user_id and kept.peer_id = conversations.peer_id
    where conversations.user_id = ${userId} and conversations.peer_id = ${peer}`;
  if (!side) await getUser(db, peer);
  if (!side || side.is_request) throw conversationNotFound();
  const { is_request, ...own } = side;
  return own;
}

/** Pins are in the order in which they were made, also when the clock was set back. */
async function nextPinAt(db: Queries, userId: string, now: number): Promise<number> {
  const pins = await db.get<{ count: number; last: number | null }>`
    select count(*) as count, max(pinned_at) as last from conversation_settings where user_id = ${userId} and pinned_at > 0`;
  if (pins && pins.count >= MAX_PINS)
    throw new ServiceError('invalid', 'too_many_pins', `最多可置顶${MAX_PINS}个会话`);
  return Math.max(now, (pins?.last ?? 0) + 1);
}

/** Counts what is left unread, and ends pushes where nothing is. */
async function forgetCleared(
  tx: Tx,
  { userId, device = '' }: Caller,
  peer: string,
  side: Side,
  now: number,
): Promise<void> {
  const unread = await countUnread(tx, userId, peer, Math.max(side.read, side.cleared_n));
  await tx.run`update conversations set unread = ${unread} where user_id = ${userId} and peer_id = ${peer}`;
  if (unread === 0) await cancelPushes(tx, { userId, peerId: peer, outcome: 'seen', device, now });
}

async function writeSettings(tx: Tx, userId: string, peer: string, row: SettingsRow): Promise<void> {
  const { muted_until, pinned_at, archived_n, marked_unread, cleared_n } = row;
  await tx.run`
    insert into conversation_settings (user_id, peer_id, muted_until, pinned_at, archived_n, marked_unread, cleared_n)
    values (${userId}, ${peer}, ${muted_until}, ${pinned_at}, ${archived_n}, ${marked_unread}, ${cleared_n})
    on conflict (user_id, peer_id) do update set
      muted_until = excluded.muted_until, pinned_at = excluded.pinned_at, archived_n = excluded.archived_n,
      marked_unread = excluded.marked_unread, cleared_n = excluded.cleared_n`;
}

/** To be called in the transaction that deletes an account, with its inbox locked. */
export async function removeSettingsOfUser(tx: Queries, userId: string): Promise<void> {
  await tx.run`delete from conversation_settings where user_id = ${userId}`;
}

/** To be called in the transaction that removes the conversation. */
export async function removeSettings(tx: Queries, userId: string, peer: string): Promise<void> {
  await tx.run`delete from conversation_settings where user_id = ${userId} and peer_id = ${peer}`;
}

function conversationNotFound(): ServiceError {
  return new ServiceError('not-found', 'conversation_not_found', '没有与该用户的会话');
}
