import type { Db, Queries } from '../../db/db.ts';
import { inList } from '../../db/fragments.ts';
import { newId } from '../../db/ids.ts';
import type { PushLogEntry, PushLogOutcome } from '../schemas.ts';
import { type PushReason, toDetail } from '../webpush/push-words.ts';

/** The newest entries of a user that are kept. */
const MAX_ENTRIES = 200;
/** Trimming costs as much as ten inserts, so on average one insert in 32 trims. */
const TRIM_ONCE_IN = 32;
/** Messages seen in one conversation within this time share one entry. */
const SEEN_INTERVAL_MS = 60_000;

/** An entry of the push log: what became of a push to one device, or why none was sent. */
export interface LogEntry {
  readonly userId: string;
  /** The sender of the messages that it is about; left out for a test. */
  readonly peerId?: string;
  readonly kind: 'message' | 'test';
  readonly outcome: PushLogOutcome;
  /** The device, if the entry is about a single one. */
  readonly subscriptionId?: string;
  readonly deviceName?: string;
  /** The HTTP status of the push service, if it gave one. */
  readonly status?: number | null;
  /** Empty where the outcome says all. */
  readonly reason?: PushReason;
  /** A text for people; left out: the reason in words. */
  readonly detail?: string;
  /** When the push is tried again, epoch milliseconds. */
  readonly waitingUntil?: number | null;
}

/**
 * Writes an entry of the user's log. The entry of a push that was waiting gets the new result, also if it was trimmed. Sends everything
 * before its first `await`.
 *
 * @param id of the entry whose receipt was in the push, if it was sent
 */
export async function writePushLog(
  tx: Queries,
  entry: LogEntry,
  now: number,
  id = newId(now),
): Promise<void> {
  const { userId, peerId = null, kind, outcome } = entry;
  const { subscriptionId = '', deviceName = '', status = null, waitingUntil = null } = entry;
  const { reason = '', detail = toDetail(reason) } = entry;
  const written = tx.run`
    insert into push_log (
      id, user_id, at, peer_id, subscription_id, device_name, kind, outcome, status, reason, detail,
      waiting_until)
    values (
      ${id}, ${userId}, ${now}, ${peerId}, ${subscriptionId}, ${deviceName}, ${kind}, ${outcome}, ${status}, ${reason},
      ${detail}, ${waitingUntil})
    on conflict (id) do update set at = excluded.at, subscription_id = excluded.subscription_id,
      device_name = excluded.device_name, outcome = excluded.outcome, status = excluded.status,
      reason = excluded.reason, detail = excluded.detail, waiting_until = excluded.waiting_until`;
  await Promise.all([written, Math.random() * TRIM_ONCE_IN < 1 && trim(tx, userId)]);
}

/** Messages of a peer about which pushes were cancelled. */
export interface CancelledPushes {
  readonly userId: string;
  readonly peerId: string;
  /** The name of the device on which they were seen; empty if unknown, and for a block. */
  readonly detail: string;
  /** The entries of pushes that were still waiting, which get the outcome. */
  readonly jobLogIds: string[];
}

/** Records why pushes were cancelled, each pair of users at most once. What one device saw within a minute shares an entry. */
export async function logCancelled(
  tx: Queries,
  outcome: 'blocked' | 'seen' | 'unsent',
  cancelled: readonly CancelledPushes[],
  now: number,
): Promise<void> {
  const others = outcome === 'blocked' ? [] : cancelled.filter(({ jobLogIds }) => jobLogIds.length === 0);
  const userIds = others.map(({ userId }) => userId);
  const recent = await findEntries(tx, outcome, userIds, now - SEEN_INTERVAL_MS);
  const keyOf = (userId: string, peerId: string, detail: string) => `${userId} ${peerId} ${detail}`;
  const logged = new Set(recent.map((row) => keyOf(row.user_id, row.peer_id ?? '', row.detail)));
  await Promise.all(
    cancelled.map(async ({ userId, peerId, detail, jobLogIds }) => {
      if (jobLogIds.length > 0) await endEntries(tx, jobLogIds, { outcome, detail }, now);
      else if (!logged.has(keyOf(userId, peerId, detail)))
        await writePushLog(tx, { userId, peerId, kind: 'message', outcome, detail }, now);
    }),
  );
}

/** Gives entries that say `waiting` the outcome of their pushes. */
export async function endEntries(
  tx: Queries,
  ids: readonly string[],
  { outcome, detail = '' }: Pick<LogEntry, 'outcome' | 'detail'>,
  now: number,
): Promise<void> {
  await tx.run`
    update push_log set at = ${now}, outcome = ${outcome}, reason = '', detail = ${detail}, waiting_until = null
    where id in ${inList(ids)}`;
}

/** The entries of these users with this outcome after `after`. */
export async function findEntries(
  tx: Queries,
  outcome: PushLogOutcome,
  userIds: readonly string[],
  after: number,
): Promise<{ user_id: string; peer_id: string | null; subscription_id: string; detail: string }[]> {
  if (userIds.length === 0) return [];
  return tx.all`
    select user_id, peer_id, subscription_id, detail from push_log
    where user_id in ${inList(userIds)} and at > ${after} and outcome = ${outcome}`;
}

/** The last 200 entries, newest first. */
export async function listPushLog(db: Db, userId: string): Promise<PushLogEntry[]> {
  return db.all<PushLogEntry>`
    select log.id, log.at, log.peer_id as peer, log.subscription_id as device, log.device_name, log.kind, log.outcome,
      log.status, log.reason, log.detail, log.waiting_until, coalesce(early.shown_at, log.shown_at) as shown,
      coalesce(early.clicked_at, log.clicked_at) as clicked
    from push_log log left join push_early_receipts early on early.log_id = log.id
    where log.user_id = ${userId} order by log.at desc, log.id desc limit ${MAX_ENTRIES}`;
}

async function trim(tx: Queries, userId: string): Promise<void> {
  await tx.run`
    delete from push_log where user_id = ${userId} and at < (
      select at from push_log where user_id = ${userId} order by at desc limit 1 offset ${MAX_ENTRIES - 1})`;
}
