import type { Db } from '../../db/db.ts';
import { inList } from '../../db/fragments.ts';
import type { MessageState } from '../../events/log-events.ts';
import { parseEventData, readTexts } from '../../inbox/stored-events.ts';
import type { UserRow } from '../../users/schemas.ts';
import { reasonNotToSend } from '../decide/decide.ts';
import { type Job, jobKey } from '../decide/jobs.ts';
import { heldUntil } from '../quiet/held-pushes.ts';
import { type QuietRow, toQuiet } from '../quiet/schemas.ts';
import type { SubscriptionRow } from '../schemas.ts';
import { mayNotifyUnconfirmed, UNCONFIRMED_INTERVAL_MS } from '../subscriptions/unconfirmed.ts';
import type { VapidKeyring } from '../subscriptions/vapid-keys.ts';
import { buildRequest, TTL_SECONDS } from '../webpush/client.ts';
import type { PushRequest } from '../webpush/request.ts';
import {
  genericPayload,
  type MessageNotification,
  messagePayload,
  shortPayload,
  topicOf,
} from './payload.ts';
import type { Result } from './retry-policy.ts';
import { pushTexts } from './texts.ts';

/** How many unread conversations the badge counts: reading 100,000 blocks the process for 30 ms. */
const BADGE_CONVERSATIONS = 100;
/** Unread conversations that are read for that, with those of message requests, blocked users and muted conversations, which are not counted. */
const READ_CONVERSATIONS = 1000;
/** A lease that ends sooner might end before the answer arrives. */
const LEAST_LEASE_MS = 15_000;

/** A job joined with its current subscription, whose `id` it has, and with user, settings, block and unread count. */
export interface SendableJob
  extends Omit<SubscriptionRow, 'created_at' | 'language'>,
    Pick<UserRow, 'status' | 'push_enabled' | 'dnd_enabled'>,
    QuietRow,
    MessageNotification {
  readonly user_id: string;
  readonly last_seq: number;
  readonly due_at: number;
  readonly attempts: number;
  readonly decided_at: number;
  readonly short: number;
  readonly log_id: string;
  readonly last_success_at: number | null;
  /** Nothing is sent before this moment, at the push service's request; epoch milliseconds, 0 if it made none. */
  readonly not_before: number;
  /** Refusals since the last success, and when the first was. */
  readonly refusals: number;
  readonly refused_since: number | null;
  /** Whether the account has a confirmed device, and when the latest was removed. */
  readonly has_confirmed: number;
  readonly removed_at: number | null;
  readonly is_blocked: number;
  /** Whether the messages wait among the user's message requests. */
  readonly is_request: number;
  /** Epoch milliseconds; 0 where the user has not muted the conversation. */
  readonly muted_until: number;
}

/** Reads the jobs with everything that decides about sending them, by {@link jobKey}. A job that was cancelled is missing. */
export async function readSendable(
  db: Db,
  jobs: readonly Job[],
  now: number,
): Promise<Map<string, SendableJob>> {
  const subscriptionIds = inList(jobs.map((job) => job.subscriptionId));
  const userIds = [...new Set(jobs.map((job) => job.userId))];
  const [rows, badges] = await Promise.all([
    db.all<Omit<SendableJob, 'badge' | 'text'> & { readonly event: string | null }>`
      select subs.id, jobs.peer_id, jobs.user_id, jobs.last_seq, jobs.due_at, jobs.attempts,
        jobs.decided_at, jobs.short, jobs.log_id, subs.endpoint, subs.p256dh, subs.auth, subs.session_id,
        subs.vapid_public, subs.user_agent, subs.language, subs.unusable_since, subs.last_success_at, subs.not_before,
        subs.refusals, subs.refused_since,
        users.status, users.push_enabled, users.dnd_enabled, users.push_preview, quiet.until, quiet.time_zone, quiet.windows,
        case when peers.nickname = '' then peers.username else peers.nickname end as sender,
        conversations.unread, inbox.data as event,
        coalesce((select 1 from blocks where blocker_id = jobs.user_id and blocked_id = jobs.peer_id), 0) as is_blocked,
        coalesce((select 1 from message_requests requests
          where requests.user_id = jobs.user_id and requests.peer_id = jobs.peer_id), 0) as is_request,
        coalesce((select muted_until from conversation_settings kept
          where kept.user_id = jobs.user_id and kept.peer_id = jobs.peer_id), 0) as muted_until,
        exists (select 1 from push_subscriptions own where own.user_id = jobs.user_id and own.session_id is not null)
          as has_confirmed,
        (select removed_at from push_last_confirmed where push_last_confirmed.user_id = jobs.user_id) as removed_at
      from push_jobs jobs
      join push_subscriptions subs on subs.id = jobs.subscription_id
      join users on users.id = jobs.user_id
      join users peers on peers.id = jobs.peer_id
      left join conversations on conversations.user_id = jobs.user_id and conversations.peer_id = jobs.peer_id
      left join quiet on quiet.user_id = jobs.user_id
      left join inbox on users.push_preview = 'full' and inbox.user_id = jobs.user_id and inbox.seq = jobs.last_seq
      where jobs.subscription_id in ${subscriptionIds}`,
    Promise.all(userIds.map((userId) => readBadge(db, userId, now))),
  ]);
  const badgeOf = new Map(userIds.map((userId, i) => [userId, badges[i]]));
  const shown = rows.flatMap((row) =>
    row.event === null ? [] : [{ row, data: parseEventData<'message'>(row.event) }],
  );
  const dataOf = new Map(shown.map(({ row, data }) => [row, data]));
  const texts = await readTexts(
    db,
    shown.map(({ row, data }) => ({ userId: row.user_id, data })),
  );
  return new Map(
    rows.map((row) => {
      const data = dataOf.get(row);
      // The row itself: copying its many fields takes as long as reading them.
      const job = Object.assign(row, {
        text: textOf(data && texts.get(data), row.language),
        badge: badgeOf.get(row.user_id) ?? 0,
      });
      return [jobKey({ subscriptionId: row.id, peerId: row.peer_id }), job];
    }),
  );
}

