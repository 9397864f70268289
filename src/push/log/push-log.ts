import type { Db, Queries } from '../../db/db.ts';
import { newId } from '../../db/ids.ts';
import { lockUser } from '../../users/users.ts';
import type { PushLogEntry, PushLogOutcome } from '../schemas.ts';
import { type PushReason, type PushWord, toDetail } from '../webpush/push-words.ts';

/** How many entries of a user are kept. */
const KEPT = 200;
/** Removing the rest costs as much as ten entries, so it is done once in so many. */
const TRIM_ONCE_IN = 32;
/** Somebody who looks at a conversation sees all of it: one entry for so long. */
const SEEN_STEP_MS = 60_000;

/** What came of one push to one device. */
export interface Outcome {
  /** The id of its entry, which its push was sent with. */
  readonly logId: string;
  readonly subscriptionId: string;
  readonly deviceName: string;
  readonly kind: 'test';
  readonly outcome: 'accepted' | 'gone' | 'refused' | 'failed' | 'unusable';
  /** The HTTP status of the push service, if it gave one. */
  readonly status: number | null;
  /** Empty if it was accepted. */
  readonly reason: PushWord | '';
}

/** One decision, whether somebody was told or not. */
export interface Decision {
  readonly userId: string;
  readonly peerId: string;
  readonly kind: 'message';
  readonly outcome: PushLogOutcome;
  /** The device, if the decision is about one. */
  readonly subscriptionId?: string;
  readonly deviceName?: string;
  readonly status?: number | null;
  /** Empty where the outcome says all. */
  readonly reason?: PushReason;
  /** What the entry says beside the reason; left out: the reason in words. */
  readonly detail?: string;
  /** When it is tried again, epoch milliseconds. */
  readonly waitingUntil?: number | null;
}

/** Nothing is stored if the account was deleted meanwhile. */
export async function writePushLog(
  db: Db,
  userId: string,
  outcome: Outcome,
  now: number,
): Promise<PushLogEntry> {
  const { logId: id, subscriptionId, deviceName, kind, status, reason } = outcome;
  const detail = toDetail(reason);
  await db.transaction(async (tx) => {
    if (!(await lockUser(tx, userId))) return;
    await tx.run`
      insert into push_log (id, user_id, at, subscription_id, device_name, kind, outcome, status, reason, detail)
      values (
        ${id}, ${userId}, ${now}, ${subscriptionId}, ${deviceName}, ${kind}, ${outcome.outcome}, ${status}, ${reason},
        ${detail})`;
    await trim(tx, userId);
  });
  return {
    id,
    at: now,
    device: subscriptionId,
    device_name: deviceName,
    kind,
    outcome: outcome.outcome,
    status,
    reason,
    detail,
    peer: null,
    waiting_until: null,
    shown: null,
    clicked: null,
  };
}

/**
 * Adds an entry to the user's log.
 *
 * @param id the one that its push was sent with, if it was
 * @returns its id, by which {@link updatePushLog} finds it
 */
export async function addToPushLog(
  tx: Queries,
  decision: Decision,
  now: number,
  id = newId(now),
): Promise<string> {
  const { userId, peerId, kind, outcome } = decision;
  const { subscriptionId = '', deviceName = '', status = null, waitingUntil = null } = decision;
  const { reason = '', detail = toDetail(reason) } = decision;
  await tx.run`
    insert into push_log (
      id, user_id, at, peer_id, subscription_id, device_name, kind, outcome, status, reason, detail,
      waiting_until)
    values (
      ${id}, ${userId}, ${now}, ${peerId}, ${subscriptionId}, ${deviceName}, ${kind}, ${outcome}, ${status}, ${reason},
      ${detail}, ${waitingUntil})`;
  if (Math.random() * TRIM_ONCE_IN < 1) await trim(tx, userId);
  return id;
}

/** What came in the end of a decision that waited: its entry says that instead; it is added anew if it was trimmed. */
export async function updatePushLog(tx: Queries, id: string, decision: Decision, now: number): Promise<void> {
  const { outcome, status = null, waitingUntil = null } = decision;
  const { reason = '', detail = toDetail(reason) } = decision;
  const updated = await tx.run`
    update push_log set at = ${now}, outcome = ${outcome}, status = ${status}, reason = ${reason},
      detail = ${detail}, waiting_until = ${waitingUntil}
    where id = ${id}`;
  if (updated === 0) await addToPushLog(tx, decision, now, id);
}

/**
 * Messages of `peerId` were seen before anything was sent.
 *
 * @param seen.detail on which device, by its own word; empty if that is not known
 * @param seen.jobLogIds the entries of devices that were still waiting to be told
 */
export async function noteSeenInLog(
  tx: Queries,
  {
    userId,
    peerId,
    detail,
    jobLogIds,
  }: { userId: string; peerId: string; detail: string; jobLogIds: string[] },
  now: number,
): Promise<void> {
  if (jobLogIds.length > 0) {
    await tx.run`
      update push_log set at = ${now}, outcome = 'seen', reason = '', detail = ${detail}, waiting_until = null
      where id in ${tx.list(jobLogIds)}`;
    return;
  }
  const noted = await tx.get`
    select id from push_log where user_id = ${userId} and at > ${now - SEEN_STEP_MS}
      and peer_id = ${peerId} and outcome = 'seen' and detail = ${detail} limit 1`;
  if (!noted) await addToPushLog(tx, { userId, peerId, kind: 'message', outcome: 'seen', detail }, now);
}

/** The last 200 entries, the newest first. */
export async function listPushLog(db: Db, userId: string): Promise<PushLogEntry[]> {
  return db.all<PushLogEntry>`
    select log.id, log.at, log.peer_id as peer, log.subscription_id as device, log.device_name, log.kind, log.outcome,
      log.status, log.reason, log.detail, log.waiting_until, coalesce(early.shown_at, log.shown_at) as shown,
      coalesce(early.clicked_at, log.clicked_at) as clicked
    from push_log log left join push_early_receipts early on early.log_id = log.id
    where log.user_id = ${userId} order by log.at desc, log.id desc limit ${KEPT}`;
}

async function trim(tx: Queries, userId: string): Promise<void> {
  await tx.run`
    delete from push_log where user_id = ${userId} and at < (
      select at from push_log where user_id = ${userId} order by at desc limit 1 offset ${KEPT - 1})`;
}
