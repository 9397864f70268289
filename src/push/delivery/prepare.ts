import type { Db } from '../../db/db.ts';
import { inList } from '../../db/fragments.ts';
import { parseEventData, readTexts } from '../../inbox/stored-events.ts';
import { type Job, jobKey } from '../queue/jobs.ts';
import { mayNotifyUnconfirmed, UNCONFIRMED_INTERVAL_MS } from '../subscriptions/unconfirmed.ts';
import type { VapidKeyring } from '../subscriptions/vapid-keys.ts';
import { buildRequest } from '../webpush/client.ts';
import { decodeKey, InvalidKeysError } from '../webpush/encryption.ts';
import type { PushRequest } from '../webpush/request.ts';
import { genericPayload, messagePayload, type Preview, shortPayload, topicOf } from './payload.ts';
import type { Result } from './retry-policy.ts';

/** How long a push is worth sending, in the queue and at the push service. */
const TTL_SECONDS = 24 * 60 * 60;
/** How many unread conversations the badge counts: reading 100,000 blocks the process for 30 ms. */
const BADGE_CONVERSATIONS = 100;
/** A lease that ends sooner might end before the answer arrives. */
const LEAST_LEASE_MS = 15_000;

/** A job joined with its current subscription, user, settings, block and unread count. */
export interface SendableJob {
  readonly subscription_id: string;
  readonly peer_id: string;
  readonly user_id: string;
  readonly last_seq: number;
  readonly due_at: number;
  readonly attempts: number;
  readonly decided_at: number;
  readonly short: number;
  readonly log_id: string;
  readonly endpoint: string;
  readonly p256dh: string;
  readonly auth: string;
  readonly session_id: string | null;
  readonly vapid_public: string;
  readonly user_agent: string;
  readonly language: string;
  readonly unusable_since: number | null;
  readonly last_success_at: number | null;
  readonly not_before: number;
  readonly refusals: number;
  readonly refused_since: number | null;
  readonly last_notified_at: number;
  /** Whether the account has a confirmed device, and when the latest was removed. */
  readonly has_confirmed: number;
  readonly removed_at: number | null;
  readonly status: string;
  readonly push_enabled: number;
  readonly dnd_enabled: number;
  readonly push_preview: Preview;
  readonly sender: string;
  readonly unread: number | null;
  readonly blocked_at: number | null;
  /** The text of the message, if the user's preview shows it and the event is still kept. */
  readonly text: string | undefined;
  /** Unread messages in 100 conversations at most, without those of users that the user blocks. */
  readonly badge: number;
}

/** Reads the jobs with everything that decides about sending them, by {@link jobKey}. A job that was cancelled is missing. */
export async function readSendable(db: Db, jobs: readonly Job[]): Promise<Map<string, SendableJob>> {
  const subscriptionIds = inList(jobs.map((job) => job.subscriptionId));
  const userIds = [...new Set(jobs.map((job) => job.userId))];
  const [rows, badges] = await Promise.all([
    db.all<Omit<SendableJob, 'badge' | 'text'> & { readonly event: string | null }>`
      select jobs.subscription_id, jobs.peer_id, jobs.user_id, jobs.last_seq, jobs.due_at, jobs.attempts,
        jobs.decided_at, jobs.short, jobs.log_id, subs.endpoint, subs.p256dh, subs.auth, subs.session_id,
        subs.vapid_public, subs.user_agent, subs.language, subs.unusable_since, subs.last_success_at, subs.not_before,
        subs.refusals, subs.refused_since, subs.last_notified_at,
        users.status, users.push_enabled, users.dnd_enabled, users.push_preview,
        case when peers.nickname = '' then peers.username else peers.nickname end as sender,
        conversations.unread, blocks.created_at as blocked_at, inbox.data as event,
        exists (select 1 from push_subscriptions own where own.user_id = jobs.user_id and own.session_id is not null)
          as has_confirmed,
        (select removed_at from push_last_confirmed where push_last_confirmed.user_id = jobs.user_id) as removed_at
      from push_jobs jobs
      join push_subscriptions subs on subs.id = jobs.subscription_id
      join users on users.id = jobs.user_id
      join users peers on peers.id = jobs.peer_id
      left join conversations on conversations.user_id = jobs.user_id and conversations.peer_id = jobs.peer_id
      left join blocks on blocks.blocker_id = jobs.user_id and blocks.blocked_id = jobs.peer_id
      left join inbox on users.push_preview = 'full' and inbox.user_id = jobs.user_id and inbox.seq = jobs.last_seq
      where jobs.subscription_id in ${subscriptionIds}`,
    Promise.all(userIds.map((userId) => readBadge(db, userId))),
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
      const job = Object.assign(row, { text: data && texts.get(data), badge: badgeOf.get(row.user_id) ?? 0 });
      return [jobKey({ subscriptionId: row.subscription_id, peerId: row.peer_id }), job];
    }),
  );
}

