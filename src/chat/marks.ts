import { refuseEndedSession } from '../accounts/session-lookup.ts';
import { findBlock } from '../blocks/blocks.ts';
import type { Db, Queries, Tx } from '../db/db.ts';
import { type Inboxes, withInboxes } from '../inbox/inbox.ts';
import { noteRead } from '../push/due.ts';
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
 * Marks the conversation with `peer` as read up to `read`, or up to its last message if that is less (DESIGN 5). The user's
 * other devices and the peer learn it; the peer does not while one of the two blocks the other. A mark that is not
 * higher than the one that stands changes nothing.
 *
 * @returns the caller's marks as they stand
 * @throws {ServiceError} `not-found` for an unknown user; `unauthenticated` when the session ended meanwhile
 */
export async function markRead(
  inboxes: Inboxes,
  caller: { userId: string; sessionId: string },
  { peer, read }: MarkBody,
  now: number,
): Promise<Marks> {
  return raiseMarks(inboxes, caller.userId, peer, now, async (tx, row) => {
    await refuseEndedSession(tx, caller.sessionId);
    const upTo = Math.min(read, row.n);
    return { received: Math.max(row.received, upTo), read: Math.max(row.read, upTo) };
  });
}

/** Marks the conversation as received up to `received` by some device of the user. */
export async function markReceived(
  inboxes: Inboxes,
  userId: string,
  peer: string,
  received: number,
  now: number,
): Promise<Marks> {
  return raiseMarks(inboxes, userId, peer, now, async (_tx, row) => ({
    received: Math.max(row.received, Math.min(received, row.n)),
    read: row.read,
  }));
}

async function raiseMarks(
  inboxes: Inboxes,
  userId: string,
  peer: string,
  now: number,
  decide: (tx: Tx, row: MarkRow) => Promise<Marks>,
): Promise<Marks> {
  // Whether the peer hears of it must be known before the locks are taken; it is asked again behind them.
  const isHeard = !(await areApart(inboxes.db, userId, peer));
  const locked = isHeard ? [userId, peer] : [userId];
  return withInboxes(inboxes, locked, now, async (tx, append) => {
    const row = await tx.get<MarkRow>`
      select n, received, read from conversations where user_id = ${userId} and peer_id = ${peer}`;
    const kept = row ?? { n: 0, received: 0, read: 0 };
    const { received, read } = await decide(tx, kept);
    if (received === kept.received && read === kept.read) return { received, read };
    if (isHeard && (await areApart(tx, userId, peer))) throw new PeersParted();
    const unread = read > kept.read ? await countUnread(tx, userId, peer, read) : undefined;
    if (unread === undefined)
      await tx.run`update conversations set received = ${received} where user_id = ${userId} and peer_id = ${peer}`;
    else
      await tx.run`
        update conversations set received = ${received}, read = ${read}, unread = ${unread}
        where user_id = ${userId} and peer_id = ${peer}`;
    if (unread === 0) await noteRead(tx, userId, peer);
    await append(userId, 'marked', { peer, by: userId, received, read });
    if (isHeard) await append(peer, 'marked', { peer: userId, by: userId, received, read });
    return { received, read };
  }).catch((error) => {
    if (error instanceof PeersParted) return raiseMarks(inboxes, userId, peer, now, decide);
    throw error;
  });
}

/** A block came between the question and the locks: the mark is tried again without the peer. */
class PeersParted extends Error {}

async function areApart(db: Queries, userId: string, peer: string): Promise<boolean> {
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

/** What the user's devices received by acknowledging the log up to `seq`: for each peer the last message of his. */
export async function receivedUpTo(
  db: Db,
  userId: string,
  fromSeq: number,
  seq: number,
): Promise<Map<string, number>> {
  const rows = await db.all<{ data: string }>`
    select data from inbox where user_id = ${userId} and seq > ${fromSeq} and seq <= ${seq} and event = 'message'`;
  const received = new Map<string, number>();
  for (const row of rows) {
    const { peer, from, n } = JSON.parse(row.data) as { peer: string; from: string; n: number }; // written by sendMessage alone
    if (from === peer) received.set(peer, Math.max(n, received.get(peer) ?? 0));
  }
  return received;
}
