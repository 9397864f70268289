import type { Clock, PeriodicJob } from '../clock.ts';
import { inBatches } from '../db/batches.ts';
import type { Db, Queries } from '../db/db.ts';

export const DAY_MS = 24 * 60 * 60 * 1000;

const REMOVE_MS = 60_000;

/** Marks the picture of a message that is unsent, in the same transaction: from then on no one gets it. */
export async function removePicture(tx: Queries, id: string, now: number): Promise<void> {
  await tx.run`update pictures set is_whole = 0, remove_at = ${now} where id = ${id}`;
}

/** The same for what a user has uploaded and not sent. To be called in the transaction that deletes the account. */
export async function removeUnsentPictures(tx: Queries, userId: string, now: number): Promise<void> {
  await tx.run`
    update pictures set is_whole = 0, remove_at = ${now} where owner_id = ${userId} and low_id is null`;
}

/**
 * Removes the bytes of marked pictures and of old uploads that were not sent, each in one transaction. Those of messages in an open report
 * are kept until it is decided. A row stays for a day after its upload, so that what was unsent still counts among the uploads of that day.
 * Several nodes may do it at once.
 */
export async function removePictures(db: Db, now: number): Promise<void> {
  await inBatches(async (limit) => {
    const due = await db.all<{ id: string }>`
      select id from pictures
      where remove_at <= ${now} and (
        select 1 from reports where reported_id in (pictures.low_id, pictures.high_id) and decided_at is null
          and messages like '%' || pictures.id || '%' limit 1) is null
      order by remove_at limit ${limit}`;
    for (const { id } of due) await removeBytes(db, id, now);
    return due.length;
  });
}

/** A message may claim an old upload at the same moment: who locks its row first decides. */
async function removeBytes(db: Db, id: string, now: number): Promise<void> {
  await db.transaction(async (tx) => {
    const row = await tx.get<{ counts_until: number }>`
      update pictures set is_whole = 0, remove_at = created_at + ${DAY_MS}
      where id = ${id} and remove_at <= ${now} returning remove_at as counts_until`;
    if (!row) return;
    await tx.run`delete from picture_pieces where id = ${id}`;
    if (row.counts_until <= now) await tx.run`delete from pictures where id = ${id}`;
  });
}

export function pictureJobs(db: Db, { now }: Clock): PeriodicJob[] {
  return [{ name: 'remove pictures', everyMs: REMOVE_MS, run: () => removePictures(db, now()) }];
}
