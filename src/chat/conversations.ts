import type { Db, Queries } from '../db/db.ts';
import { inList } from '../db/fragments.ts';
import { cutPage, PAGE_ENTRIES, type PageRequest, type Place, readPlace } from '../http/pages.ts';
import { readHead } from '../inbox/inbox.ts';
import {
  type Conversation,
  type ConversationPage,
  type MessageRow,
  type PersonName,
  toMessage,
} from './schemas.ts';

interface ConversationRow extends MessageRow {
  peer_id: string;
  unread: number;
  own_read: number;
  peer_received: number | null;
  peer_read: number | null;
  blocked: number;
}

/** A page of the conversations, or only the one with `peer`. */
interface ConversationsRequest extends PageRequest {
  readonly peer?: string;
}

/**
 * A page of the user's conversations with their last message, the latest first, with the names of the peers, as of `seq` of
 * the user's log.
 *
 * @throws {ServiceError} `invalid`, word `bad_cursor`
 */
export async function listConversations(
  db: Db,
  userId: string,
  request: ConversationsRequest,
): Promise<ConversationPage & { seq: number }> {
  return db.snapshot(async (snapshot) => ({
    ...(await readConversations(snapshot, userId, request)),
    seq: await readHead(snapshot, userId),
  }));
}

/** The same as part of a larger snapshot. */
export async function readConversations(
  db: Queries,
  userId: string,
  { peer, limit = PAGE_ENTRIES, after }: ConversationsRequest,
): Promise<ConversationPage> {
  const peers = peer === undefined ? await readPeers(db, userId, limit + 1, after) : [{ id: peer, at: 0 }];
  const { rows: page, next } = cutPage(peers, limit, (one) => one);
  const ids = inList(page.map((one) => one.id));
  const [rows, people] = await Promise.all([
    db.all<ConversationRow>`
      select mine.peer_id, mine.unread, mine.read as own_read,
        theirs.disclosed_received as peer_received, theirs.disclosed_read as peer_read,
        messages.n, messages.sender_id, messages.cid, messages.body, messages.at,
        (select count(*) from blocks where blocker_id = mine.user_id and blocked_id = mine.peer_id) as blocked
      from conversations mine
      join messages on messages.low_id = case when mine.user_id < mine.peer_id then mine.user_id else mine.peer_id end
        and messages.high_id = case when mine.user_id < mine.peer_id then mine.peer_id else mine.user_id end
        and messages.n = mine.n
      left join conversations theirs on theirs.user_id = mine.peer_id and theirs.peer_id = mine.user_id
      where mine.user_id = ${userId} and mine.peer_id in ${ids}
      order by mine.last_at desc, mine.peer_id desc`,
    db.all<PersonName>`
      select id, username, nickname, avatar from users
      where id in ${ids} and status <> 'deleted' and exists (
        select 1 from conversations where user_id = ${userId} and peer_id = users.id)
      order by id`,
  ]);
  return { items: rows.map(toConversation), people, ...(next !== undefined && { next }) };
}

const HOUR_MS = 60 * 60 * 1000;

/** The value of `conversations.last_hour`. The index by it changes once an hour at most, not with each message. */
export function hourOf(at: number): number {
  return Math.floor(at / HOUR_MS);
}

/** Ordered by `last_at`, in the order of an index by hours, within which the database sorts. */
function readPeers(db: Queries, userId: string, count: number, after?: string): Promise<Place[]> {
  const place = readPlace(after);
  return db.all<Place>`
    select peer_id as id, last_at as at from conversations
    where user_id = ${userId} and last_hour <= ${hourOf(place.at)} and (last_at, peer_id) < (${place.at}, ${place.id})
    order by last_hour desc, last_at desc, peer_id desc limit ${count}`;
}

/** `received` and `read` do not rise during a block. The unread messages of a blocked peer are not counted. */
function toConversation(row: ConversationRow): Conversation {
  return {
    peer: row.peer_id,
    last: toMessage(row),
    unread: row.blocked > 0 ? 0 : row.unread,
    received: row.peer_received ?? 0,
    read: row.peer_read ?? 0,
    ownRead: row.own_read,
  };
}
