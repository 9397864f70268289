import type { Db } from '../../db/db.ts';
import { type Job, LEASE_MS, returnJobs } from '../queue/jobs.ts';
import { CLOCK_TOLERANCE_MS } from '../queue/pending.ts';
import { LONGEST_SUSPENSION_MS, LONGEST_WAIT_MS } from './retry-policy.ts';

/** No job waits longer, except for a subscription that is suspended. */
const LONGEST_JOB_WAIT_MS = 24 * 60 * 60 * 1000;

type Lease = Pick<Job, 'subscriptionId' | 'peerId' | 'leaseUntil'>;

/**
 * Ends waits of jobs and devices that are longer than any wait can be, because the wall clock was set back. Other waits keep their
 * remaining time. Jobs in flight keep their lease, by which their result is recorded.
 *
 * @param clock.stepMs by how much the clock was set since the last call; 0 if that is not known, as at the start
 */
export async function endOverlongWaits(
  db: Db,
  { now, stepMs }: { now: number; stepMs: number },
  isInFlight: (lease: Lease) => boolean,
): Promise<void> {
  const leases = await db.all<Lease>`
    select subscription_id as "subscriptionId", peer_id as "peerId", due_at as "leaseUntil" from push_jobs
    where leased = 1 and due_at > ${now + LEASE_MS + CLOCK_TOLERANCE_MS}`;
  const lost = leases.filter((lease) => !isInFlight(lease));
  await returnJobs(
    db,
    lost.map((job) => ({ job, dueAt: now })),
  );
  await db.transaction(async (tx) => {
    await tx.run`
      update push_jobs set due_at = due_at - (decided_at - ${now}), decided_at = ${now}
      where leased = 0 and decided_at > ${now}`;
    if (stepMs < 0)
      await tx.run`
        update push_subscriptions set not_before = not_before - ${-stepMs} where not_before > ${now}`;
    await tx.run`update push_subscriptions set last_notified_at = 0 where last_notified_at > ${now}`;
    await tx.run`
      update push_subscriptions set not_before = coalesce((
        select max(due_at) from push_jobs
        where subscription_id = push_subscriptions.id and leased = 0 and due_at <= ${now + LONGEST_WAIT_MS}), 0)
      where not_before > ${now + LONGEST_SUSPENSION_MS} or (refusals = 0 and not_before > ${now + LONGEST_WAIT_MS})`;
    await tx.run`
      update push_jobs set due_at = ${now}
      where leased = 0 and due_at > ${now + LONGEST_JOB_WAIT_MS}
        and due_at > (select not_before from push_subscriptions where id = push_jobs.subscription_id)`;
  });
}
