import type { Db, Queries } from '../db/db.ts';
import { asTable } from '../db/fragments.ts';
import { appendOneByOne, appendTogether, lockFreeInboxes } from '../inbox/locked-inboxes.ts';
import {
  type JudgedReceipts,
  judgeReceipts,
  type MarkFacts,
  pairOf,
  type Receipts,
} from './judge-receipts.ts';

interface FactsRow extends MarkFacts {
  readonly user_id: string;
  readonly peer_id: string;
}

const PAIRS = { user_id: 'text', peer_id: 'text' } as const;
const MARKS = { user_id: 'text', peer_id: 'text', received: 'bigint', is_disclosed: 'bigint' } as const;

/**
 * Raises the marks of a batch in one transaction. The inboxes of all users and peers are locked before marks and blocks are read:
 * a block that was answered before is respected.
 *
 * @param now epoch milliseconds, the time of the events
 */
export async function settleReceipts(
  db: Db,
  batch: readonly Receipts[],
  now: number,
): Promise<JudgedReceipts> {
  const pairs = batch.flatMap(({ userId, peers }) =>
    peers.map(([peer]) => ({ user_id: userId, peer_id: peer })),
  );
  const userIds = [...new Set([...batch.map(({ userId }) => userId), ...pairs.map((pair) => pair.peer_id)])];
  const judge = (heads: ReadonlyMap<string, number>, rows: readonly FactsRow[]) => {
    const facts = new Map(rows.map((row) => [pairOf(row.user_id, row.peer_id), row]));
    return judgeReceipts(batch, facts, heads, now);
  };
  if (db.twoFlights)
    return db.twoFlights(
      (tx) => Promise.all([lockFreeInboxes(tx, userIds), readTogether(tx, pairs)]),
      (tx, [heads, rows]) => {
        const judged = judge(heads, rows);
        writeTogether(tx, judged);
        return judged;
      },
    );
  return db.transaction(async (tx) => {
    const heads = await lockFreeInboxes(tx, userIds);
    const rows = await Promise.all(pairs.map((pair) => readOne(tx, pair)));
    const judged = judge(
      heads,
      rows.filter((row) => row !== undefined),
    );
    await writeOneByOne(tx, judged);
    return judged;
  });
}

function readTogether(tx: Queries, pairs: { user_id: string; peer_id: string }[]): Promise<FactsRow[]> {
  return tx.all<FactsRow>`
    select wanted.user_id, wanted.peer_id, conversations.received, conversations.read,
      coalesce((select 1 from blocks where blocker_id = wanted.user_id and blocked_id = wanted.peer_id),
        (select 1 from blocks where blocker_id = wanted.peer_id and blocked_id = wanted.user_id), 0) as is_blocked
    from ${asTable(PAIRS, pairs)} as wanted
    join conversations on conversations.user_id = wanted.user_id and conversations.peer_id = wanted.peer_id`;
}

/** Sends everything before it returns; the transaction reports the first failure. */
function writeTogether(tx: Queries, { marks, events, heads }: JudgedReceipts): void {
  if (marks.length > 0)
    void tx.run`
      update conversations set received = marks.received,
        disclosed_received =
          case when marks.is_disclosed = 1 then marks.received else conversations.disclosed_received end,
        disclosed_read =
          case when marks.is_disclosed = 1 then conversations.read else conversations.disclosed_read end
      from ${asTable(MARKS, marks)} as marks
      where conversations.user_id = marks.user_id and conversations.peer_id = marks.peer_id`;
  if (heads.length > 0) void appendTogether(tx, events, heads).catch(() => {});
}

function readOne(
  tx: Queries,
  { user_id, peer_id }: { user_id: string; peer_id: string },
): Promise<FactsRow | undefined> {
  return tx.get<FactsRow>`
    select user_id, peer_id, received, read,
      exists (select 1 from blocks where blocker_id = ${user_id} and blocked_id = ${peer_id})
        or exists (select 1 from blocks where blocker_id = ${peer_id} and blocked_id = ${user_id}) as is_blocked
    from conversations where user_id = ${user_id} and peer_id = ${peer_id}`;
}

async function writeOneByOne(tx: Queries, { marks, events, heads }: JudgedReceipts): Promise<void> {
  await Promise.all([
    ...marks.map(({ user_id, peer_id, received, is_disclosed }) =>
      is_disclosed
        ? tx.run`
            update conversations set received = ${received}, disclosed_received = ${received}, disclosed_read = read
            where user_id = ${user_id} and peer_id = ${peer_id}`
        : tx.run`
            update conversations set received = ${received} where user_id = ${user_id} and peer_id = ${peer_id}`,
    ),
    appendOneByOne(tx, events, heads),
  ]);
}
