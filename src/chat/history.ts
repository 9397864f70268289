import type { Db, Queries } from '../db/db.ts';
import { asTable } from '../db/fragments.ts';
import { MESSAGE_COLUMNS, type MessageRow, toMessage } from '../inbox/stored-messages.ts';
import type { HistoryFields, HistoryPage } from './schemas.ts';

const HISTORY_LIMIT = 50;
const NUMBERS = { n: 'bigint' } as const;

/**
 * A page of the conversation with `peer`, oldest first: its last messages, those before `before`, or those after `after`, without those
 * that the user has deleted for themselves. `revision` and `clearedN` are of the same moment. Both users can read it while one blocks the other.
 */
export async function readHistory(
  db: Db,
  userId: string,
  { peer, before, after, limit = HISTORY_LIMIT }: HistoryFields,
): Promise<HistoryPage> {
  const [low, high] = userId < peer ? [userId, peer] : [peer, userId];
  return db.snapshot(async (snapshot) => {
    const side = await snapshot.get<{ revision: number; clearedN: number }>`
      select conversations.revision, coalesce(kept.cleared_n, 0) as "clearedN"
      from conversations left join conversation_settings kept
        on kept.user_id = conversations.user_id and kept.peer_id = conversations.peer_id
      where conversations.user_id = ${userId} and conversations.peer_id = ${peer}`;
    const { revision, clearedN } = side ?? { revision: 0, clearedN: 0 };
    // The range begins behind what was deleted, so that a long deleted part is not read.
    const rows =
      after === undefined
        ? await snapshot.all<MessageRow>`
          select ${MESSAGE_COLUMNS} from messages
          where low_id = ${low} and high_id = ${high} and n > ${clearedN} and n < ${before ?? Number.MAX_SAFE_INTEGER}
          order by n desc limit ${limit + 1}`
        : await readFollowing(snapshot, [low, high], Math.max(after, clearedN), limit + 1);
    const page = rows.slice(0, limit);
    if (after === undefined) page.reverse();
    const quoted = await readQuoted(snapshot, low, high, page, clearedN);
    const toItem = (row: MessageRow) => toMessage(row, low, high);
    return {
      items: page.map(toItem),
      more: rows.length > limit,
      quoted: quoted.map(toItem),
      revision,
      clearedN,
    };
  });
}

/** The next messages of two users behind number `after`, oldest first, also those that one of them has deleted for themselves. */
export function readFollowing(
  db: Queries,
  [one, other]: readonly [string, string],
  after: number,
  limit: number,
): Promise<MessageRow[]> {
  const [low, high] = one < other ? [one, other] : [other, one];
  return db.all<MessageRow>`
    select ${MESSAGE_COLUMNS} from messages
    where low_id = ${low} and high_id = ${high} and n > ${after} order by n limit ${limit}`;
}

/** The messages that those of a page answer, without those of the page and those that the reader has deleted. */
async function readQuoted(
  db: Queries,
  low: string,
  high: string,
  page: readonly MessageRow[],
  clearedN: number,
): Promise<MessageRow[]> {
  const present = new Set(page.map(({ n }) => n));
  const missing = new Set(
    page.flatMap(({ reply_to: n }) => (n !== null && n > clearedN && !present.has(n) ? n : [])),
  );
  if (missing.size === 0) return [];
  const rows = await db.all<MessageRow>`
    select ${MESSAGE_COLUMNS} from ${asTable(
      NUMBERS,
      [...missing].map((n) => ({ n })),
    )} as wanted
    join messages on messages.low_id = ${low} and messages.high_id = ${high} and messages.n = wanted.n`;
  return rows.sort((a, b) => a.n - b.n);
}
