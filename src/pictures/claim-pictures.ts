import type { Queries } from '../db/db.ts';
import { asTable, forUpdate } from '../db/fragments.ts';
import type { Picture } from '../events/log-events.ts';

/** A message that is to have a picture of its sender. */
interface WithPicture {
  readonly from: string;
  readonly picture?: string | undefined;
}

const WANTED = { position: 'bigint', id: 'text', owner_id: 'text' } as const;

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
  const wanted = messages.flatMap(({ from, picture: id }, position) =>
    id === undefined ? [] : [{ position, id, owner_id: from }],
  );
  if (wanted.length === 0) return new Map();
  const rows = await tx.all<Picture & { position: number }>`
    select wanted.position, pictures.id, pictures.type, pictures.size, pictures.width, pictures.height
    from ${asTable(WANTED, wanted)} as wanted
    join pictures on pictures.id = wanted.id and pictures.owner_id = wanted.owner_id
    where pictures.is_whole = 1 and pictures.low_id is null order by pictures.id ${forUpdate}`;
  return new Map(rows.map(({ position, ...picture }) => [position, picture]));
}

/** Gives a locked picture to the conversation of two users. Sends its statement before it returns. */
export function claimPicture(tx: Queries, id: string, lowId: string, highId: string): Promise<number> {
  return tx.run`
    update pictures set low_id = ${lowId}, high_id = ${highId}, remove_at = null where id = ${id}`;
}
