import { assertSessionActive } from '../accounts/session-lookup.ts';
import type { Tx } from '../db/db.ts';
import { type Append, type Inboxes, withInboxes } from '../inbox/inbox.ts';
import { markPushesRead } from '../push/queue/pending.ts';
import { isBlockedEitherWay } from '../relations/blocks.ts';
import type { MarkBody } from './schemas.ts';

/** Up to which message of a conversation a user received and read. Both numbers only rise. */
interface Marks {
  readonly received: number;
  readonly read: number;
}

interface MarkRow extends Marks {
  readonly n: number;
}

/**
 * Marks the conversation with `peer` as read up to `read`, or up to its last message if that is less. The user's other devices
 * are notified, and so is the peer unless one of the two blocks the other. A mark that is not higher than the stored one changes
 * nothing.
 *
 * @returns the caller's marks afterwards
 * @throws {ServiceError} `not-found` for an unknown user; `unauthenticated` when the session ended meanwhile
 */
export async function markRead(
  inboxes: Inboxes,
  caller: { userId: string; sessionId: string; device?: string },
  { peer, read }: MarkBody,
  now: number,
): Promise<Marks> {
  const { userId } = caller;
  return withInboxes(inboxes, [userId, peer], now, async (tx, append) => {
    const [row, isBlocked] = await Promise.all([
      tx.get<MarkRow>`
        select n, received, read from conversations where user_id = ${userId} and peer_id = ${peer}`,
      isBlockedEitherWay(tx, userId, peer),
      assertSessionActive(tx, caller.sessionId),
    ]);
    const stored = row ?? { n: 0, received: 0, read: 0 };
    const upTo = Math.min(read, stored.n);
    const marks = { received: Math.max(stored.received, upTo), read: Math.max(stored.read, upTo) };
    if (marks.read === stored.read) return { received: stored.received, read: stored.read };
    const unread = await countUnread(tx, userId, peer, marks.read);
    await tx.run`
      update conversations set received = ${marks.received}, read = ${marks.read}, unread = ${unread}
      where user_id = ${userId} and peer_id = ${peer}`;
    if (unread === 0) await markPushesRead(tx, { userId, peerId: peer, device: caller.device ?? '', now });
    await append(userId, 'marked', { peer, by: userId, ...marks });
    if (!isBlocked) await notifyPeer(tx, append, userId, peer, marks);
    return marks;
  });
}

/**
 * Discloses the user's marks to the peer: by an event, and in the peer's list of conversations. The caller has locked both
 * inboxes.
 */
async function notifyPeer(
  tx: Tx,
  append: Append,
  userId: string,
  peer: string,
  { received, read }: Marks,
): Promise<void> {
  await Promise.all([
    tx.run`
      update conversations set disclosed_received = ${received}, disclosed_read = ${read}
      where user_id = ${userId} and peer_id = ${peer}`,
    append(peer, 'marked', { peer: userId, by: userId, received, read }),
  ]);
}

async function countUnread(tx: Tx, userId: string, peer: string, read: number): Promise<number> {
  const [low, high] = userId < peer ? [userId, peer] : [peer, userId];
  const row = await tx.get<{ unread: number }>`
    select count(*) as unread from messages
    where low_id = ${low} and high_id = ${high} and n > ${read} and sender_id = ${peer}`;
  return row?.unread ?? 0;
}
