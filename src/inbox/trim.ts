import { inBatches } from '../db/batches.ts';
import type { Db } from '../db/db.ts';

/** Events of a user are kept for this long, and at most this many (docs/protocol.md, The log). */
const MAX_AGE_MS = 7 * 24 * 60 * 60 * 1000;
const MAX_EVENTS = 5_000;

/** Removes events beyond the limits of age and number. A device that has not got them yet does a sync instead of a resume. */
export async function trimInboxes(db: Db, now: number): Promise<void> {
  await removeOld(db, now - MAX_AGE_MS);
  await removeSurplus(db);
}

/** Removes old events with all events before them, even if a clock step made those younger: a log must not have gaps. */
async function removeOld(db: Db, before: number): Promise<void> {
  await inBatches(
    (limit) => db.run`
      delete from inbox where (user_id, seq) in (
        select inbox.user_id, inbox.seq
        from (select user_id, max(seq) as last from (
          select user_id, seq from inbox where at < ${before} order by at limit ${limit}) oldest group by user_id) ended
        join inbox on inbox.user_id = ended.user_id and inbox.seq <= ended.last
        order by inbox.user_id, inbox.seq limit ${limit})`,
  );
}

async function removeSurplus(db: Db): Promise<void> {
  let after = '';
  await inBatches(async (limit) => {
    const heads = await db.all<{ user_id: string; seq: number }>`
      select user_id, seq from inbox_heads where user_id > ${after} order by user_id limit ${limit}`;
    for (const { user_id: userId, seq } of heads)
      if (seq > MAX_EVENTS) await removeUpTo(db, userId, seq - MAX_EVENTS);
    after = heads.at(-1)?.user_id ?? after;
    return heads.length;
  });
}

async function removeUpTo(db: Db, userId: string, seq: number): Promise<void> {
  const first = await db.get`select seq from inbox where user_id = ${userId} and seq <= ${seq} limit 1`;
  if (!first) return;
  await inBatches(
    (limit) => db.run`
      delete from inbox where user_id = ${userId} and seq in (
        select seq from inbox where user_id = ${userId} and seq <= ${seq} order by seq limit ${limit})`,
  );
}
