import { assertSessionActive } from '../accounts/session-lookup.ts';
import type { Queries, Tx } from '../db/db.ts';
import { ServiceError } from '../errors.ts';
import { type Inboxes, withInboxes } from '../inbox/inbox.ts';
import { enqueuePush } from '../push/queue/pending.ts';
import { refuseIfBlocked } from '../relations/blocks.ts';
import {
  type HistoryFields,
  type HistoryPage,
  type MessageRow,
  type SendBody,
  type Stored,
  toMessage,
} from './schemas.ts';
import { answerRepeat, findByCid } from './stored-cids.ts';

const HISTORY_LIMIT = 50;

interface Sender {
  readonly userId: string;
  readonly sessionId: string;
}

/**
 * Stores a message in both users' inboxes and in their history, durably, and only once per (sender, `cid`) however often it is
 * sent. Blocks are read after both inboxes are locked, so a block that was answered before is respected. A stored `cid` is
 * looked up before anything about the recipient is checked: a repeat gets its stored answer even after a block, or when the
 * recipient's account is closed.
 *
 * @param now epoch milliseconds, becomes `at`, unless the conversation's last message is later: times never run backwards
 *   within a conversation, whatever the clock does
 * @throws {ServiceError} in this order: `unauthenticated` when the session ended meanwhile; `invalid`, word `cid_used`, when
 *   the `cid` is stored for another recipient or with another body; `invalid` for oneself; `not-found` for an unknown user;
 *   `forbidden`, word `unblock_first` when the sender blocks the recipient, `not_accepting` when the recipient blocks the
 *   sender or their account is closed
 */
export async function sendMessage(
  inboxes: Inboxes,
  sender: Sender,
  message: SendBody,
  now: number,
): Promise<Stored> {
  try {
    return await storeOnce(inboxes, sender, message, now);
  } catch (error) {
    if (!(error instanceof CidTaken)) throw error;
    return storeOnce(inboxes, sender, message, now);
  }
}

/**
 * The `cid` was stored after it was looked up, by a writer without the lock of the sender's inbox: none of ours, but the database is open
 * to others. The next lookup finds it.
 */
class CidTaken extends Error {}

async function storeOnce(inboxes: Inboxes, sender: Sender, message: SendBody, now: number): Promise<Stored> {
  const from = sender.userId;
  const { to, cid, body } = message;
  return withInboxes(
    inboxes,
    [from, to],
    now,
    async (tx, append) => {
      const [known, conversation, blocked] = await Promise.all([
        findByCid(tx, from, cid),
        tx.get<{ n: number; last_at: number }>`
          select n, last_at from conversations where user_id = ${from} and peer_id = ${to}`,
        refuseIfBlocked(tx, from, to).catch((error: unknown) => ({ error })),
        assertSessionActive(tx, sender.sessionId),
      ]);
      if (known) return answerRepeat(known, message);
      if (to === from) throw new ServiceError('invalid', 'message_self', '不能给自己发消息');
      await append.refuseUnknownUsers();
      if (blocked) throw blocked.error;
      const n = (conversation?.n ?? 0) + 1;
      const at = Math.max(conversation?.last_at ?? 0, now);
      const [low, high] = from < to ? [from, to] : [to, from];
      const [inserted] = await Promise.all([
        tx.run`
          insert into messages (low_id, high_id, n, sender_id, cid, body, at)
          values (${low}, ${high}, ${n}, ${from}, ${cid}, ${body}, ${at})
          on conflict (sender_id, cid) do nothing`,
        advance(tx, from, to, n, at, 0),
        advance(tx, to, from, n, at, 1),
        append(from, 'message', { peer: to, n, from, cid, body }, at),
        append(to, 'message', { peer: from, n, from, cid, body }, at),
        enqueuePush(tx, { userId: to, peerId: from, seq: append.seqOf(to), now }),
      ]);
      if (inserted === 0) throw new CidTaken();
      return { peer: to, n, at, duplicate: false };
    },
    { bodyFirst: true },
  );
}

/** Moves one side of the conversation to the new message. The sender's own message does not count as unread for them. */
async function advance(
  tx: Tx,
  userId: string,
  peerId: string,
  n: number,
  at: number,
  unread: 0 | 1,
): Promise<void> {
  await tx.run`
    insert into conversations (user_id, peer_id, n, last_at, unread) values (${userId}, ${peerId}, ${n}, ${at}, ${unread})
    on conflict (user_id, peer_id) do update set
      n = excluded.n, last_at = excluded.last_at, unread = conversations.unread + excluded.unread`;
}

/**
 * A page of the conversation with `peer`, oldest first: its last messages, those before `before`, or those after `after`.
 * Both users can read it while one blocks the other.
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
