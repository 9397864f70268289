import type { Queries } from '../db/db.ts';

/** How many rows one question asks for. */
const AT_ONCE = 1000;

/** A session that a connection came in by. */
interface Claim {
  readonly userId: string;
  readonly sessionId: string;
}

/** Why a connection's session is good for nothing any more. */
export type Ending = 'ended' | 'suspended';

/**
 * Which of the sessions have ended, as the database says now: suspended where the user is, whether or not the session
 * was removed with it.
 */
export async function findEndings(db: Queries, claims: readonly Claim[]): Promise<Map<string, Ending>> {
  const endings = new Map<string, Ending>();
  for (let i = 0; i < claims.length; i += AT_ONCE) {
    const some = claims.slice(i, i + AT_ONCE);
    const [sessions, suspended] = await Promise.all([
      db.all<{
        id: string;
      }>`select id from sessions where id in ${db.list(some.map(({ sessionId }) => sessionId))}`,
      db.all<{ id: string }>`
        select id from users where status = 'suspended' and id in ${db.list(some.map(({ userId }) => userId))}`,
    ]);
    const open = new Set(sessions.map(({ id }) => id));
    const out = new Set(suspended.map(({ id }) => id));
    for (const { sessionId, userId } of some) {
      if (out.has(userId)) endings.set(sessionId, 'suspended');
      else if (!open.has(sessionId)) endings.set(sessionId, 'ended');
    }
  }
  return endings;
}
