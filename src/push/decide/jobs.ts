import type { Db, Queries } from '../../db/db.ts';
import { skipLocked } from '../../db/fragments.ts';
import { originOf } from '../webpush/endpoint-guard.ts';

/** How long a process holds a claimed job before another may claim it. */
export const LEASE_MS = 60_000;

/** One push to send: a device and a conversation, claimed by this process. */
export interface Job {
  readonly subscriptionId: string;
  readonly peerId: string;
  readonly userId: string;
  /** The `seq`, in the user's inbox, of the last message that the push is about. */
  readonly lastSeq: number;
  readonly origin: string;
  /** Epoch milliseconds; this process holds the job as long as its row has the same value. */
  leaseUntil: number;
}

/** Claims up to `limit` due jobs for this process, the longest due first. */
export async function claimJobs(db: Db, now: number, limit: number): Promise<Job[]> {
  const leaseUntil = now + LEASE_MS;
  const rows = await db.transaction(
    (tx) => tx.all<Omit<Job, 'leaseUntil' | 'origin'> & { readonly endpoint: string | null }>`
      with due as materialized (
        select subscription_id, peer_id from push_jobs where due_at <= ${now} order by due_at limit ${limit} ${skipLocked})
      update push_jobs set due_at = ${leaseUntil}, leased = 1
      where (subscription_id, peer_id) in (select subscription_id, peer_id from due)
      returning subscription_id as "subscriptionId", peer_id as "peerId", user_id as "userId", last_seq as "lastSeq",
        (select endpoint from push_subscriptions where id = push_jobs.subscription_id) as endpoint`,
  );
  return rows.map(({ endpoint, ...job }) => ({ ...job, origin: originOf(endpoint ?? ''), leaseUntil }));
}

/** Returns jobs to the queue, due at `dueAt`, unless this process has lost their lease. */
export async function returnJobs(db: Queries, jobs: readonly { job: Job; dueAt: number }[]): Promise<void> {
  await Promise.all(
    jobs.map(
      ({ job, dueAt }) => db.run`
        update push_jobs set due_at = ${dueAt}, leased = 0
        where subscription_id = ${job.subscriptionId} and peer_id = ${job.peerId} and due_at = ${job.leaseUntil}`,
    ),
  );
}

/** Releases all leases; only for a process that is alone on the database, after the one before has ended. */
export async function releaseLeases(db: Queries, now: number): Promise<void> {
  await db.run`update push_jobs set due_at = ${now}, leased = 0 where leased = 1`;
}

/** When the next job is due or the next lease ends, epoch milliseconds; `Infinity` if there is none. */
export async function nextJobAt(db: Queries): Promise<number> {
  const row = await db.get<{ at: number | null }>`select min(due_at) as at from push_jobs`;
  return row?.at ?? Number.POSITIVE_INFINITY;
}

export function jobKey({ subscriptionId, peerId }: Pick<Job, 'subscriptionId' | 'peerId'>): string {
  return `${subscriptionId} ${peerId}`;
}
