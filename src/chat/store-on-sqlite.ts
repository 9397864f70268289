import type { Db, Queries } from '../db/db.ts';
import { appendMessage } from '../inbox/message-events.ts';
import { enqueuePush } from '../push/queue/pending.ts';
import { hourOf } from './conversations.ts';
import {
  type AcceptedMessage,
  type KnownMessage,
  type MessageFacts,
  MessageJudge,
  type SentMessage,
  type Verdict,
} from './judge-messages.ts';

/** How long a batch may write: all other requests wait meanwhile. */
const WRITE_MS = 4;

interface FactsRow {
  from_seq: number | null;
  to_seq: number | null;
  known_n: number | null;
  last_n: number | null;
  last_at: number | null;
  recipient_status: string | null;
  has_blocked: number;
  is_blocked: number;
  is_session_active: number;
}

/**
 * Stores a batch on SQLite, as one unit: prepared statements in a loop, faster there than statements over sets.
 *
 * @returns a verdict on each message, fewer if the batch took too long: then the last ones were not judged
 */
export function storeOnSqlite(
  db: Db,
  messages: readonly SentMessage[],
  monotonicMs: () => number,
): Promise<Verdict[]> {
  return db.transaction(async (tx) => {
    const startedAt = monotonicMs();
    const heads = new Map<string, number>();
    const judge = new MessageJudge(heads);
    const verdicts: Verdict[] = [];
    for (const message of messages) {
      if (verdicts.length > 0 && monotonicMs() - startedAt > WRITE_MS) break;
      const verdict = judge.judge(message, await readFacts(tx, message, heads));
      if ('accepted' in verdict) await write(tx, verdict.accepted);
      verdicts.push(verdict);
    }
    return verdicts;
  });
}

async function readFacts(
  tx: Queries,
  { from, to, cid, sessionId }: SentMessage,
  heads: Map<string, number>,
): Promise<MessageFacts> {
  const row = await tx.get<FactsRow>`
    select
      (select seq from inbox_heads where user_id = ${from}) as from_seq,
      (select seq from inbox_heads where user_id = ${to}) as to_seq,
      (select n from messages where sender_id = ${from} and cid = ${cid}) as known_n,
      (select n from conversations where user_id = ${from} and peer_id = ${to}) as last_n,
      (select last_at from conversations where user_id = ${from} and peer_id = ${to}) as last_at,
      (select status from users where id = ${to}) as recipient_status,
      exists (select 1 from blocks where blocker_id = ${from} and blocked_id = ${to}) as has_blocked,
      exists (select 1 from blocks where blocker_id = ${to} and blocked_id = ${from}) as is_blocked,
      exists (select 1 from sessions where id = ${sessionId}) as is_session_active`;
  if (!row) throw new Error('a select without from has a row');
  if (row.from_seq !== null && !heads.has(from)) heads.set(from, row.from_seq);
  if (row.to_seq !== null && !heads.has(to)) heads.set(to, row.to_seq);
  return {
    isSessionActive: row.is_session_active === 1,
    known: row.known_n === null ? undefined : await readKnown(tx, from, cid),
    isRecipientKnown: row.to_seq !== null,
    isRecipientActive: row.recipient_status === 'active',
    hasBlocked: row.has_blocked === 1,
    isBlocked: row.is_blocked === 1,
    last: { n: row.last_n ?? 0, at: row.last_at ?? 0 },
  };
}

async function readKnown(tx: Queries, from: string, cid: string): Promise<KnownMessage | undefined> {
  return tx.get<KnownMessage>`
    select case when low_id = sender_id then high_id else low_id end as peer, n, at, body
    from messages where sender_id = ${from} and cid = ${cid}`;
}

async function write(tx: Queries, message: AcceptedMessage): Promise<void> {
  const { from, to, n, at, cid, body, toSeq, now } = message;
  const [low, high] = from < to ? [from, to] : [to, from];
  await Promise.all([
    tx.run`
      insert into messages (low_id, high_id, n, sender_id, cid, body, at)
      values (${low}, ${high}, ${n}, ${from}, ${cid}, ${body}, ${at})`,
    advance(tx, from, to, message, 0),
    advance(tx, to, from, message, 1),
    appendMessage(tx, message),
    enqueuePush(tx, { userId: to, peerId: from, seq: toSeq, now }),
  ]);
}

/**
 * Moves one side of the conversation to the new message. The sender's own message does not count as unread for them. SQLite writes
 * the index entries of every column that a statement names, so within an hour the hour is not named, nor `unread` for the sender.
 */
async function advance(
  tx: Queries,
  userId: string,
  peerId: string,
  { n, at, previousAt }: AcceptedMessage,
  unread: 0 | 1,
): Promise<void> {
  if (hourOf(at) === hourOf(previousAt)) {
    const moved = unread
      ? await tx.run`
          update conversations set n = ${n}, last_at = ${at}, unread = unread + 1
          where user_id = ${userId} and peer_id = ${peerId}`
      : await tx.run`
          update conversations set n = ${n}, last_at = ${at} where user_id = ${userId} and peer_id = ${peerId}`;
    if (moved > 0) return;
  }
  await tx.run`
    insert into conversations (user_id, peer_id, n, last_at, last_hour, unread)
    values (${userId}, ${peerId}, ${n}, ${at}, ${hourOf(at)}, ${unread})
    on conflict (user_id, peer_id) do update set
      n = excluded.n, last_at = excluded.last_at, last_hour = excluded.last_hour,
      unread = conversations.unread + excluded.unread`;
}
