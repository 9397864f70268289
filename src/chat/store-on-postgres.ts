import type { Db, Queries } from '../db/db.ts';
import { asTable } from '../db/fragments.ts';
import { lockFreeInboxes, waitForInbox } from '../inbox/locked-inboxes.ts';
import { appendMessages } from '../inbox/message-events.ts';
import { enqueuePushes } from '../push/queue/pending.ts';
import { hourOf } from './conversations.ts';
import {
  type AcceptedMessage,
  type MessageFacts,
  MessageJudge,
  type SentMessage,
  type Verdict,
} from './judge-messages.ts';

const ASKED = {
  position: 'bigint',
  sender_id: 'text',
  recipient_id: 'text',
  cid: 'text',
  session_id: 'text',
} as const;
const MESSAGES = {
  low_id: 'text',
  high_id: 'text',
  n: 'bigint',
  sender_id: 'text',
  cid: 'text',
  body: 'text',
  at: 'bigint',
} as const;
const CONVERSATIONS = {
  user_id: 'text',
  peer_id: 'text',
  n: 'bigint',
  last_at: 'bigint',
  last_hour: 'bigint',
  unread: 'bigint',
} as const;

interface FactsRow {
  position: number;
  known_peer: string | null;
  known_n: number | null;
  known_at: number | null;
  known_body: string | null;
  last_n: number | null;
  last_at: number | null;
  recipient_status: string | null;
  has_inbox: 1 | null;
  has_blocked: 1 | null;
  is_blocked: 1 | null;
  is_session_active: 1 | null;
}

type LookedUp = [heads: Map<string, number>, facts: [SentMessage, MessageFacts][]];

/** Where messages wait that an inbox has held up. */
export interface Line {
  /** The user whose inbox another transaction has locked. */
  readonly inbox: string;
  /** How long to wait at most. */
  readonly waitMs: number;
}

/**
 * Stores a batch on PostgreSQL in two round trips: the free inboxes are locked, then one statement reads what the verdicts
 * depend on, so it sees everything that was committed before the lock; the writes go with the commit.
 *
 * @param line the batch first waits for this one inbox, while it holds no other
 * @returns a verdict on each message
 */
export function storeOnPostgres(
  db: Pick<Required<Db>, 'twoFlights'>,
  messages: readonly SentMessage[],
  line?: Line,
): Promise<Verdict[]> {
  const users = [...new Set(messages.flatMap(({ from, to }) => [from, to]))];
  return db.twoFlights<LookedUp, Verdict[]>(
    async (tx) => {
      // They run in this order, so the second also locks and reads the inbox that the first has waited for.
      const [, ...lookedUp] = await Promise.all([
        line && waitForInbox(tx, line.inbox),
        lockFreeInboxes(tx, users),
        readFacts(tx, messages),
      ]);
      return lookedUp;
    },
    (tx, [heads, facts]) => {
      const judge = new MessageJudge(heads);
      const verdicts = facts.map(([message, about]) => judge.judge(message, about));
      const accepted = verdicts.flatMap((verdict) => ('accepted' in verdict ? [verdict.accepted] : []));
      if (accepted.length > 0) write(tx, accepted);
      return verdicts;
    },
    line && { ms: line.waitMs, late: () => messages.map(() => ({ heldBy: line.inbox })) },
  );
}

async function readFacts(
  tx: Queries,
  messages: readonly SentMessage[],
): Promise<[SentMessage, MessageFacts][]> {
  const asked = messages.map(({ from, to, cid, sessionId }, position) => ({
    position,
    sender_id: from,
    recipient_id: to,
    cid,
    session_id: sessionId,
  }));
  // No `exists`, which PostgreSQL may answer from a hash of the whole table.
  const rows = await tx.all<FactsRow>`
    select asked.position,
      case when known.low_id = known.sender_id then known.high_id else known.low_id end as known_peer,
      known.n as known_n, known.at as known_at, known.body as known_body,
      conversations.n as last_n, conversations.last_at,
      (select status from users where id = asked.recipient_id) as recipient_status,
      (select 1 from inbox_heads where user_id = asked.recipient_id) as has_inbox,
      (select 1 from blocks where blocker_id = asked.sender_id and blocked_id = asked.recipient_id) as has_blocked,
      (select 1 from blocks where blocker_id = asked.recipient_id and blocked_id = asked.sender_id) as is_blocked,
      (select 1 from sessions where id = asked.session_id) as is_session_active
    from ${asTable(ASKED, asked)} as asked
    left join messages known on known.sender_id = asked.sender_id and known.cid = asked.cid
    left join conversations
      on conversations.user_id = asked.sender_id and conversations.peer_id = asked.recipient_id`;
  const byPosition = new Map(rows.map((row) => [row.position, row]));
  return messages.map((message, position) => {
    const row = byPosition.get(position);
    if (!row) throw new Error('nothing was read about a message');
    return [message, toFacts(row)];
  });
}

function toFacts({ known_peer, known_n, known_at, known_body, ...row }: FactsRow): MessageFacts {
  const isKnown = known_peer !== null && known_n !== null && known_at !== null && known_body !== null;
  return {
    isSessionActive: row.is_session_active === 1,
    known: isKnown ? { peer: known_peer, n: known_n, at: known_at, body: known_body } : undefined,
    isRecipientKnown: row.has_inbox === 1,
    isRecipientActive: row.recipient_status === 'active',
    hasBlocked: row.has_blocked === 1,
    isBlocked: row.is_blocked === 1,
    last: { n: row.last_n ?? 0, at: row.last_at ?? 0 },
  };
}

/** Sends all writes before it returns. */
function write(tx: Queries, accepted: readonly AcceptedMessage[]): void {
  const messages = accepted.map(({ from, to, n, cid, body, at }) => {
    const [low_id, high_id] = from < to ? [from, to] : [to, from];
    return { low_id, high_id, n, sender_id: from, cid, body, at };
  });
  const writes = [
    tx.run`
      insert into messages (low_id, high_id, n, sender_id, cid, body, at)
      select low_id, high_id, n, sender_id, cid, body, at from ${asTable(MESSAGES, messages)} as messages`,
    tx.run`
      insert into conversations (user_id, peer_id, n, last_at, last_hour, unread)
      select user_id, peer_id, n, last_at, last_hour, unread from ${asTable(CONVERSATIONS, sidesOf(accepted))} as sides where true
      on conflict (user_id, peer_id) do update set
        n = excluded.n, last_at = excluded.last_at, last_hour = excluded.last_hour,
        unread = conversations.unread + excluded.unread`,
    appendMessages(tx, accepted),
    enqueuePushes(
      tx,
      accepted.map(({ from, to, toSeq, now }) => ({ userId: to, peerId: from, seq: toSeq, now })),
    ),
  ];
  // The transaction reports the first failure.
  Promise.all(writes).catch(() => {});
}

/** One row for each side of a conversation: a statement cannot change a row twice. */
function sidesOf(accepted: readonly AcceptedMessage[]) {
  const sides = new Map<
    string,
    { user_id: string; peer_id: string; n: number; last_at: number; last_hour: number; unread: number }
  >();
  for (const { from, to, n, at } of accepted)
    for (const [user_id, peer_id, unread] of [
      [from, to, 0],
      [to, from, 1],
    ] as const) {
      const key = `${user_id} ${peer_id}`;
      const before = sides.get(key)?.unread ?? 0;
      sides.set(key, { user_id, peer_id, n, last_at: at, last_hour: hourOf(at), unread: before + unread });
    }
  return [...sides.values()];
}
