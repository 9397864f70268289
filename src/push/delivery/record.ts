import type { Queries, Tx } from '../../db/db.ts';
import { lockUser } from '../../users/users.ts';
import { addToPushLog, type LogEntry, updatePushLog } from '../log/push-log.ts';
import type { Job } from '../queue/jobs.ts';
import { markSuccess, markUnusable, removeGone } from '../subscriptions/subscriptions.ts';
import { deviceNameInLog } from '../subscriptions/unconfirmed.ts';
import { type PushReason, type PushWord, toDetail } from '../webpush/push-words.ts';
import { type Outcome, setAsideUntil } from './outcomes.ts';
import type { ReadyRow } from './prepare.ts';

/** How exact `last_success_at` is: it is written only when it is older than this, or there is more to write. */
const SUCCESS_STEP_MS = 60 * 60 * 1000;

/** A job that was worked on, and what became of it. */
export interface Done {
  readonly job: Job;
  readonly row: ReadyRow;
  /** The entry of the log: the row's own, or the one that was reserved when it was sent. */
  readonly logId: string;
  readonly outcome: Outcome;
  readonly now: number;
}

/** What the log says of it. */
type Said = Pick<LogEntry, 'outcome' | 'status' | 'reason' | 'detail' | 'waitingUntil'>;

/** Writes down what became of a job: the job itself, its device, and the log. */
export async function record(tx: Tx, done: Done): Promise<void> {
  const { row, outcome, now } = done;
  const sent = { id: row.subscription_id, p256dh: row.p256dh, auth: row.auth };
  switch (outcome.kind) {
    case 'accepted': {
      const { status } = outcome;
      await Promise.all([
        finish(tx, done, { outcome: 'accepted', status }),
        isNewSuccess(row, now) && markSuccess(tx, sent, now),
      ]);
      return;
    }
    case 'dropped': {
      const { outcome: word, status = null, reason = '' } = outcome;
      return finish(tx, done, { outcome: word, status, reason });
    }
    case 'gone':
      return removeDevice(tx, done, { outcome: 'gone', status: outcome.status, reason: outcome.reason });
    case 'unusable':
      await markUnusable(tx, sent, now);
      return finish(tx, done, { outcome: 'unusable', reason: outcome.reason });
    case 'shortened':
      await tx.run`
        update push_jobs set due_at = ${now}, leased = 0, short = 1
        where subscription_id = ${row.subscription_id} and peer_id = ${row.peer_id} and due_at = ${done.job.leaseUntil}`;
      return;
    case 'postponed':
      return wait(tx, done, outcome, 0);
    case 'retried':
      return wait(tx, done, outcome, 1);
    case 'silenced':
      await tx.run`
        update push_subscriptions set not_before = ${outcome.until}
        where id = ${sent.id} and p256dh = ${sent.p256dh} and auth = ${sent.auth} and not_before < ${outcome.until}`;
      return wait(tx, done, outcome, 1);
    case 'refused':
      return setAside(tx, done, outcome);
  }
}

function isNewSuccess(row: ReadyRow, now: number): boolean {
  const { last_success_at: last, not_before: notBefore, refusals } = row;
  return last === null || now - last > SUCCESS_STEP_MS || notBefore > 0 || refusals > 0;
}

/**
 * The job is done, unless further messages came meanwhile: then it is due again, as a new one. The log is written behind
 * the job's row, which the deletion of an account takes before the log.
 */
async function finish(tx: Queries, done: Done, said: Said): Promise<void> {
  const { job, row, now } = done;
  const closed = await tx.run`
    delete from push_jobs
    where subscription_id = ${job.subscriptionId} and peer_id = ${job.peerId} and last_seq = ${row.last_seq}`;
  const isOurs = closed > 0 || (await freeJob(tx, job, now)) > 0;
  if (isOurs || (await lockUser(tx, row.user_id))) await log(tx, done, said);
}

/** Its jobs go with it. If it was replaced meanwhile it stays, and what is told goes to the new one. */
async function removeDevice(tx: Tx, done: Done, said: Said): Promise<void> {
  const { job, row, now } = done;
  const sent = { id: row.subscription_id, p256dh: row.p256dh, auth: row.auth };
  const isOurs = (await removeGone(tx, sent)) || (await freeJob(tx, job, now)) > 0;
  if (isOurs || (await lockUser(tx, row.user_id))) await log(tx, done, said);
}

async function freeJob(tx: Queries, job: Job, now: number): Promise<number> {
  return tx.run`
    update push_jobs set due_at = ${now}, leased = 0, tries = 0, short = 0, log_id = ''
    where subscription_id = ${job.subscriptionId} and peer_id = ${job.peerId} and due_at = ${job.leaseUntil}`;
}

async function wait(
  tx: Queries,
  done: Done,
  { until, status, reason }: { until: number; status: number | null; reason: PushReason },
  tries: 0 | 1,
): Promise<void> {
  const { job, row, logId } = done;
  const waits = await tx.run`
    update push_jobs set due_at = ${until}, leased = 0, tries = tries + ${tries}, log_id = ${logId}
    where subscription_id = ${row.subscription_id} and peer_id = ${row.peer_id} and due_at = ${job.leaseUntil}`;
  // Otherwise it was withdrawn while it was under way, and the log says why.
  if (waits === 0) return;
  await log(tx, done, { outcome: 'waiting', status, reason, waitingUntil: until });
}

/** Several refusals that were under way together count once. */
async function setAside(
  tx: Tx,
  done: Done,
  { status, reason }: { status: number | null; reason: PushWord },
): Promise<void> {
  const { row, now } = done;
  const sent = { id: row.subscription_id, p256dh: row.p256dh, auth: row.auth };
  const until = setAsideUntil(row, now);
  if (until === undefined) {
    const detail = `${toDetail('refused_7_days')}: ${reason}`;
    return removeDevice(tx, done, { outcome: 'gone', status, reason: 'refused_7_days', detail });
  }
  await tx.run`
    update push_subscriptions
    set refusals = refusals + 1, refused_since = coalesce(refused_since, ${now}), not_before = ${until}
    where id = ${sent.id} and p256dh = ${sent.p256dh} and auth = ${sent.auth} and refusals = ${row.refusals}`;
  await wait(tx, done, { until, status, reason }, 1);
}

async function log(tx: Queries, { row, logId, now }: Done, said: Said): Promise<void> {
  const { subscription_id: subscriptionId, user_id: userId, peer_id: peerId } = row;
  const deviceName = deviceNameInLog(row);
  const decision: LogEntry = { userId, peerId, kind: 'message', subscriptionId, deviceName, ...said };
  if (row.log_id === '') await addToPushLog(tx, decision, now, logId);
  else await updatePushLog(tx, logId, decision, now);
}
