import type { Queries } from '../db/db.ts';
import type { HistoryFields, HistoryPage, Message } from './schemas.ts';

const HISTORY_LIMIT = 50;

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
      ? await db.all<Message>`
          select n, sender_id as "from", cid, body, at from messages
          where low_id = ${low} and high_id = ${high} and n < ${before ?? Number.MAX_SAFE_INTEGER} order by n desc limit ${limit + 1}`
      : await db.all<Message>`
          select n, sender_id as "from", cid, body, at from messages
          where low_id = ${low} and high_id = ${high} and n > ${after} order by n limit ${limit + 1}`;
  const items = rows.slice(0, limit);
  return { items: after === undefined ? items.reverse() : items, more: rows.length > limit };
}
