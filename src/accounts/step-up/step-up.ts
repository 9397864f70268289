import type { Db, Queries } from '../../db/db.ts';
import { overloaded, ServiceError } from '../../errors.ts';
import { getUser, lockUser } from '../../users/users.ts';
import type { Passwords } from '../passwords.ts';
import { sessionEnded } from '../session-lookup.ts';

// Some acts need more than a token, which may be stolen: the user has to have given their password in this session a moment ago.

const CONFIRMED_MS = 5 * 60_000;

/**
 * Confirms the caller's session for 5 minutes by the user's password, as a sign-in does.
 *
 * @returns until when, in epoch milliseconds
 * @throws {ServiceError} `invalid`, word `wrong_password`; `unauthenticated` if the session ended meanwhile
 */
export async function confirmSession(
  { db, passwords, now, signal }: { db: Db; passwords: Passwords; now: () => number; signal: AbortSignal },
  { userId, sessionId }: { userId: string; sessionId: string },
  password: string,
): Promise<number> {
  for (let attempt = 0; attempt < 5; attempt++) {
    const { password_hash: hash } = await getUser(db, userId);
    const { ok } = await passwords.verify(password, hash, signal);
    if (!ok) throw new ServiceError('invalid', 'wrong_password', '密码错误');
    const at = now();
    const isConfirmed = await db.transaction(async (tx) => {
      if ((await lockUser(tx, userId))?.password_hash !== hash) return false;
      const confirmed = await tx.run`update sessions set confirmed_at = ${at} where id = ${sessionId}`;
      if (confirmed === 0) throw sessionEnded();
      return true;
    });
    if (isConfirmed) return confirmedUntil(at, at);
  }
  // In every attempt the hash was replaced between reading and comparing it.
  throw overloaded();
}

/** Until when a session is confirmed; 0 if it is not, also for a time that lies ahead since the clock was set back. */
export function confirmedUntil(confirmedAt: number, now: number): number {
  return Math.abs(now - confirmedAt) < CONFIRMED_MS ? confirmedAt + CONFIRMED_MS : 0;
}

/**
 * Refuses an act whose session is not confirmed. The transaction holds the lock of the user's inbox, as every end of a session does
 * (`session-lookup.ts`).
 *
 * @throws {ServiceError} `forbidden`, word `confirm_required`; `unauthenticated` if the session has ended
 */
export async function requireConfirmed(tx: Queries, sessionId: string, now: number): Promise<void> {
  const session = await tx.get<{ confirmed_at: number }>`
    select confirmed_at from sessions where id = ${sessionId}`;
  if (!session) throw sessionEnded();
  if (confirmedUntil(session.confirmed_at, now) === 0)
    throw new ServiceError('forbidden', 'confirm_required', '请先输入密码确认');
}
