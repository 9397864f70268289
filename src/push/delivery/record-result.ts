import type { Queries, Tx } from '../../db/db.ts';
import { lockUser } from '../../users/users.ts';
import { addToPushLog, type LogEntry, updatePushLog } from '../log/push-log.ts';
import type { Job } from '../queue/jobs.ts';
import { markSuccess, markUnusable, removeGone } from '../subscriptions/subscriptions.ts';
import { deviceNameInLog } from '../subscriptions/unconfirmed.ts';
import { type PushReason, type PushWord, toDetail } from '../webpush/push-words.ts';
import type { SendableJob } from './prepare.ts';
import { type Result, suspendedUntil } from './retry-policy.ts';

/** How exact `last_success_at` is: it is written only when it is older than this, or there is more to write. */
const SUCCESS_PRECISION_MS = 60 * 60 * 1000;

export interface CompletedJob {
  readonly job: Job;
  readonly row: SendableJob;
  /** The entry of the log: the row's own, or the one that was reserved when it was sent. */
  readonly logId: string;
  readonly result: Result;
  readonly now: number;
}

/** The parts of a log entry that depend on the result. */
type LoggedResult = Pick<LogEntry, 'outcome' | 'status' | 'reason' | 'detail' | 'waitingUntil'>;

/** Records the result of a job in the job itself, its subscription and the push log. */
export async function recordResult(tx: Tx, completed: CompletedJob): Promise<void> {
  const { row, result, now } = completed;
  const sent = { id: row.subscription_id, p256dh: row.p256dh, auth: row.auth };
  switch (result.kind) {
    case 'accepted': {
      const { status } = result;
      await Promise.all([
        finish(tx, completed, { outcome: 'accepted', status }),
        isNewSuccess(row, now) && markSuccess(tx, sent, now),
      ]);
      return;
    }
    case 'dropped': {
      const { outcome: word, status = null, reason = '' } = result;
      return finish(tx, completed, { outcome: word, status, reason });
    }
    case 'gone':
      return removeDevice(tx, completed, { outcome: 'gone', status: result.status, reason: result.reason });
    case 'unusable':
      await markUnusable(tx, sent, now);
      return finish(tx, completed, { outcome: 'unusable', reason: result.reason });
    case 'truncated':
      await tx.run`
        update push_jobs set due_at = ${now}, leased = 0, short = 1
        where subscription_id = ${row.subscription_id} and peer_id = ${row.peer_id} and due_at = ${completed.job.leaseUntil}`;
      return;
    case 'deferred':
      return defer(tx, completed, result, 0);
    case 'retried':
      await releaseUnconfirmedSlot(tx, row);
      return defer(tx, completed, result, 1);
    case 'rate_limited':
      await releaseUnconfirmedSlot(tx, row);
      await tx.run`
        update push_subscriptions set not_before = ${result.until}
        where id = ${sent.id} and p256dh = ${sent.p256dh} and auth = ${sent.auth} and not_before < ${result.until}`;
      return defer(tx, completed, result, 1);
    case 'refused':
      return suspend(tx, completed, result);
  }
}

function isNewSuccess(row: SendableJob, now: number): boolean {
  const { last_success_at: last, not_before: notBefore, refusals } = row;
  return last === null || now - last > SUCCESS_PRECISION_MS || notBefore > 0 || refusals > 0;
}

/**
 * Removes the completed job, unless further messages came meanwhile: then it is due again, as a new job. The log is written after
 * the job's row is locked, in the order in which the deletion of an account removes both.
 */
async function finish(tx: Queries, completed: CompletedJob, logged: LoggedResult): Promise<void> {
  const { job, row, now } = completed;
  const closed = await tx.run`
    delete from push_jobs
    where subscription_id = ${job.subscriptionId} and peer_id = ${job.peerId} and last_seq = ${row.last_seq}`;
  const hasLease = closed > 0 || (await releaseJob(tx, job, now)) > 0;
  if (hasLease || (await lockUser(tx, row.user_id))) await log(tx, completed, logged);
}

/** Removes a subscription with its jobs. If it was replaced meanwhile, it stays, and the job is due for the new one. */
async function removeDevice(tx: Tx, completed: CompletedJob, logged: LoggedResult): Promise<void> {
  const { job, row, now } = completed;
  const sent = { id: row.subscription_id, p256dh: row.p256dh, auth: row.auth };
  const hasLease = (await removeGone(tx, sent)) || (await releaseJob(tx, job, now)) > 0;
  if (hasLease || (await lockUser(tx, row.user_id))) await log(tx, completed, logged);
}

async function releaseJob(tx: Queries, job: Job, now: number): Promise<number> {
  return tx.run`
    update push_jobs set due_at = ${now}, leased = 0, attempts = 0, short = 0, log_id = ''
    where subscription_id = ${job.subscriptionId} and peer_id = ${job.peerId} and due_at = ${job.leaseUntil}`;
}

async function defer(
  tx: Queries,
  completed: CompletedJob,
  { until, status, reason }: { until: number; status: number | null; reason: PushReason },
  attempts: 0 | 1,
): Promise<void> {
  const { job, row, logId } = completed;
  const waits = await tx.run`
    update push_jobs set due_at = ${until}, leased = 0, attempts = attempts + ${attempts}, log_id = ${logId}
    where subscription_id = ${row.subscription_id} and peer_id = ${row.peer_id} and due_at = ${job.leaseUntil}`;
  // Otherwise the job was cancelled while in flight, and the log has the reason.
  if (waits === 0) return;
  await log(tx, completed, { outcome: 'waiting', status, reason, waitingUntil: until });
}

/**
 * A failed attempt notified no one, so its slot must not cover this message. The slot counts from before the decision: the next
 * attempt comes at most once a minute, like a notification.
 */
async function releaseUnconfirmedSlot(tx: Queries, row: SendableJob): Promise<void> {
  if (row.session_id !== null) return;
  await tx.run`
    update push_subscriptions set last_notified_at = ${row.decided_at - 1}
    where id = ${row.subscription_id} and last_notified_at >= ${row.decided_at}`;
}

/** Suspends a subscription that was refused; refusals in flight together count once. */
async function suspend(
  tx: Tx,
  completed: CompletedJob,
  { status, reason }: { status: number | null; reason: PushWord },
): Promise<void> {
  const { row, now } = completed;
  const sent = { id: row.subscription_id, p256dh: row.p256dh, auth: row.auth };
  const until = suspendedUntil(row, now);
  if (until === undefined) {
    const detail = `${toDetail('refused_7_days')}: ${reason}`;
    return removeDevice(tx, completed, { outcome: 'gone', status, reason: 'refused_7_days', detail });
  }
  await tx.run`
    update push_subscriptions
    set refusals = refusals + 1, refused_since = coalesce(refused_since, ${now}), not_before = ${until}
    where id = ${sent.id} and p256dh = ${sent.p256dh} and auth = ${sent.auth} and refusals = ${row.refusals}`;
  await defer(tx, completed, { until, status, reason }, 1);
}

async function log(tx: Queries, { row, logId, now }: CompletedJob, logged: LoggedResult): Promise<void> {
  const { subscription_id: subscriptionId, user_id: userId, peer_id: peerId } = row;
  const deviceName = deviceNameInLog(row);
  const decision: LogEntry = { userId, peerId, kind: 'message', subscriptionId, deviceName, ...logged };
  if (row.log_id === '') await addToPushLog(tx, decision, now, logId);
  else await updatePushLog(tx, logId, decision, now);
}
