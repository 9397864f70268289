import { assertSessionActive } from '../accounts/session-lookup.ts';
import type { Queries, Tx } from '../db/db.ts';
import { type Append, type Inboxes, withInboxes } from '../inbox/inbox.ts';
import { markPushesRead } from '../push/queue/pending.ts';
import { findBlock } from '../relations/blocks.ts';
import type { MarkBody } from './schemas.ts';

/** How far one person is in a conversation; both only go up. */
export interface Marks {
  readonly received: number;
  readonly read: number;
}

interface MarkRow extends Marks {
  readonly n: number;
}

/**
 * Marks the conversation with `peer` as read up to `read`, or up to its last message if that is less. The user's
 * other devices and the peer learn it; the peer does not while one of the two blocks the other. A mark that is not
 * higher than the one that stands changes nothing.
 *
 * @returns the caller's marks as they stand
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
    const [row, isApart] = await Promise.all([
      tx.get<MarkRow>`
        select n, received, read from conversations where user_id = ${userId} and peer_id = ${peer}`,
      areApart(tx, userId, peer),
      assertSessionActive(tx, caller.sessionId),
    ]);
    const kept = row ?? { n: 0, received: 0, read: 0 };
    const upTo = Math.min(read, kept.n);
    const marks = { received: Math.max(kept.received, upTo), read: Math.max(kept.read, upTo) };
    if (marks.read === kept.read) return { received: kept.received, read: kept.read };
    const unread = await countUnread(tx, userId, peer, marks.read);
    await tx.run`
      update conversations set received = ${marks.received}, read = ${marks.read}, unread = ${unread}
      where user_id = ${userId} and peer_id = ${peer}`;
    if (unread === 0) await markPushesRead(tx, { userId, peerId: peer, device: caller.device ?? '', now });
    await append(userId, 'marked', { peer, by: userId, ...marks });
    if (!isApart) await tellPeer(tx, append, userId, peer, marks);
    return marks;
  });
}

/** Discloses to the peer how far the user is, by an event and in the peer's own reads; behind the locks of both inboxes. */
export async function tellPeer(
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

/** Whether one of the two blocks the other. */
export async function areApart(db: Queries, userId: string, peer: string): Promise<boolean> {
  const [mine, theirs] = await Promise.all([findBlock(db, userId, peer), findBlock(db, peer, userId)]);
  return mine || theirs;
}

async function countUnread(tx: Tx, userId: string, peer: string, read: number): Promise<number> {
  const [low, high] = userId < peer ? [userId, peer] : [peer, userId];
  const row = await tx.get<{ unread: number }>`
    select count(*) as unread from messages
    where low_id = ${low} and high_id = ${high} and n > ${read} and sender_id = ${peer}`;
  return row?.unread ?? 0;
}
