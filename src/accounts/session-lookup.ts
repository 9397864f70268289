import type { Queries } from '../db/db.ts';
import { ServiceError } from '../errors.ts';

/** A session that nobody used for so long has ended (architecture 10.3). */
export const SESSION_IDLE_MS = 180 * 24 * 60 * 60 * 1000;

/** Whose session it is, and when it was last used, if it has not ended. */
export async function findSession(
  db: Queries,
  id: string,
  now: number,
): Promise<{ userId: string; usedAt: number } | undefined> {
  const row = await db.get<{ user_id: string; used_at: number }>`
    select user_id, used_at from sessions where id = ${id} and used_at > ${now - SESSION_IDLE_MS}`;
  return row && { userId: row.user_id, usedAt: row.used_at };
}

/**
 * For a write on behalf of a session, in its transaction: the session may have ended since its token was judged.
 *
 * @throws {ServiceError} `unauthenticated`
 */
export async function refuseEndedSession(tx: Queries, id: string): Promise<void> {
  const session = await tx.get`select id from sessions where id = ${id}`;
  if (!session) throw ended();
}

/**
 * The same for a write without the lock of the user's inbox, which whoever ends a session holds: the session cannot end
 * until the transaction is over.
 *
 * @throws {ServiceError} `unauthenticated`
 */
export async function holdSession(tx: Queries, id: string): Promise<void> {
  if ((await tx.run`update sessions set device = device where id = ${id}`) === 0) throw ended();
}

function ended(): ServiceError {
  return new ServiceError('unauthenticated', 'unauthenticated', '未登录或登录已过期');
}
