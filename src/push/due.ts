import type { Queries } from '../db/db.ts';

/** How long a message has to be seen before it is worth a push (DESIGN 7). */
const SEEN_WITHIN_MS = 5_000;

/** In the transaction of the message: if nobody sees it, its recipient is to be told of it. */
export async function notePushDue(
  tx: Queries,
  { userId, peerId, seq, now }: { userId: string; peerId: string; seq: number; now: number },
): Promise<void> {
  await tx.run`
    insert into push_due (user_id, peer_id, first_seq, last_seq, count, due_at)
    values (${userId}, ${peerId}, ${seq}, ${seq}, 1, ${now + SEEN_WITHIN_MS})
    on conflict (user_id, peer_id) do update set last_seq = excluded.last_seq, count = push_due.count + 1`;
}

/** Everything of `peerId` was read, so nothing of it is worth a push. */
export async function noteRead(tx: Queries, userId: string, peerId: string): Promise<void> {
  await tx.run`delete from push_due where user_id = ${userId} and peer_id = ${peerId}`;
}

/** An attentive device acknowledged the user's inbox up to `seq`. */
export async function noteSeen(db: Queries, userId: string, seq: number): Promise<void> {
  await db.run`delete from push_due where user_id = ${userId} and last_seq <= ${seq}`;
}

/** In the transaction of a block: nothing of `peerId` is told any more. */
export async function cancelPushes(tx: Queries, userId: string, peerId: string): Promise<void> {
  await tx.run`delete from push_due where user_id = ${userId} and peer_id = ${peerId}`;
}
