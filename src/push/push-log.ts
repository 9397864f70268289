import type { Db } from '../db/db.ts';
import { newId } from '../db/ids.ts';
import type { PushLogEntry } from './schemas.ts';

/** How many entries of a user are kept. */
const KEPT = 200;

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
    await tx.run`
      delete from push_log where user_id = ${userId} and at < (
        select at from push_log where user_id = ${userId} order by at desc limit 1 offset ${KEPT - 1})`;
  });
  return { id, at: now, device: subscriptionId, kind, outcome: outcome.outcome, status, detail };
}

/** The last 200 entries, the newest first. */
export async function listPushLog(db: Db, userId: string): Promise<PushLogEntry[]> {
  return db.all<PushLogEntry>`
    select id, at, subscription_id as device, kind, outcome, status, detail from push_log
    where user_id = ${userId} order by at desc, id desc limit ${KEPT}`;
}
