import type { Db, Queries, Tx } from '../../db/db.ts';
import { lockUser } from '../../users/users.ts';
import { type Job, jobKey } from '../decide/jobs.ts';
import { type LogEntry, writePushLog } from '../log/push-log.ts';
import { heldUntil } from '../quiet/held-pushes.ts';
import { readQuiet } from '../quiet/quiet.ts';
import { markSuccess, markUnusable, removeGone } from '../subscriptions/subscriptions.ts';
import { deviceNameInLog } from '../subscriptions/unconfirmed.ts';
import { type PushReason, type PushWord, toDetail } from '../webpush/push-words.ts';
import type { SendableJob } from './prepare.ts';
import { type Result, suspendedUntil } from './retry-policy.ts';

/** How exact `last_success_at` is: it is written only when it is older than this, or there is more to write. */
const SUCCESS_PRECISION_MS = 60 * 60 * 1000;
/** The state of a job that was not sent yet. */
const NEW_JOB = { attempts: 0, short: 0, logId: '' };

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

/** Records the results of jobs in the jobs themselves, their subscriptions and the push log, in one commit. */
export async function recordResults(db: Db, batch: readonly CompletedJob[]): Promise<void> {
  // Sorted, so that concurrent transactions lock rows in the same order and cannot deadlock.
  const sorted = batch.toSorted((a, b) => (jobKey(a.job) < jobKey(b.job) ? -1 : 1));
  await db.transaction((tx) => Promise.all(sorted.map((completed) => recordResult(tx, completed))));
}

async function recordResult(tx: Tx, completed: CompletedJob): Promise<void> {
  const { row, result, now, logId } = completed;
  const { attempts, short } = row;
  switch (result.kind) {
    case 'ended': {
      const { outcome, status = null, reason = '' } = result;
      if (outcome === 'unusable') await markUnusable(tx, row, now);
      await Promise.all([
        finish(tx, completed, { outcome, status, reason }),
        outcome === 'accepted' && isNewSuccess(row, now) && markSuccess(tx, row, now),
      ]);
      return;
    }
    case 'truncated':
      await release(tx, completed, now, { attempts, short: 1, logId: row.log_id });
      return;
    case 'withdrawn':
      await releaseUnconfirmedSlot(tx, row);
      await release(tx, completed, now, { attempts, short, logId: row.log_id });
      return;
    case 'deferred': {
      const until = result.reason === 'quiet' ? await recheckEnd(tx, row, result.until, now) : result.until;
      return defer(tx, completed, { ...result, until }, { attempts, short, logId });
    }
    case 'refused':
      return suspend(tx, completed, result);
    case 'retried':
    case 'rate_limited':
      await releaseUnconfirmedSlot(tx, row);
      if (result.kind === 'rate_limited')
        await tx.run`
          update push_subscriptions set not_before = ${result.until}
          where id = ${row.id} and p256dh = ${row.p256dh} and auth = ${row.auth} and not_before < ${result.until}`;
      return defer(tx, completed, result, { attempts: attempts + 1, short, logId });
  }
}

/** Quiet hours may have been changed while the job was in flight: then it is due, and looked at again. */
async function recheckEnd(tx: Tx, { user_id: userId }: SendableJob, until: number, now: number) {
  await lockUser(tx, userId);
  return heldUntil(userId, await readQuiet(tx, userId), now) === until ? until : now;
}

function isNewSuccess(row: SendableJob, now: number): boolean {
  const { last_success_at: last, not_before: notBefore, refusals } = row;
  return last === null || now - last > SUCCESS_PRECISION_MS || notBefore > 0 || refusals > 0;
}

/**
 * Removes the completed job, or with the outcome `gone` its subscription with all jobs. It is due again, as a new job, if further
 * messages came meanwhile or the subscription was replaced. The log is written after the job's row is locked, in the order in which the
 * deletion of an account removes both.
 */
async function finish(tx: Tx, completed: CompletedJob, logged: LoggedResult): Promise<void> {
  const { row, now } = completed;
  const isRemoved = logged.outcome === 'gone' ? await removeGone(tx, row) : await removeJob(tx, row);
  const isHeld = isRemoved || (await release(tx, completed, now, NEW_JOB));
  if (isHeld || (await lockUser(tx, row.user_id))) await log(tx, completed, logged);
}

async function removeJob(tx: Tx, row: SendableJob): Promise<boolean> {
  const removed = await tx.run`
    delete from push_jobs where subscription_id = ${row.id} and peer_id = ${row.peer_id} and last_seq = ${row.last_seq}`;
  return removed > 0;
}

/** Ends the lease of a job. @returns whether this process still had it: else it was cancelled while in flight, and the log has the reason */
async function release(
  tx: Queries,
  { job, row }: CompletedJob,
  dueAt: number,
  { attempts, short, logId }: typeof NEW_JOB,
): Promise<boolean> {
  const released = await tx.run`
    update push_jobs set due_at = ${dueAt}, leased = 0, attempts = ${attempts}, short = ${short}, log_id = ${logId}
    where subscription_id = ${row.id} and peer_id = ${row.peer_id} and due_at = ${job.leaseUntil}`;
  return released > 0;
}

async function defer(
  tx: Queries,
  completed: CompletedJob,
  { until, status, reason }: { until: number; status: number | null; reason: PushReason },
  state: typeof NEW_JOB,
): Promise<void> {
  if (await release(tx, completed, until, state))
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
    where id = ${row.id} and last_notified_at >= ${row.decided_at}`;
}

/** Suspends a subscription that was refused; refusals in flight together count once. */
async function suspend(
  tx: Tx,
  completed: CompletedJob,
  { status, reason }: { status: number | null; reason: PushWord },
): Promise<void> {
  const { row, now, logId } = completed;
  const until = suspendedUntil(row, now);
  if (until === undefined) {
    const detail = `${toDetail('refused_7_days')}: ${reason}`;
    return finish(tx, completed, { outcome: 'gone', status, reason: 'refused_7_days', detail });
  }
  await tx.run`
    update push_subscriptions
    set refusals = refusals + 1, refused_since = coalesce(refused_since, ${now}), not_before = ${until}
    where id = ${row.id} and p256dh = ${row.p256dh} and auth = ${row.auth} and refusals = ${row.refusals}`;
  const { attempts, short } = row;
  await defer(tx, completed, { until, status, reason }, { attempts: attempts + 1, short, logId });
}

async function log(tx: Queries, { row, logId, now }: CompletedJob, logged: LoggedResult): Promise<void> {
  const { id: subscriptionId, user_id: userId, peer_id: peerId } = row;
  const pair = { userId, peerId, kind: 'message' } as const;
  await writePushLog(
    tx,
    { ...pair, subscriptionId, deviceName: deviceNameInLog(row), ...logged },
    now,
    logId,
  );
}
