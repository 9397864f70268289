import type { Db } from '../../db/db.ts';
import { COOLDOWN_MS, decideDue } from '../decide/decide.ts';
import { claimJobs, type Job, LEASE_MS, nextJobAt, releaseLeases, returnJobs } from '../decide/jobs.ts';
import { CLOCK_TOLERANCE_MS, endOverlongPairs, findDue, nextDueAt } from '../decide/pending.ts';
import { LONGEST_WAIT_MS, REMOVE_AFTER_MS } from './retry-policy.ts';

/** How long work that is due is left to the node that stored or deferred it. */
const LEFT_TO_OTHERS_MS = 2_000;
/** Times are rounded up to a multiple of this, so that a node decides many pairs together. */
const PRECISION_MS = 100;
/** Later times are not remembered: to them the 2 s do not matter. */
const REMEMBERED_MS = 15_000;
/** No job waits longer, except for a subscription that is suspended. */
const LONGEST_JOB_WAIT_MS = 24 * 60 * 60 * 1000;
/** How many pairs are decided in one transaction. */
const BATCH = 128;

/**
 * What is due: pairs to decide and jobs to send. All of it is in the database. Of several nodes each remembers when something is due that
 * it stored or deferred. At other times it does only what is overdue by 2 s, so that not all nodes wake for all work (architecture 8.5).
 * What a process forgets when it ends is overdue for the others.
 */
export class DueWork {
  readonly #db: Db;
  /** How long what is due in the database is left to other nodes; 0 for a process that has it alone, which remembers no times. */
  readonly #leftMs: number;
  readonly #times = new Set<number>();

  constructor(db: Db, { isAlone }: { isAlone: boolean }) {
    this.#db = db;
    this.#leftMs = isAlone ? 0 : LEFT_TO_OTHERS_MS;
  }

  /** A process that has the database alone (architecture 11) starts after the holders of all leases have ended. */
  async start(now: number): Promise<void> {
    if (this.#leftMs === 0) await releaseLeases(this.#db, now);
  }

  /** Remembers that this node has work at `dueAt`. */
  add(dueAt: number, now: number): void {
    if (this.#leftMs === 0 || dueAt > now + REMEMBERED_MS) return;
    this.#times.add(dueAt <= now ? now : Math.ceil(dueAt / PRECISION_MS) * PRECISION_MS);
  }

  /**
   * Decides one batch of pairs.
   *
   * @returns the jobs that were made and claimed, and whether pairs were left as another transaction had locked their inbox
   */
  async decide(now: number): Promise<{ jobs: Job[]; isHeld: boolean }> {
    const reached = [...this.#times].filter((at) => at <= now);
    for (const at of reached) this.#times.delete(at);
    const pairs = await findDue(this.#db, reached.length > 0 ? now : now - this.#leftMs, BATCH);
    if (pairs.length === 0) return { jobs: [], isHeld: false };
    const { jobs, isHeld } = await decideDue(this.#db, pairs, now);
    this.add(now + COOLDOWN_MS, now);
    if (isHeld || pairs.length === BATCH) this.add(now, now);
    return { jobs, isHeld };
  }

  /** Claims up to `limit` jobs that are due. */
  async claim(limit: number, now: number): Promise<Job[]> {
    return (await nextJobAt(this.#db)) <= now ? claimJobs(this.#db, now, limit) : [];
  }

  /** Returns claimed jobs that are not sent now, each due at its `dueAt`. */
  async return(jobs: readonly { job: Job; dueAt: number }[], now: number): Promise<void> {
    for (const { dueAt } of jobs) this.add(dueAt, now);
    await returnJobs(this.#db, jobs);
  }

  /** When there is a pair to decide, and a job to claim, epoch milliseconds. */
  async nextAt(): Promise<{ pairAt: number; jobAt: number }> {
    const [pairAt, jobAt] = await Promise.all([nextDueAt(this.#db), nextJobAt(this.#db)]);
    return { pairAt: Math.min(pairAt + this.#leftMs, ...this.#times), jobAt: jobAt + this.#leftMs };
  }

  /**
   * Makes due what waits longer than any wait can be: it was written before the wall clock was set back. A job in flight too, which the
   * process that has it claims again.
   *
   * @param stepMs by how much the clock was set; 0 if that is not known, as at the start
   */
  async endOverlongWaits(now: number, stepMs: number): Promise<void> {
    this.#times.clear();
    this.add(now, now);
    await endOverlongPairs(this.#db, now);
    await endOverlongJobWaits(this.#db, now, stepMs);
  }
}

/** Ends waits of jobs and devices that are longer than any wait can be. Other waits keep their remaining time. */
async function endOverlongJobWaits(db: Db, now: number, stepMs: number): Promise<void> {
  await db.transaction(async (tx) => {
    await tx.run`
      update push_jobs set due_at = due_at - (decided_at - ${now}), decided_at = ${now}
      where leased = 0 and decided_at > ${now}`;
    if (stepMs < 0) {
      await tx.run`
        update push_subscriptions set not_before = not_before - ${-stepMs} where not_before > ${now}`;
      // The end of quiet hours was computed at a time that did not come.
      await tx.run`
        update push_jobs set due_at = ${now}
        where leased = 0 and due_at > ${now} and exists (select 1 from push_log
          where id = push_jobs.log_id and outcome = 'waiting' and reason = 'quiet')`;
    }
    await tx.run`update push_subscriptions set last_notified_at = 0 where last_notified_at > ${now}`;
    await tx.run`
      update push_subscriptions set not_before = coalesce((
        select max(due_at) from push_jobs
        where subscription_id = push_subscriptions.id and leased = 0 and due_at <= ${now + LONGEST_WAIT_MS}), 0)
      where not_before > ${now + REMOVE_AFTER_MS} or (refusals = 0 and not_before > ${now + LONGEST_WAIT_MS})`;
    await tx.run`
      update push_jobs set due_at = ${now}
      where leased = 0 and due_at > ${now + LONGEST_JOB_WAIT_MS}
        and due_at > (select not_before from push_subscriptions where id = push_jobs.subscription_id)`;
    await tx.run`
      update push_jobs set due_at = ${now}, leased = 0
      where leased = 1 and due_at > ${now + LEASE_MS + CLOCK_TOLERANCE_MS}`;
  });
}