async function readBadge(db: Db, userId: string): Promise<number> {
  const row = await db.get<{ unread: number | null }>`
    select sum(counted.unread) as unread
    from (select peer_id, unread from conversations
      where user_id = ${userId} and unread > 0 order by peer_id limit ${BADGE_CONVERSATIONS}) counted
    where not exists (select 1 from blocks where blocker_id = ${userId} and blocked_id = counted.peer_id)`;
  return row?.unread ?? 0;
}

/** Whether this process still holds the lease, for long enough to get an answer. */
export function hasLease(job: Job, row: SendableJob, now: number): boolean {
  return row.due_at === job.leaseUntil && job.leaseUntil - now >= LEAST_LEASE_MS;
}

/** Why a job is not sent, or not yet, checked directly before sending; `undefined` if it is to be sent. */
export function reasonToSkip(row: SendableJob, now: number): Result | undefined {
  if (row.status !== 'active') return { kind: 'dropped', outcome: 'account_closed' };
  if (row.blocked_at !== null) return { kind: 'dropped', outcome: 'blocked' };
  if (row.push_enabled === 0) return { kind: 'dropped', outcome: 'off' };
  if (row.dnd_enabled === 1) return { kind: 'dropped', outcome: 'dnd' };
  if (row.unread === 0) return { kind: 'dropped', outcome: 'seen' };
  if (row.unusable_since !== null) return { kind: 'dropped', outcome: 'unusable' };
  const devices = { hasConfirmed: row.has_confirmed === 1, removedAt: row.removed_at };
  if (row.session_id === null && !mayNotifyUnconfirmed(devices, now))
    return { kind: 'dropped', outcome: 'unconfirmed' };
  if (now - row.decided_at >= TTL_SECONDS * 1000)
    return { kind: 'dropped', outcome: 'failed', reason: 'gave_up_24h' };
  if (row.not_before > now)
    return { kind: 'deferred', until: row.not_before, status: null, reason: 'push_service_paused' };
  return undefined;
}

/**
 * Takes an unconfirmed device's slot for a notification, one a minute.
 *
 * @returns `undefined` if the slot was taken; else `dropped`, if a notification since covers this job, or `deferred`
 */
export async function takeUnconfirmedSlot(
  db: Db,
  row: SendableJob,
  now: number,
): Promise<Result | undefined> {
  const taken = await db.run`
    update push_subscriptions set last_notified_at = ${now}
    where id = ${row.subscription_id} and last_notified_at <= ${now - UNCONFIRMED_INTERVAL_MS}`;
  if (taken > 0) return undefined;
  const known = await db.get<{ last_notified_at: number }>`
    select last_notified_at from push_subscriptions where id = ${row.subscription_id}`;
  const lastNotifiedAt = known?.last_notified_at ?? now;
  if (lastNotifiedAt >= row.decided_at) return { kind: 'dropped', outcome: 'already_notified' };
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
  const p256dh = decodeKey(row.p256dh);
  const auth = decodeKey(row.auth);
  if (!p256dh || !auth) throw new InvalidKeysError('The keys are not Base64');
  const isConfirmed = row.session_id !== null;
  return buildRequest({
    endpoint: row.endpoint,
    p256dh,
    auth,
    vapid: keyring.signerFor(row.vapid_public),
    payload: isConfirmed ? payloadFor(row, receipt, publicUrl) : genericPayload(publicUrl, row.language),
    ttlSeconds: TTL_SECONDS,
    urgency: 'high',
    topic: topicOf(row.auth, row.user_id, isConfirmed ? row.peer_id : ''),
  });
}

function payloadFor(row: SendableJob, receipt: string, publicUrl: string): Buffer {
  if (row.short === 1) return shortPayload(publicUrl, row.language, row.peer_id, receipt);
  return messagePayload(publicUrl, row.language, {
    receipt,
    preview: row.push_preview,
    peerId: row.peer_id,
    sender: row.sender,
    unread: row.unread ?? 1,
    text: row.text,
    badge: row.badge,
  });
}
