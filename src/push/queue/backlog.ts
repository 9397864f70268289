import type { Queries } from '../../db/db.ts';

/** Where counting stops: a larger backlog counts as this many. */
export const MOST_COUNTED = 10_000;

/** Work that is due and not taken by a process. */
export interface Backlog {
  /** Up to {@link MOST_COUNTED}. */
  readonly count: number;
  /** When the oldest became due, epoch milliseconds; null if there is none. */
  readonly oldestAt: number | null;
}

/** The pushes that are to be decided, and those that are to be sent, by all processes on the database together. */
export async function readBacklog(db: Queries, now: number): Promise<{ decide: Backlog; send: Backlog }> {
  const [decide, send] = await Promise.all([
    db.get<Backlog>`
      select count(*) as count, min(due_at) as "oldestAt" from (
        select due_at from push_pending where due_at <= ${now} order by due_at limit ${MOST_COUNTED}) as due`,
    db.get<Backlog>`
      select count(*) as count, min(due_at) as "oldestAt" from (
        select due_at from push_jobs where due_at <= ${now} order by due_at limit ${MOST_COUNTED}) as due`,
  ]);
  const none = { count: 0, oldestAt: null };
  return { decide: decide ?? none, send: send ?? none };
}
