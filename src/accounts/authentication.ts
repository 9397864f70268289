import { Multimap } from '../collections/multimap.ts';
import type { Db } from '../db/db.ts';
import type { Caller } from '../http/authenticate.ts';
import { findSession } from './session-lookup.ts';
import { SESSION_TOUCH_MS, touchSessions } from './sessions.ts';
import type { Tokens } from './tokens.ts';

/** Bounds the memory of the token cache. */
const MAX_CACHED_TOKENS = 100_000;

export type Authentication = ReturnType<typeof openAuthentication>;

/**
 * Turns tokens into callers. A verified token is cached until its session ends or the cache is full, so
 * that most calls need neither a signature check nor a query (measured: docs/performance.md).
 *
 * @param isCurrent whether cached tokens may be believed
 */
export function openAuthentication(db: Db, tokens: Tokens, now: () => number, isCurrent: () => boolean) {
  const cached = new Map<string, { readonly caller: Caller; usedAt: number }>();
  const tokensOfSession = new Multimap<string, string>();
  /** The sessions that were used since the last flush, each with the address of its client; '' if unknown. */
  let usedSessions = new Map<string, string>();
  /** Rises with each invalidation, so that what was verified or read before one is not cached. */
  let invalidations = 0;

  function recall(token: string, findAddress?: () => string): Caller | undefined {
    return isCurrent() ? confirm(token, findAddress) : undefined;
  }

  function confirm(token: string, findAddress?: () => string): Caller | undefined {
    const found = cached.get(token);
    const at = now();
    if (!found || found.caller.expiresAt <= at) return undefined;
    if (at - found.usedAt > SESSION_TOUCH_MS) {
      found.usedAt = at;
      markUsed([found.caller.sessionId], findAddress?.());
    }
    return found.caller;
  }

  function markUsed(sessionIds: Iterable<string>, address = ''): void {
    for (const id of sessionIds) usedSessions.set(id, address || (usedSessions.get(id) ?? ''));
  }

  function cache(token: string, caller: Caller, usedAt: number): void {
    const [oldest] = cached;
    if (oldest && cached.size >= MAX_CACHED_TOKENS) {
      cached.delete(oldest[0]);
      tokensOfSession.delete(oldest[1].caller.sessionId, oldest[0]);
    }
    cached.set(token, { caller, usedAt });
    tokensOfSession.add(caller.sessionId, token);
  }

  return {
    recall,

    /** The caller of a token that was just identified; `undefined` if this process has read since that its session ended. */
    confirm,

    async identify(token: string, findAddress?: () => string): Promise<Caller | undefined> {
      const caller = recall(token, findAddress);
      if (caller) return caller;
      for (;;) {
        const before = invalidations;
        const claims = await tokens.verify(token);
        if (!claims) return undefined;
        const session = await findSession(db, claims.sessionId, now());
        if (before !== invalidations) continue;
        if (session?.userId !== claims.userId) return undefined;
        cache(token, claims, session.usedAt);
        return confirm(token, findAddress);
      }
    },

    /**
     * Marks sessions as used, also those that send no token, as those of open sockets do: a socket sends its token once.
     *
     * @param address of their client; left out or empty: not known, and the stored one stays
     */
    markUsed,

    /** Drops the sessions' tokens from the cache: from now on the database decides, where the sessions have ended. */
    invalidate(sessionIds: readonly string[]): void {
      invalidations++;
      for (const id of sessionIds) {
        for (const token of tokensOfSession.get(id)) cached.delete(token);
        tokensOfSession.deleteAll(id);
      }
    },

    invalidateAll(): void {
      invalidations++;
      cached.clear();
      tokensOfSession.clear();
    },

    /** Stores time and address of use of the sessions that were used since the last call. */
    async flushUse(): Promise<void> {
      if (usedSessions.size === 0) return;
      const used = usedSessions;
      usedSessions = new Map();
      await touchSessions(db, used, now());
    },
  };
}
