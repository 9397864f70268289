import { refuseEndedSession } from '../accounts/session-lookup.ts';
import { refuseIfBlocked } from '../blocks/blocks.ts';
import type { Queries, Tx } from '../db/db.ts';
import { ServiceError } from '../errors.ts';
import { type Inboxes, withInboxes } from '../inbox/inbox.ts';
import { notePushDue } from '../push/due.ts';
import {
  type HistoryFields,
  type HistoryPage,
  type MessageRow,
  type SendBody,
  type Stored,
  toMessage,
} from './schemas.ts';

const HISTORY_LIMIT = 50;

interface Sender {
  readonly userId: string;
  readonly sessionId: string;
}

/**
 * Stores a message in both people's inboxes and in their history, durably, once per (sender, `cid`) however often it is
 * sent (DESIGN 5). What is asked is asked behind the locks, so a block that was answered before holds.
 *
 * @param now epoch milliseconds, becomes `at`
 * @throws {ServiceError} `invalid` for oneself; `not-found` for an unknown user; `forbidden`, word `unblock_first` when
 *   the sender blocks the recipient, `not_accepting` when the recipient blocks the sender or his account is closed;
 *   `unauthenticated` when the session ended meanwhile
 */
export async function sendMessage(
  inboxes: Inboxes,
  sender: Sender,
  { to, cid, body }: SendBody,
  now: number,
): Promise<Stored> {
  const from = sender.userId;
  if (to === from) throw new ServiceError('invalid', 'message_self', '不能给自己发消息');
  return withInboxes(inboxes, [from, to], now, async (tx, append) => {
    const [known, conversation] = await Promise.all([
      findByCid(tx, from, cid),
      tx.get<{ n: number }>`select n from conversations where user_id = ${from} and peer_id = ${to}`,
      refuseEndedSession(tx, sender.sessionId),
      refuseIfBlocked(tx, from, to),
    ]);
    if (known) return { peer: known.peer, n: known.n, at: known.at, duplicate: true };
    const n = (conversation?.n ?? 0) + 1;
    const [low, high] = from < to ? [from, to] : [to, from];
    await Promise.all([
      tx.run`
        insert into messages (low_id, high_id, n, sender_id, cid, body, at)
        values (${low}, ${high}, ${n}, ${from}, ${cid}, ${body}, ${now})`,
      advance(tx, from, to, n, now, 0),
      advance(tx, to, from, n, now, 1),
      append(from, 'message', { peer: to, n, from, cid, body }),
      append(to, 'message', { peer: from, n, from, cid, body }),
      notePushDue(tx, { userId: to, peerId: from, seq: append.seqOf(to), now }),
    ]);
    return { peer: to, n, at: now, duplicate: false };
  });
}

/** The sender's own message counts as read by him. */
async function advance(
  tx: Tx,
  userId: string,
  peerId: string,
  n: number,
  now: number,
  unread: 0 | 1,
): Promise<void> {
  await tx.run`
    insert into conversations (user_id, peer_id, n, last_at, unread) values (${userId}, ${peerId}, ${n}, ${now}, ${unread})
    on conflict (user_id, peer_id) do update set
      n = excluded.n, last_at = excluded.last_at, unread = conversations.unread + excluded.unread`;
}

async function findByCid(
  tx: Queries,
  from: string,
  cid: string,
): Promise<{ peer: string; n: number; at: number } | undefined> {
  const row = await tx.get<{ low_id: string; high_id: string; n: number; at: number }>`
    select low_id, high_id, n, at from messages where sender_id = ${from} and cid = ${cid}`;
  return row && { peer: row.low_id === from ? row.high_id : row.low_id, n: row.n, at: row.at };
}

/**
 * A page of the conversation with `peer`, oldest first: the last ones, those before `before`, or those after `after`.
 * It stays readable to both while one blocks the other.
 */
export async function readHistory(
  db: Queries,
  userId: string,
  { peer, before, after, limit = HISTORY_LIMIT }: HistoryFields,
): Promise<HistoryPage> {
  const [low, high] = userId < peer ? [userId, peer] : [peer, userId];
  const rows =
    after === undefined
      ? await db.all<MessageRow>`
          select n, sender_id, cid, body, at from messages
          where low_id = ${low} and high_id = ${high} and n < ${before ?? Number.MAX_SAFE_INTEGER} order by n desc limit ${limit + 1}`
      : await db.all<MessageRow>`
          select n, sender_id, cid, body, at from messages
          where low_id = ${low} and high_id = ${high} and n > ${after} order by n limit ${limit + 1}`;
  const items = rows.slice(0, limit).map(toMessage);
  return { items: after === undefined ? items.reverse() : items, more: rows.length > limit };
}
