import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { removeConversation } from '../chat/keeping/remove-conversation.ts';
import type { Db, Queries } from '../db/db.ts';
import { forUpdate } from '../db/fragments.ts';
import { eachUser } from './each-user.ts';

// Messages of an erased user stay with living peers. Those with erased peers belong to nobody: they are removed after the erasing, bit by
// bit, as there may be many. Of two users who are erased at the same time, the work of the later one finds both erased.

/** Messages that one transaction removes, and conversations that it looks at. */
const BATCH_ROWS = 200;

/** Stores that the conversations of a user with other erased users are to be removed, in the transaction that erases them. */
export async function beginErasure(tx: Queries, userId: string): Promise<void> {
  await tx.run`
    insert into erasures (user_id) values (${userId}) on conflict (user_id) do update set after_peer = ''`;
}

/**
 * Removes what is left to be removed of erased users. Several nodes may do it at once, and it goes on where a process ended.
 *
 * @param stopping ends it after the batch that is being removed
 * @throws {AggregateError} see {@link eachUser}
 */
export function finishErasures(db: Db, now: number, stopping?: AbortSignal): Promise<void> {
  return eachUser(
    (limit) => db.all<{ user_id: string }>`
      select user_id from erasures where user_id > '' order by user_id limit ${limit}`,
    async (userId) => {
      while (!stopping?.aborted && (await removeBatch(db, userId, now))) await yieldToEventLoop();
    },
    stopping,
  );
}

interface PeerRow {
  readonly peer_id: string;
  readonly is_erased: number;
}

/** @returns false when nothing is left to do */
function removeBatch(db: Db, userId: string, now: number): Promise<boolean> {
  return db.transaction(async (tx) => {
    // Locked, so that another node goes on behind this batch.
    const erasure = await tx.get<{ after_peer: string }>`
      select after_peer from erasures where user_id = ${userId} ${forUpdate}`;
    if (!erasure) return false;
    const peers = await tx.all<PeerRow>`
      select peer_id, case when users.status = 'deleted' and users.password_hash = '' then 1 else 0 end as is_erased
      from conversations join users on users.id = conversations.peer_id
      where conversations.user_id = ${userId} and conversations.peer_id > ${erasure.after_peer}
      order by conversations.peer_id limit ${BATCH_ROWS}`;
    const erased = peers.find(({ is_erased }) => is_erased === 1);
    if (!erased && peers.length < BATCH_ROWS) {
      await tx.run`delete from erasures where user_id = ${userId}`;
      return false;
    }
    const last = erased ?? peers.at(-1);
    const isDone = !erased || (await removeConversation(tx, userId, erased.peer_id, BATCH_ROWS, now));
    if (isDone && last)
      await tx.run`update erasures set after_peer = ${last.peer_id} where user_id = ${userId}`;
    return true;
  });
}