/** What a notification shows of a message; undefined of one that is gone or was unsent. */
function textOf(message: MessageState | undefined, language: string): string | undefined {
  const { body = '', picture } = message ?? {};
  return (picture ? pushTexts(language).picture(body) : body) || undefined;
}

async function readBadge(db: Db, userId: string, now: number): Promise<number> {
  const row = await db.get<{ unread: number | null }>`
    select sum(counted.unread) as unread
    from (select found.unread
      from (select peer_id, unread from conversations
        where user_id = ${userId} and unread > 0 order by peer_id limit ${READ_CONVERSATIONS}) found
      where (select 1 from blocks where blocker_id = ${userId} and blocked_id = found.peer_id) is null
        and (select 1 from message_requests where user_id = ${userId} and peer_id = found.peer_id) is null
        and (select 1 from conversation_settings
          where user_id = ${userId} and peer_id = found.peer_id and muted_until > ${now}) is null
      limit ${BADGE_CONVERSATIONS}) counted`;
  return row?.unread ?? 0;
}

/** Whether this process still holds the lease, for long enough to get an answer. */
export function hasLease(job: Job, row: SendableJob, now: number): boolean {
  return row.due_at === job.leaseUntil && job.leaseUntil - now >= LEAST_LEASE_MS;
}

/** Why a job is not sent, or not yet, checked directly before sending; `undefined` if it is to be sent. */
export function reasonToSkip(row: SendableJob, now: number): Result | undefined {
  const refusal = reasonNotToSend(row, row);
  if (refusal) return { kind: 'ended', outcome: refusal };
  const quietEnd = heldUntil(row.user_id, toQuiet(row), now);
  if (quietEnd !== undefined)
    return quietEnd - row.decided_at < TTL_SECONDS * 1000
      ? { kind: 'deferred', until: quietEnd, status: null, reason: 'quiet' }
      : { kind: 'ended', outcome: 'quiet' };
  if (row.muted_until > now) return { kind: 'ended', outcome: 'muted' };
  if (row.unread === 0) return { kind: 'ended', outcome: 'seen' };
  if (row.unusable_since !== null) return { kind: 'ended', outcome: 'unusable' };
  if (row.session_id === null && !mayNotifyUnconfirmed(row.has_confirmed === 1, row.removed_at, now))
    return { kind: 'ended', outcome: 'unconfirmed' };
  if (now - row.decided_at >= TTL_SECONDS * 1000)
    return { kind: 'ended', outcome: 'failed', reason: 'gave_up_24h' };
  if (row.not_before > now)
    return { kind: 'deferred', until: row.not_before, status: null, reason: 'push_service_paused' };
  return undefined;
}

/**
 * Takes an unconfirmed device's slot for a notification, one a minute.
 *
 * @returns `undefined` if the slot was taken; else `ended`, if a notification since covers this job, or `deferred`
 */
export async function takeUnconfirmedSlot(
  db: Db,
  row: SendableJob,
  now: number,
): Promise<Result | undefined> {
  const taken = await db.run`
    update push_subscriptions set last_notified_at = ${now}
    where id = ${row.id} and last_notified_at <= ${now - UNCONFIRMED_INTERVAL_MS}`;
  if (taken > 0) return undefined;
  const known = await db.get<{ last_notified_at: number }>`
    select last_notified_at from push_subscriptions where id = ${row.id}`;
  const lastNotifiedAt = known?.last_notified_at ?? now;
  if (lastNotifiedAt >= row.decided_at) return { kind: 'ended', outcome: 'already_notified' };
  return {
    kind: 'deferred',
    until: lastNotifiedAt + UNCONFIRMED_INTERVAL_MS,
    status: null,
    reason: 'unconfirmed_rate',
  };
}

/**
 * Builds the request for a device: encrypted, signed with the key that its subscription was made with (RFC 8292 4).
 *
 * @param receipt returned by the device when the notification is shown or clicked
 * @throws {InvalidKeysError}
 */
export async function buildRequestFor(
  row: SendableJob,
  receipt: string,
  keyring: VapidKeyring,
  publicUrl: string,
): Promise<PushRequest> {
  const { endpoint, p256dh, auth, user_id: userId, peer_id: peerId } = row;
  const isConfirmed = row.session_id !== null;
  const buildPayload = row.short === 1 ? shortPayload : messagePayload;
  return buildRequest({
    endpoint,
    p256dh,
    auth,
    vapid: keyring.signerFor(row.vapid_public),
    payload: isConfirmed ? buildPayload(publicUrl, row, receipt) : genericPayload(publicUrl, row.language),
    topic: topicOf(auth, userId, isConfirmed ? peerId : ''),
  });
}
