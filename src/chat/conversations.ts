import type { Queries } from '../db/db.ts';
import { type Conversation, type MessageRow, toMessage } from './schemas.ts';

interface ConversationRow extends MessageRow {
  peer_id: string;
  unread: number;
  own_read: number;
  peer_received: number | null;
  peer_read: number | null;
  blocked: number;
}

/**
 * The user's conversations with their last message, the latest first. `received` and `read` are how far the peer is, but for
 * what he took and read while one of the two blocked the other. Unread counts leave out whom the user blocks (DESIGN 4, the
 * block promise).
 */
export async function listConversations(db: Queries, userId: string): Promise<Conversation[]> {
  const rows = await db.all<ConversationRow>`
    select mine.peer_id, mine.unread, mine.read as own_read,
      theirs.told_received as peer_received, theirs.told_read as peer_read,
      messages.n, messages.sender_id, messages.cid, messages.body, messages.at,
      (select count(*) from blocks where blocker_id = mine.user_id and blocked_id = mine.peer_id) as blocked
    from conversations mine
    join messages on messages.low_id = case when mine.user_id < mine.peer_id then mine.user_id else mine.peer_id end
      and messages.high_id = case when mine.user_id < mine.peer_id then mine.peer_id else mine.user_id end
      and messages.n = mine.n
    left join conversations theirs on theirs.user_id = mine.peer_id and theirs.peer_id = mine.user_id
    where mine.user_id = ${userId} order by mine.last_at desc, mine.peer_id`;
  return rows.map((row) => ({
    peer: row.peer_id,
    last: toMessage(row),
    unread: row.blocked > 0 ? 0 : row.unread,
    received: row.peer_received ?? 0,
    read: row.peer_read ?? 0,
    ownRead: row.own_read,
  }));
}
