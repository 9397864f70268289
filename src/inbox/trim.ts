import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { inBatches } from '../db/batches.ts';
import type { Db } from '../db/db.ts';
import { asTable } from '../db/fragments.ts';

/** Events of a user are kept for this long, and at most this many (docs/protocol.md, The log). */
const MAX_AGE_MS = 7 * 24 * 60 * 60 * 1000;
const MAX_EVENTS = 5_000;
/** Users whose first events one statement looks at, and how many events in all: one or two milliseconds. */
const USERS_AT_ONCE = 10;
const EVENTS_AT_ONCE = 200;
const FIRST_EVENTS = { user_id: 'text', seq: 'bigint', surplus: 'bigint' } as const;

/** A log and its first event that is kept. */
interface Log {
  readonly user_id: string;
  readonly seq: number;
  readonly at: number;
  /** The events up to this one are beyond the limit of number. */
  readonly surplus: number;
}

/**
 * Removes events beyond the limits of age and number. A device that has not got them yet does a sync instead of a resume.
 *
 * One walk over all users, by the first event of each: no index by time, which every event would pay for. A log has no gaps, so an
 * event goes with all events before it. One that was written while the clock was ahead keeps those behind it until it is old
 * itself or, while its time has not come, until one of the 19 behind it is old.
 *
 * @param now epoch milliseconds
 */
export async function trimInboxes(db: Db, now: number): Promise<void> {
  const before = now - MAX_AGE_MS;
  let after = '';
  await inBatches(async (limit) => {
    const logs = await db.all<Log | { readonly user_id: string; readonly seq: null }>`
      select heads.user_id, heads.seq - ${MAX_EVENTS} as surplus, first.seq, first.at
      from (select user_id, seq from inbox_heads where user_id > ${after} order by user_id limit ${limit}) heads
      left join inbox first on first.user_id = heads.user_id
        and first.seq = (select min(seq) from inbox where inbox.user_id = heads.user_id)
      order by heads.user_id`;
    const outdated = logs
      .filter((log) => log.seq !== null)
      .filter(({ seq, at, surplus }) => at < before || at > now || seq <= surplus);
    for (let i = 0; i < outdated.length; i += USERS_AT_ONCE)
      await removeFirst(db, outdated.slice(i, i + USERS_AT_ONCE), before);
    after = logs.at(-1)?.user_id ?? after;
    return logs.length;
  });
}

/** Removes the old and surplus events among the first ones of some users, with all events before them, until there is none. */
async function removeFirst(db: Db, logs: readonly Log[], before: number): Promise<void> {
  let firsts = logs;
  while (firsts.length > 0) {
    const width = Math.floor(EVENTS_AT_ONCE / firsts.length);
    const removed = await db.all<{ user_id: string }>`
      delete from inbox where (user_id, seq) in (
        select inbox.user_id, inbox.seq
        from (select wanted.user_id, max(inbox.seq) as last
          from ${asTable(FIRST_EVENTS, firsts)} as wanted
          join inbox on inbox.user_id = wanted.user_id and inbox.seq >= wanted.seq and inbox.seq < wanted.seq + ${width}
          where inbox.at < ${before} or inbox.seq <= wanted.surplus group by wanted.user_id) ended
        join inbox on inbox.user_id = ended.user_id and inbox.seq <= ended.last)
      returning user_id`;
    const counts = new Map<string, number>();
    for (const { user_id } of removed) counts.set(user_id, (counts.get(user_id) ?? 0) + 1);
    firsts = firsts
      .filter(({ user_id }) => (counts.get(user_id) ?? 0) >= width)
      .map((log) => ({ ...log, seq: log.seq + width }));
    await yieldToEventLoop();
  }
}
