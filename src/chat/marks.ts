import { assertSessionActive } from '../accounts/session-lookup.ts';
import type { Queries, Tx } from '../db/db.ts';
import { type Checked, checkThenLock, type Inboxes } from '../inbox/inbox.ts';
import { cancelPushes } from '../push/decide/pending.ts';
import { DISCLOSURE, type DisclosureRow, disclose, type Marks } from './disclosed-marks.ts';
import type { MarkBody } from './schemas.ts';

interface MarkRow extends Marks {
  readonly n: number;
}

/**
 * Marks the conversation with `peer` as read up to `read`, or up to its last message if that is less. The user's other devices
 * are notified, and so is the peer of what they may know ({@link disclose}). A mark that is not higher than the stored one changes
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
  const check = (db: Queries) => findRise(db, caller, { peer, read });
  return checkThenLock(inboxes, [userId, peer], now, check, async (tx, append, marks) => {
    const [unread, row] = await Promise.all([
      countUnread(tx, userId, peer, marks.read),
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
    return marks;
  });
}

/** The marks to be written, or the stored ones where `read` is not higher. */
async function findRise(
  db: Queries,
  caller: { userId: string; sessionId: string },
  { peer, read }: MarkBody,
): Promise<Checked<Marks, Marks>> {
  const [row] = await Promise.all([
    db.get<MarkRow>`
      select n, received, read from conversations where user_id = ${caller.userId} and peer_id = ${peer}`,
    assertSessionActive(db, caller.sessionId),
  ]);
  const { n, ...stored } = row ?? { n: 0, received: 0, read: 0 };
  const upTo = Math.min(read, n);
  if (upTo <= stored.read) return { answer: { received: stored.received, read: stored.read } };
  return { change: { received: Math.max(stored.received, upTo), read: upTo } };
}

async function countUnread(tx: Tx, userId: string, peer: string, read: number): Promise<number> {
  const [low, high] = userId < peer ? [userId, peer] : [peer, userId];
  const row = await tx.get<{ unread: number }>`
    select count(*) as unread from messages
    where low_id = ${low} and high_id = ${high} and n > ${read} and sender_id = ${peer}`;
  return row?.unread ?? 0;
}
