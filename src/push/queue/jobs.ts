import type { Db, Queries } from '../../db/db.ts';
import { skipLocked } from '../../db/fragments.ts';
import { originOf } from '../webpush/origin.ts';

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

interface ClaimedRow {
  subscription_id: string;
  peer_id: string;
  user_id: string;
  last_seq: number;
  endpoint: string | null;
}

/** Claims up to `limit` due jobs for this process, the longest due first. */
export async function claimJobs(db: Db, now: number, limit: number): Promise<Job[]> {
  const leaseUntil = now + LEASE_MS;
  const rows = await db.transaction(
    (tx) => tx.all<ClaimedRow>`
      with due as materialized (
        select subscription_id, peer_id from push_jobs where due_at <= ${now} order by due_at limit ${limit} ${skipLocked})
      update push_jobs set due_at = ${leaseUntil}, leased = 1
      where (subscription_id, peer_id) in (select subscription_id, peer_id from due)
      returning subscription_id, peer_id, user_id, last_seq,
        (select endpoint from push_subscriptions where id = push_jobs.subscription_id) as endpoint`,
  );
  return rows.map((row) => ({
    subscriptionId: row.subscription_id,
    peerId: row.peer_id,
    userId: row.user_id,
    lastSeq: row.last_seq,
    origin: originOf(row.endpoint ?? ''),
    leaseUntil,
  }));
}

/** Returns jobs to the queue, due at `dueAt`, unless this process has lost their lease. */
export async function returnJobs(
  db: Queries,
  jobs: readonly { job: Pick<Job, 'subscriptionId' | 'peerId' | 'leaseUntil'>; dueAt: number }[],
): Promise<void> {
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

/** When the next job is due or the next lease ends; epoch milliseconds. */
export async function nextJobAt(db: Queries): Promise<number | undefined> {
  const row = await db.get<{ at: number | null }>`select min(due_at) as at from push_jobs`;
  return row?.at ?? undefined;
}

export function jobKey({ subscriptionId, peerId }: Pick<Job, 'subscriptionId' | 'peerId'>): string {
  return `${subscriptionId} ${peerId}`;
}
