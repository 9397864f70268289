import type { Db, Queries } from '../../db/db.ts';
import { asTable, inList } from '../../db/fragments.ts';
import { newId } from '../../db/ids.ts';
import { lockUser } from '../../users/users.ts';
import type { PushLogEntry, PushLogOutcome } from '../schemas.ts';
import { type PushReason, type PushWord, toDetail } from '../webpush/push-words.ts';

/** The newest entries of a user that are kept. */
const MAX_ENTRIES = 200;
/** Trimming costs as much as ten inserts, so on average one insert in 32 trims. */
const TRIM_ONCE_IN = 32;
/** Messages seen in one conversation within this time share one entry. */
const SEEN_INTERVAL_MS = 60_000;

const SEEN_ENTRIES = { place: 'bigint', user_id: 'text', peer_id: 'text', detail: 'text' } as const;

export interface LogOutcome {
  /** The id of the entry, whose receipt was in the push. */
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

/** The log's entry about one push decision, sent or not. */
export interface LogEntry {
  readonly userId: string;
  readonly peerId: string;
  readonly kind: 'message';
  readonly outcome: PushLogOutcome;
  /** The device, if the entry is about a single one. */
  readonly subscriptionId?: string;
  readonly deviceName?: string;
  readonly status?: number | null;
  /** Empty where the outcome says all. */
  readonly reason?: PushReason;
  /** A text for people; left out: the reason in words. */
  readonly detail?: string;
  /** When the push is tried again, epoch milliseconds. */
  readonly waitingUntil?: number | null;
}

/** Adds the result of a test push. Stores nothing if the account was deleted meanwhile. */
export async function writePushLog(
  db: Db,
  userId: string,
  outcome: LogOutcome,
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
 * @param id the id whose receipt was in the push, if it was sent
 * @returns the entry's id, for {@link updatePushLog}
 */
export async function addToPushLog(
  tx: Queries,
  entry: LogEntry,
  now: number,
  id = newId(now),
): Promise<string> {
  const { userId, peerId, kind, outcome } = entry;
  const { subscriptionId = '', deviceName = '', status = null, waitingUntil = null } = entry;
  const { reason = '', detail = toDetail(reason) } = entry;
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

/** Replaces the contents of a waiting push's entry by the result; adds the entry again if it was trimmed. */
export async function updatePushLog(tx: Queries, id: string, entry: LogEntry, now: number): Promise<void> {
  const { outcome, status = null, waitingUntil = null } = entry;
  const { reason = '', detail = toDetail(reason) } = entry;
  const updated = await tx.run`
    update push_log set at = ${now}, outcome = ${outcome}, status = ${status}, reason = ${reason},
      detail = ${detail}, waiting_until = ${waitingUntil}
    where id = ${id}`;
  if (updated === 0) await addToPushLog(tx, entry, now, id);
}

/** Messages of a peer that were seen before a push about them was sent. */
export interface SeenMessages {
  readonly userId: string;
  readonly peerId: string;
  /** The name of the device on which they were seen; empty if unknown. */
  readonly detail: string;
  /** The entries of pushes that were still waiting; they become `seen`. */
  readonly jobLogIds: string[];
}

/** Records what was seen, each pair of users at most once in `seen`. */
export async function markSeenInLog(tx: Queries, seen: readonly SeenMessages[], now: number): Promise<void> {
  const waiting = seen.filter(({ jobLogIds }) => jobLogIds.length > 0);
  const others = seen.filter(({ jobLogIds }) => jobLogIds.length === 0);
  const logged = await findSeenEntries(tx, others, now - SEEN_INTERVAL_MS);
  await Promise.all([
    ...waiting.map(
      ({ jobLogIds, detail }) => tx.run`
        update push_log set at = ${now}, outcome = 'seen', reason = '', detail = ${detail}, waiting_until = null
        where id in ${inList(jobLogIds)}`,
    ),
    ...others
      .filter((_, place) => !logged.has(place))
      .map(({ userId, peerId, detail }) =>
        addToPushLog(tx, { userId, peerId, kind: 'message', outcome: 'seen', detail }, now),
      ),
  ]);
}

/** The places in `seen` for which there is an entry after `after`. */
async function findSeenEntries(
  tx: Queries,
  seen: readonly SeenMessages[],
  after: number,
): Promise<Set<number>> {
  if (seen.length === 0) return new Set();
  const places = seen.map(({ userId, peerId, detail }, place) => ({
    place,
    user_id: userId,
    peer_id: peerId,
    detail,
  }));
  const rows = await tx.all<{ place: number }>`
    select wanted.place from ${asTable(SEEN_ENTRIES, places)} as wanted
    where (select 1 from push_log where push_log.user_id = wanted.user_id and push_log.at > ${after}
      and push_log.peer_id = wanted.peer_id and push_log.outcome = 'seen' and push_log.detail = wanted.detail limit 1) = 1`;
  return new Set(rows.map((row) => row.place));
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
