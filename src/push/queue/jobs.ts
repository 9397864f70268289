import type { Db, Queries } from '../../db/db.ts';

/** How long a process may keep what it claimed before another may take it. */
export const LEASE_MS = 60_000;

/** One device that is to be told of one conversation, claimed by this process. */
export interface Job {
  readonly subscriptionId: string;
  readonly peerId: string;
  readonly userId: string;
  /** The number, in the user's inbox, of the last message that the push is about. */
  readonly lastSeq: number;
  /** Of the push service. */
  readonly origin: string;
  /** Epoch milliseconds; as long as the row says the same, it is ours. */
  leaseUntil: number;
}

interface ClaimedRow {
  subscription_id: string;
  peer_id: string;
  user_id: string;
  last_seq: number;
  endpoint: string | null;
}

/** Takes up to `limit` jobs that are due, the longest due first, so that no other process does. */
export async function claimJobs(db: Db, now: number, limit: number): Promise<Job[]> {
  const leaseUntil = now + LEASE_MS;
  const rows = await db.transaction(
    (tx) => tx.all<ClaimedRow>`
      with due as materialized (
        select subscription_id, peer_id from push_jobs where due_at <= ${now} order by due_at limit ${limit} ${tx.skipLocked})
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

/** Gives jobs back, unless they are no longer ours: they are due at `dueAt`. */
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

/** Ends the leases of processes that are gone, which only a process that is alone can know. */
export async function endLeases(db: Queries, now: number): Promise<void> {
  await db.run`update push_jobs set due_at = ${now}, leased = 0 where leased = 1`;
}

/** When the next job is due, or its lease ends; epoch milliseconds. */
export async function nextJobAt(db: Queries): Promise<number | undefined> {
  const row = await db.get<{ at: number | null }>`select min(due_at) as at from push_jobs`;
  return row?.at ?? undefined;
}

export function keyOf({ subscriptionId, peerId }: Pick<Job, 'subscriptionId' | 'peerId'>): string {
  return `${subscriptionId} ${peerId}`;
}

export function originOf(endpoint: string): string {
  return URL.parse(endpoint)?.origin ?? '';
}
