import type { Db, Queries } from '../db/db.ts';
import { asTable } from '../db/fragments.ts';
import type { LogEvent } from '../events/log-events.ts';
import { appendEvents, CLOSED, lockFreeInboxes } from '../inbox/locked-inboxes.ts';
import { DISCLOSURE, type DisclosureRow, disclose, type Marks } from './disclosed-marks.ts';
import type { Receipts } from './read-receipts.ts';

/** One side of a conversation, read behind the locks. */
interface FactsRow extends DisclosureRow, Marks {
  readonly user_id: string;
  readonly peer_id: string;
}

/** How far a user received messages of a peer, and the part of the user's marks that the peer sees. */
interface Mark {
  readonly user_id: string;
  readonly peer_id: string;
  readonly received: number;
  readonly disclosed_received: number;
  readonly disclosed_read: number;
}

interface JudgedReceipts {
  /** The marks that rise. */
  readonly marks: Mark[];
  /** For both sides, numbered from the heads on. */
  readonly events: { readonly userId: string; readonly event: LogEvent<'marked'> }[];
  /** Up to which event users are settled, for those of whose receipts none is left. */
  readonly settled: Map<string, number>;
  /** Users whose inbox, or that of one of their peers, is not locked: the rest of their receipts has to wait. */
  readonly held: Set<string>;
}

const PAIRS = { user_id: 'text', peer_id: 'text' } as const;
const MARKS = {
  user_id: 'text',
  peer_id: 'text',
  received: 'bigint',
  disclosed_received: 'bigint',
  disclosed_read: 'bigint',
} as const;

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
  return db.twoFlights(
    (tx) => Promise.all([lockFreeInboxes(tx, userIds), readFacts(tx, pairs)]),
    (tx, [heads, facts]) => {
      const judged = judgeReceipts(batch, facts, heads, now);
      write(tx, judged);
      return judged;
    },
  );
}

function readFacts(tx: Queries, pairs: { user_id: string; peer_id: string }[]): Promise<FactsRow[]> {
  return tx.all<FactsRow>`
    select wanted.user_id, wanted.peer_id, conversations.received, conversations.read, ${DISCLOSURE}
    from ${asTable(PAIRS, pairs)} as wanted
    join conversations on conversations.user_id = wanted.user_id and conversations.peer_id = wanted.peer_id`;
}

/**
 * Decides which marks rise: those of unlocked conversations that are lower than what was received. The user's devices are notified, and
 * the peer of what they may know ({@link disclose}).
 *
 * @param rows none where the two have no conversation
 * @param heads the number of the last event of each locked inbox
 */
function judgeReceipts(
  batch: readonly Receipts[],
  rows: readonly FactsRow[],
  heads: ReadonlyMap<string, number>,
  now: number,
): JudgedReceipts {
  const judged: JudgedReceipts = { marks: [], events: [], settled: new Map(), held: new Set() };
  const { marks, events, settled, held } = judged;
  const pairOf = (userId: string, peer: string) => `${userId} ${peer}`;
  const facts = new Map(rows.map((row) => [pairOf(row.user_id, row.peer_id), row]));
  const lastSeqs = new Map(heads);
  const append = (userId: string, data: LogEvent<'marked'>['data']) => {
    const seq = (lastSeqs.get(userId) ?? 0) + 1;
    lastSeqs.set(userId, seq);
    events.push({ userId, event: { seq, at: now, event: 'marked', data } });
  };
  for (const { userId, peers, settles } of batch) {
    for (const [peer, n] of peers) {
      if (!heads.has(userId) || !heads.has(peer)) {
        held.add(userId);
        continue;
      }
      if (heads.get(userId) === CLOSED) continue;
      const known = facts.get(pairOf(userId, peer));
      if (!known || known.received >= n) continue;
      const risen = { received: n, read: known.read };
      const { disclosed, isNews } = disclose(risen, known);
      marks.push({
        ...{ user_id: userId, peer_id: peer, received: n },
        ...{ disclosed_received: disclosed.received, disclosed_read: disclosed.read },
      });
      append(userId, { peer, by: userId, ...risen });
      if (isNews && heads.get(peer) !== CLOSED) append(peer, { peer: userId, by: userId, ...disclosed });
    }
    if (!heads.has(userId)) held.add(userId);
    // A failover can have lost events that a device acknowledged.
    if (settles > 0 && !held.has(userId)) settled.set(userId, Math.min(settles, heads.get(userId) ?? 0));
  }
  return judged;
}

function write(tx: Queries, { marks, events, settled }: JudgedReceipts): void {
  // Each row is there. SQLite needs twice as long for `update .. from`.
  if (marks.length > 0)
    void tx.run`
      insert into conversations ${asTable(MARKS, marks)}
      on conflict (user_id, peer_id) do update set received = excluded.received,
        disclosed_received = excluded.disclosed_received, disclosed_read = excluded.disclosed_read`;
  appendEvents(tx, events, settled);
}
