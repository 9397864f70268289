import type { Queries } from '../db/db.ts';
import { ServiceError } from '../errors.ts';

/** A session ends after this time without use (architecture 10.3). */
export const SESSION_IDLE_MS = 180 * 24 * 60 * 60 * 1000;

/** The session's user and its last use, unless it has ended. */
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
 * Checks the session inside the transaction of a write on its behalf: it may have ended since its token was verified. The
 * transaction must hold the lock of the user's inbox, as {@link lockSession} explains.
 *
 * @throws {ServiceError} `unauthenticated`
 */
export async function assertSessionActive(tx: Queries, id: string): Promise<void> {
  const session = await tx.get`select id from sessions where id = ${id}`;
  if (!session) throw sessionEnded();
}

/**
 * Locks the session for a write without the lock of the user's inbox: the session cannot end until the transaction is over.
 * Ends of sessions hold the lock of the inbox, except suspension by a command, the clean-up of idle sessions and the end of an API
 * key, where a write in flight may still commit.
 *
 * @throws {ServiceError} `unauthenticated`
 */
export async function lockSession(tx: Queries, id: string): Promise<void> {
  if ((await tx.run`update sessions set device = device where id = ${id}`) === 0) throw sessionEnded();
}

/** The refusal of a caller whose session has ended. */
export function sessionEnded(): ServiceError {
  return new ServiceError('unauthenticated', 'unauthenticated', '未登录或登录已过期');
}
