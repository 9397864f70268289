import type { Queries } from '../db/db.ts';
import { forUpdate, inList } from '../db/fragments.ts';
import type { Picture } from '../events/log-events.ts';

/** A message that is to have a picture of its sender. */
interface WithPicture {
  readonly from: string;
  readonly picture?: string | undefined;
}

/**
 * Locks the pictures that the messages name and may have: whole, of their sender, and in no message yet. The caller has locked the inboxes
 * of the senders, so no other message can take one meanwhile; the lock of the row keeps out the job that removes old uploads.
 *
 * @returns the pictures by the places of their messages; without a statement where no message names one
 */
export async function lockPictures(
  tx: Queries,
  messages: readonly WithPicture[],
): Promise<ReadonlyMap<number, Picture>> {
  const ids = messages.flatMap(({ picture }) => picture ?? []);
  if (ids.length === 0) return new Map();
  const rows = await tx.all<Picture & { free_for: string | null }>`
    select id, type, size, width, height, case when is_whole = 1 and low_id is null then owner_id end as free_for
    from pictures where id in ${inList(ids)} order by id ${forUpdate}`;
  const found = new Map(rows.map(({ free_for, ...picture }) => [`${free_for} ${picture.id}`, picture]));
  return new Map(
    messages.flatMap(({ from, picture }, place) => {
      const own = found.get(`${from} ${picture}`);
      return own ? [[place, own] as const] : [];
    }),
  );
}

/** Gives a locked picture to the conversation of two users. Sends its statement before it returns. */
export function claimPicture(tx: Queries, id: string, lowId: string, highId: string): Promise<number> {
  return tx.run`
    update pictures set low_id = ${lowId}, high_id = ${highId}, remove_at = null where id = ${id}`;
}
