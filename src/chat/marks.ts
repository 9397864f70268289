import { assertSessionActive } from '../accounts/session-lookup.ts';
import type { Queries, Tx } from '../db/db.ts';
import type { ConversationSettings } from '../events/log-events.ts';
import { type Append, type Checked, checkThenLock, type Inboxes } from '../inbox/inbox.ts';
import { cancelPushes, withdrawPush } from '../push/decide/pending.ts';
import { DISCLOSURE, type DisclosureRow, disclose, type Marks } from './disclosed-marks.ts';
import { SETTINGS, type SettingsRow, toSettings } from './keeping/conversation-settings.ts';
import type { MarkBody } from './schemas.ts';
import type { Caller } from './sending.ts';

interface MarkRow extends Marks, SettingsRow {
  readonly n: number;
}

/** What a mark changes: the marks, or only that the conversation was marked as unread. */
interface Rise extends Marks {
  readonly isHigher: boolean;
  /** Up to this number the user has deleted the messages for themselves. */
  readonly clearedN: number;
  /** The conversation as it is kept afterwards, where that changes. */
  readonly kept: ConversationSettings | undefined;
}

/**
 * Marks the conversation with `peer` as read up to `read`, or up to its last message if that is less. The user's other devices
 * are notified, and so is the peer of what they may know ({@link disclose}). Any mark ends that the conversation was marked as unread;
 * apart from that, one that is not higher than the stored one changes nothing.
 *
 * @returns the caller's marks afterwards
 * @throws {ServiceError} `not-found` for an unknown user; `unauthenticated` when the session ended meanwhile
 */
export async function markRead(
  inboxes: Inboxes,
  caller: Caller,
  { peer, read }: MarkBody,
  now: number,
): Promise<Marks> {
  const { userId } = caller;
  const check = (db: Queries) => findRise(db, caller, { peer, read }, now);
  return checkThenLock(inboxes, [userId, peer], now, check, async (tx, append, rise) => {
    const { isHigher, clearedN, kept, ...marks } = rise;
    if (isHigher) await raiseMarks(tx, append, marks, clearedN);
    if (kept) {
      await tx.run`
        update conversation_settings set marked_unread = 0 where user_id = ${userId} and peer_id = ${peer}`;
      await append(userId, 'conversation', { peer, ...kept });
    }
    return marks;
  });

  async function raiseMarks(tx: Tx, append: Append, marks: Marks, clearedN: number): Promise<void> {
    const [unread, row] = await Promise.all([
      countUnread(tx, userId, peer, Math.max(marks.read, clearedN)),
      tx.get<DisclosureRow>`
        select ${DISCLOSURE} from conversations where user_id = ${userId} and peer_id = ${peer}`,
    ]);
    if (!row) throw new Error('the conversation of a mark is missing');
    const { disclosed, isNews } = disclose(marks, row);
    await tx.run`
      update conversations set received = ${marks.received}, read = ${marks.read}, unread = ${unread},
        disclosed_received = ${disclosed.received}, disclosed_read = ${disclosed.read}
      where user_id = ${userId} and peer_id = ${peer}`;
    if (unread === 0)
      await cancelPushes(tx, { userId, peerId: peer, outcome: 'seen', device: caller.device ?? '', now });
    await append(userId, 'marked', { peer, by: userId, ...marks });
    if (isNews) await append(peer, 'marked', { peer: userId, by: userId, ...disclosed });
  }
}

/** The marks to be written, or the stored ones where `read` is not higher. */
async function findRise(
  db: Queries,
  caller: Caller,
  { peer, read }: MarkBody,
  now: number,
): Promise<Checked<Marks, Rise>> {
  const [row] = await Promise.all([
    db.get<MarkRow>`
      select conversations.n, conversations.received, conversations.read, ${SETTINGS}
      from conversations left join conversation_settings kept
        on kept.user_id = conversations.user_id and kept.peer_id = conversations.peer_id
      where conversations.user_id = ${caller.userId} and conversations.peer_id = ${peer}`,
    assertSessionActive(db, caller.sessionId),
  ]);
  if (!row) return { answer: { received: 0, read: 0 } };
  const upTo = Math.min(read, row.n);
  const isHigher = upTo > row.read;
  const marks = isHigher
    ? { received: Math.max(row.received, upTo), read: upTo }
    : { received: row.received, read: row.read };
  if (!isHigher && !row.marked_unread) return { answer: marks };
  const kept = row.marked_unread ? toSettings({ ...row, marked_unread: 0 }, row.n, now) : undefined;
  return { change: { ...marks, isHigher, clearedN: row.cleared_n, kept } };
}

/**
 * How many messages of the peer are unread, without those that were unsent.
 *
 * @param after the number up to which the user has read, or deleted for themselves: the greater one. Nothing below it is read here
 */
export async function countUnread(tx: Tx, userId: string, peer: string, after: number): Promise<number> {
  const [low, high] = userId < peer ? [userId, peer] : [peer, userId];
  const row = await tx.get<{ unread: number }>`
    select count(*) as unread from messages
    where low_id = ${low} and high_id = ${high} and n > ${after} and sender_id = ${peer} and unsent_at is null`;
  return row?.unread ?? 0;
}

/** Takes an unsent message out of the unread count and the pending push of its recipient, if they have not read or deleted it. */
export async function forgetUnread(
  tx: Tx,
  { userId, peerId }: { userId: string; peerId: string },
  n: number,
  now: number,
): Promise<void> {
  const side = await tx.get<{ unread: number }>`
    update conversations set unread = unread - 1
    where user_id = ${userId} and peer_id = ${peerId} and unread > 0 and read < ${n}
      and coalesce((select cleared_n from conversation_settings where user_id = ${userId} and peer_id = ${peerId}), 0) < ${n}
    returning unread`;
  if (!side) return;
  const later = await countUnread(tx, userId, peerId, n);
  await withdrawPush(tx, { userId, peerId, later, unread: side.unread, now });
}
