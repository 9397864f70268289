import type { Db, Queries } from '../db/db.ts';
import { asTable } from '../db/fragments.ts';
import { recordChange } from '../events/changes.ts';
import { appendEvents, lockFreeInboxes, lockInboxes } from '../inbox/locked-inboxes.ts';
import { claimPicture, lockPictures } from '../pictures/claim-pictures.ts';
import { enqueuePushes } from '../push/decide/pending.ts';
import { writePushLog } from '../push/log/push-log.ts';
import { type MessageRequestRow, removeRequest, writeRequests } from '../relations/message-requests.ts';
import { hourOf } from './conversations.ts';
import {
  type AcceptedMessage,
  eventsOf,
  judgeMessages,
  type MessageFacts,
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
  reply_to: 'bigint',
} as const;
const WITH_PICTURES = { ...MESSAGES, picture_id: 'text' } as const;
const SIDES = {
  user_id: 'text',
  peer_id: 'text',
  n: 'bigint',
  last_at: 'bigint',
  last_hour: 'bigint',
  unread: 'bigint',
} as const;

/** Where messages wait that an inbox has held up. */
export interface Line {
  /** The user whose inbox another transaction has locked. */
  readonly inbox: string;
  /** How long to wait at most. */
  readonly waitMs: number;
}

/**
 * Stores a batch in one transaction: the free inboxes are locked, then one statement reads what the verdicts depend on, so it sees
 * everything that was committed before the lock; what was accepted is written together.
 *
 * @param line the batch first waits for this one inbox, while it holds no other
 * @returns a verdict on each message
 */
export function storeMessages(
  db: Pick<Db, 'twoFlights'>,
  messages: readonly SentMessage[],
  line?: Line,
): Promise<Verdict[]> {
  const users = [...new Set(messages.flatMap(({ from, to }) => [from, to]))];
  return db.twoFlights(
    // They run in this order, so the second also locks and reads the inbox that the first has waited for.
    (tx) =>
      Promise.all([
        line && lockInboxes(tx, [line.inbox]),
        lockFreeInboxes(tx, users),
        readFacts(tx, messages),
        lockPictures(tx, messages),
      ]),
    (tx, [, heads, facts, pictures]) => {
      const verdicts = judgeMessages(messages, facts, heads, pictures);
      const accepted = verdicts.flatMap((verdict) => ('accepted' in verdict ? [verdict.accepted] : []));
      if (accepted.length > 0) write(tx, accepted);
      return verdicts;
    },
    line && { ms: line.waitMs, late: () => messages.map(() => ({ heldBy: line.inbox })) },
  );
}

/** What decides about messages, and about a change of one. @returns the facts by the places of their messages */
export async function readFacts(
  tx: Queries,
  messages: readonly Pick<SentMessage, 'from' | 'to' | 'cid' | 'sessionId'>[],
): Promise<ReadonlyMap<number, MessageFacts>> {
  const asked = messages.map(({ from, to, cid, sessionId }, position) => ({
    position,
    sender_id: from,
    recipient_id: to,
    cid,
    session_id: sessionId,
  }));
  // No `exists`, which PostgreSQL may answer from a hash of the whole table. What is null for nearly every message is packed into a text,
  // as each column costs about as much as a condition.
  const rows = await tx.all<MessageFacts & { readonly position: number }>`
    select asked.position,
      case when known.n is not null then
        case when known.low_id = known.sender_id then known.high_id else known.low_id end
        || ' ' || known.n || ' ' || known.at || ' ' || coalesce(known.reply_to, 0) || ' ' || coalesce(known.unsent_at, 0)
        || ' ' || coalesce(known.original_hash, '') || ' ' || coalesce(known.picture_id, '') || ' ' || known.body end as known,
      coalesce(conversations.n, 0) as last_n, coalesce(conversations.last_at, 0) as last_at,
      case recipient.status when 'active' then 1 end as is_peer_active,
      case when request.state is not null or (conversations.n is null and recipient.who_messages <> 'everyone') then
        recipient.who_messages || ' ' || coalesce((select state from friends
          where user_id = asked.recipient_id and peer_id = asked.sender_id), '')
        || ' ' || (select count(*) from message_requests others join users on users.id = others.peer_id and users.status = 'active'
          where others.user_id = asked.recipient_id and others.state = 'waiting')
        || ' ' || coalesce(request.state, '') || ' ' || coalesce(request.messages, 0) || ' ' || coalesce(request.at, 0) end as reach,
      case when own_request.state is not null then
        coalesce(case when conversations.disclosed_received < conversations.received then conversations.received end, 0)
        || ' ' || coalesce(case (select min(shows_read) from users where id in (asked.sender_id, asked.recipient_id)) when 1
          then conversations.read else conversations.disclosed_read end, 0) end as own_request,
      (select 1 from inbox_heads where user_id = asked.recipient_id) as has_inbox,
      (select 1 from blocks where blocker_id = asked.sender_id and blocked_id = asked.recipient_id) as has_blocked,
      (select 1 from blocks where blocker_id = asked.recipient_id and blocked_id = asked.sender_id) as is_blocked,
      (select 1 from sessions where id = asked.session_id) as is_session_active
    from ${asTable(ASKED, asked)} as asked
    left join users recipient on recipient.id = asked.recipient_id
    left join message_requests request
      on request.user_id = asked.recipient_id and request.peer_id = asked.sender_id
    left join message_requests own_request
      on own_request.user_id = asked.sender_id and own_request.peer_id = asked.recipient_id
    left join messages known on known.sender_id = asked.sender_id and known.cid = asked.cid
    left join conversations
      on conversations.user_id = asked.sender_id and conversations.peer_id = asked.recipient_id`;
  return new Map(rows.map((row) => [row.position, row]));
}

