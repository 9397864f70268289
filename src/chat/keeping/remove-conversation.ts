import type { Tx } from '../../db/db.ts';
import { removePicture } from '../../pictures/remove-pictures.ts';
import { removeRequest } from '../../relations/message-requests.ts';
import { removeSettings } from './keep-conversation.ts';

/**
 * Removes a conversation of two erased users, its oldest `limit` messages at a time with their pictures, and after the last one both sides
 * with all that is stored of them. Nobody can write to it any more, so it needs no lock.
 *
 * @returns whether nothing is left
 */
export async function removeConversation(
  tx: Tx,
  one: string,
  other: string,
  limit: number,
  now: number,
): Promise<boolean> {
  const [low, high] = one < other ? [one, other] : [other, one];
  const removed = await tx.all<{ picture_id: string | null }>`
    delete from messages where low_id = ${low} and high_id = ${high} and n < coalesce((
      select n from messages where low_id = ${low} and high_id = ${high} order by n limit 1 offset ${limit}), ${Number.MAX_SAFE_INTEGER})
    returning picture_id`;
  await Promise.all(removed.flatMap(({ picture_id: id }) => (id === null ? [] : removePicture(tx, id, now))));
  // Asked again: another node may have removed those that were found, while others are left.
  if (await tx.get`select 1 from messages where low_id = ${low} and high_id = ${high} limit 1`) return false;
  for (const [userId, peerId] of [
    [low, high],
    [high, low],
  ] as const) {
    await tx.run`delete from conversations where user_id = ${userId} and peer_id = ${peerId}`;
    await removeSettings(tx, userId, peerId);
    await removeRequest(tx, userId, peerId);
  }
  return true;
}
