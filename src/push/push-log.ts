import type { Db, Queries } from '../db/db.ts';
import { newId } from '../db/ids.ts';
import type { PushLogEntry, PushLogOutcome } from './schemas.ts';

/** How many entries of a user are kept. */
const KEPT = 200;
/** Removing the rest costs as much as ten entries, so it is done once in so many. */
const TRIM_ONCE_IN = 32;
/** Somebody who looks at a conversation sees all of it: one entry for so long. */
const SEEN_STEP_MS = 60_000;

/** What came of one push to one device. */
export interface Outcome {
  readonly subscriptionId: string;
  readonly kind: 'test';
  readonly outcome: 'accepted' | 'gone' | 'refused' | 'failed' | 'unusable';
  /** The HTTP status of the push service, if it gave one. */
  readonly status: number | null;
  /** One line, up to 200 characters. */
  readonly detail: string;
}

/** One decision, whether somebody was told or not. */
export interface Decision {
  readonly userId: string;
  readonly peerId: string;
  readonly kind: 'message';
  readonly outcome: PushLogOutcome;
  /** The device, if the decision is about one. */
  readonly subscriptionId?: string;
  readonly status?: number | null;
  readonly detail?: string;
  /** When it is tried again, epoch milliseconds. */
  readonly waitingUntil?: number | null;
}

export async function writePushLog(
  db: Db,
  userId: string,
  outcome: Outcome,
  now: number,
): Promise<PushLogEntry> {
  const { subscriptionId, kind, status, detail } = outcome;
  const id = newId(now);
  await db.transaction(async (tx) => {
    await tx.run`
      insert into push_log (id, user_id, at, subscription_id, kind, outcome, status, detail)
      values (${id}, ${userId}, ${now}, ${subscriptionId}, ${kind}, ${outcome.outcome}, ${status}, ${detail})`;
    await trim(tx, userId);
  });
  return {
    id,
    at: now,
    device: subscriptionId,
    kind,
    outcome: outcome.outcome,
    status,
    detail,
    peer: null,
    waiting_until: null,
  };
}

/** Adds an entry to the user's log. @returns its id, by which {@link updatePushLog} finds it */
export async function addToPushLog(tx: Queries, decision: Decision, now: number): Promise<string> {
  const { userId, peerId, kind, outcome } = decision;
  const { subscriptionId = '', status = null, detail = '', waitingUntil = null } = decision;
  const id = newId(now);
  await tx.run`
    insert into push_log (id, user_id, at, peer_id, subscription_id, kind, outcome, status, detail, waiting_until)
    values (${id}, ${userId}, ${now}, ${peerId}, ${subscriptionId}, ${kind}, ${outcome}, ${status}, ${detail}, ${waitingUntil})`;
  if (Math.random() * TRIM_ONCE_IN < 1) await trim(tx, userId);
  return id;
}

/** What came in the end of a decision that waited: its entry says that instead. @returns the id of the entry */
export async function updatePushLog(
  tx: Queries,
  id: string,
  decision: Decision,
  now: number,
): Promise<string> {
  const { outcome, status = null, detail = '', waitingUntil = null } = decision;
  const updated =
    id === ''
      ? 0
      : await tx.run`
          update push_log set at = ${now}, outcome = ${outcome}, status = ${status}, detail = ${detail},
            waiting_until = ${waitingUntil}
          where id = ${id}`;
  return updated > 0 ? id : addToPushLog(tx, decision, now);
}

/**
 * Messages of `peerId` were seen before anything was sent.
 *
 * @param seen.detail where
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
      update push_log set at = ${now}, outcome = 'seen', detail = ${detail}, waiting_until = null
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
    select id, at, peer_id as peer, subscription_id as device, kind, outcome, status, detail, waiting_until
    from push_log where user_id = ${userId} order by at desc, id desc limit ${KEPT}`;
}

async function trim(tx: Queries, userId: string): Promise<void> {
  await tx.run`
    delete from push_log where user_id = ${userId} and at < (
      select at from push_log where user_id = ${userId} order by at desc limit 1 offset ${KEPT - 1})`;
}