/** Sends everything before it returns; the transaction reports the first failure. */
function write(tx: Queries, accepted: readonly AcceptedMessage[]): void {
  const pictured = accepted.filter(({ claimed }) => claimed !== undefined);
  const plain = pictured.length > 0 ? accepted.filter(({ claimed }) => claimed === undefined) : accepted;
  if (plain.length > 0) void tx.run`insert into messages ${asTable(MESSAGES, plain.map(rowOf))}`;
  if (pictured.length > 0) {
    const rows = pictured.map((one) => ({ ...rowOf(one), picture_id: one.claimed?.id ?? null }));
    void tx.run`insert into messages ${asTable(WITH_PICTURES, rows)}`;
    for (const { picture_id, low_id, high_id } of rows)
      if (picture_id !== null) void claimPicture(tx, picture_id, low_id, high_id).catch(inTransaction);
  }
  void tx.run`
    insert into conversations ${asTable(SIDES, lastOfSides(accepted))}
    on conflict (user_id, peer_id) do update set
      n = excluded.n, last_at = excluded.last_at, last_hour = excluded.last_hour,
      unread = conversations.unread + excluded.unread`;
  appendEvents(tx, accepted.flatMap(eventsOf));
  const pushed = accepted.filter(({ waits }) => waits === undefined);
  if (pushed.length > 0)
    void enqueuePushes(
      tx,
      pushed.map(({ from, to, toSeq, pushAt }) => ({ userId: to, peerId: from, seq: toSeq, dueAt: pushAt })),
    );
  writeRequestsOf(tx, accepted);
}

function rowOf({ from, to, n, cid, body, at, replyTo }: AcceptedMessage) {
  const [low_id, high_id] = from < to ? [from, to] : [to, from];
  return { low_id, high_id, n, sender_id: from, cid, body, at, reply_to: replyTo ?? null };
}

/** Writes the requests to which messages belong, each new one with an entry of the push log, and removes those that are accepted. */
function writeRequestsOf(tx: Queries, accepted: readonly AcceptedMessage[]): void {
  const rows = new Map<string, MessageRequestRow>();
  for (const { from, to, at, waits } of accepted)
    if (waits !== undefined)
      rows.set(`${to} ${from}`, { user_id: to, peer_id: from, state: 'waiting', messages: waits, at });
  if (rows.size > 0) writeRequests(tx, [...rows.values()]);
  for (const { from, to, at, waits, accepts, change } of accepted) {
    if (waits === 1)
      void writePushLog(tx, { userId: to, peerId: from, kind: 'message', outcome: 'request' }, at).catch(
        inTransaction,
      );
    if (accepts) void removeRequest(tx, accepts.userId, accepts.peerId);
    if (accepts?.disclosed) {
      const { received, read } = accepts.disclosed;
      void tx.run`
        update conversations set disclosed_received = ${received}, disclosed_read = ${read}
        where user_id = ${from} and peer_id = ${to}`;
    }
    if (change) void recordChange(tx, change.event, change.id).catch(inTransaction);
  }
}

/** The transaction reports the failure of a statement itself. */
function inTransaction(): void {}

/** One row for each side of a conversation, with its last message: a statement cannot change a row twice. */
function lastOfSides(messages: readonly AcceptedMessage[]) {
  const sides = new Map<
    string,
    { user_id: string; peer_id: string; n: number; last_at: number; last_hour: number; unread: number }
  >();
  for (const { from, to, n, at } of messages)
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
