import { assertSessionActive } from '../accounts/session-lookup.ts';
import { inBatches } from '../db/batches.ts';
import type { Queries, Tx } from '../db/db.ts';
import { asTable } from '../db/fragments.ts';
import { ServiceError } from '../errors.ts';
import { type Append, type Inboxes, withInboxes } from '../inbox/inbox.ts';
import type { MessageRequestAnswer, MessageRequestBody } from './schemas.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
/** A request that was not answered for this long is declined. */
const WAITS_MS = 90 * DAY_MS;
/** How long a declined stranger is refused. */
export const DECLINED_MS = 30 * DAY_MS;

/** A row of `message_requests`: the conversation that the peer, a stranger, began with the user. */
export interface MessageRequestRow {
  readonly user_id: string;
  readonly peer_id: string;
  readonly state: 'waiting' | 'declined';
  /** How many messages wait. */
  readonly messages: number;
  /** When the last of them came, or when it was declined; epoch milliseconds. */
  readonly at: number;
}

const REQUESTS = {
  user_id: 'text',
  peer_id: 'text',
  state: 'text',
  messages: 'bigint',
  at: 'bigint',
} as const;

export async function countMessageRequests(db: Queries, userId: string): Promise<number> {
  const row = await db.get<{ n: number }>`
    select count(*) as n from message_requests where user_id = ${userId} and state = 'waiting'`;
  return row?.n ?? 0;
}

/** Stores the requests whose messages the caller's transaction stores, one row for each pair. Sends everything before it returns. */
export function writeRequests(tx: Queries, rows: readonly MessageRequestRow[]): void {
  void tx.run`
    insert into message_requests ${asTable(REQUESTS, rows)}
    on conflict (user_id, peer_id) do update set
      state = excluded.state, messages = excluded.messages, at = excluded.at`;
}

export function removeRequest(tx: Queries, userId: string, peerId: string): Promise<number> {
  return tx.run`delete from message_requests where user_id = ${userId} and peer_id = ${peerId}`;
}

/**
 * Accepts or declines the message request of `peer`. The sender is not told; where it is accepted, they learn what the caller's devices
 * have and what the caller has read. Nothing rings.
 *
 * @throws {ServiceError} `not-found`, word `no_request`, unless one waits; `unauthenticated` when the session ended meanwhile
 */
export async function answerMessageRequest(
  inboxes: Inboxes,
  { userId, sessionId }: { userId: string; sessionId: string },
  { peer, act }: MessageRequestBody,
  now: number,
): Promise<MessageRequestAnswer> {
  const check = async (db: Queries) => {
    const [row] = await Promise.all([
      db.get`
        select 1 from message_requests where user_id = ${userId} and peer_id = ${peer} and state = 'waiting'`,
      assertSessionActive(db, sessionId),
    ]);
    if (!row) throw new ServiceError('not-found', 'no_request', '没有来自该用户的消息请求');
  };
  // Without a lock first, so that a refusal holds up no message to the peer.
  await check(inboxes.db);
  return withInboxes(inboxes, act === 'accept' ? [userId, peer] : [userId], now, async (tx, append) => {
    await check(tx);
    if (act === 'accept') await acceptRequest(tx, append, userId, peer);
    else await declineRequest(tx, append, userId, peer, now);
    return { peer, state: act === 'accept' ? 'accepted' : 'declined' };
  });
}

/**
 * Makes the conversation that `peerId` began an ordinary one, also after it was declined. Without a request it changes nothing. The caller
 * has locked the inboxes of both.
 */
export async function acceptRequest(tx: Tx, append: Append, userId: string, peerId: string): Promise<void> {
  if ((await removeRequest(tx, userId, peerId)) === 0) return;
  append.publish(requestChange(userId, peerId, false));
  await append(userId, 'message_request', { peer: peerId, state: 'accepted' });
  const marks = await tx.get<{ received: number; read: number }>`
    update conversations set disclosed_received = received,
      disclosed_read = case when (select min(shows_read) from users where id in (${userId}, ${peerId})) = 1
        then read else disclosed_read end
    where user_id = ${userId} and peer_id = ${peerId} and disclosed_received < received
      and (select 1 from blocks where blocker_id = ${peerId} and blocked_id = ${userId}) is null
    returning disclosed_received as received, disclosed_read as read`;
  if (marks) await append(peerId, 'marked', { peer: userId, by: userId, ...marks });
}

/** Declines a request that waits; otherwise it changes nothing. The caller has locked the inbox of the user. */
export async function declineRequest(
  tx: Tx,
  append: Append,
  userId: string,
  peerId: string,
  now: number,
): Promise<void> {
  const declined = await tx.run`
    update message_requests set state = 'declined', at = ${now}
    where user_id = ${userId} and peer_id = ${peerId} and state = 'waiting'`;
  if (declined > 0) await append(userId, 'message_request', { peer: peerId, state: 'declined' });
}

/** Declines the requests that have waited for 90 days, and those of deleted accounts. Several nodes may do it at once. */
export async function declineOldRequests(inboxes: Inboxes, now: number): Promise<void> {
  const before = now - WAITS_MS;
  await inBatches(async (limit) => {
    const old = await inboxes.db.all<Pick<MessageRequestRow, 'user_id' | 'peer_id'>>`
      select user_id, peer_id from message_requests where state = 'waiting' and at <= ${before} order by at limit ${limit}`;
    for (const { user_id: userId, peer_id: peerId } of old)
      await withInboxes(inboxes, [userId], now, async (tx, append) => {
        const isOld = await tx.get`
          select 1 from message_requests where user_id = ${userId} and peer_id = ${peerId} and at <= ${before}`;
        if (isOld) await declineRequest(tx, append, userId, peerId, now);
      });
    return old.length;
  });
}

/**
 * To be called in the transaction that deletes an account, with its inbox locked: removes what waits for the user. What waits from them
 * counts as old, so that {@link declineOldRequests}, which locks the inbox of each recipient, declines it.
 */
export async function removeRequestsOfUser(tx: Queries, userId: string): Promise<void> {
  await tx.run`delete from message_requests where user_id = ${userId}`;
  await tx.run`update message_requests set at = 0 where peer_id = ${userId} and state = 'waiting'`;
}

/** The hint that the user is hidden from the peer from now on, or shown to them again. The user still gets the peer's events. */
export function requestChange(userId: string, peerId: string, isHidden: boolean) {
  return {
    type: 'block-changed',
    blockerId: userId,
    blockedId: peerId,
    isBlocked: isHidden,
    isRequest: true,
  } as const;
}
