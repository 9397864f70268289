import { Multimap } from '../collections/multimap.ts';
import type { Db } from '../db/db.ts';
import type { Authenticator, Caller } from '../http/authenticate.ts';
import { findSession } from './session-lookup.ts';
import { SESSION_TOUCH_MS, touchSessions } from './sessions.ts';
import type { Tokens } from './tokens.ts';

/** Bounds the memory of the token cache. */
const MAX_CACHED_TOKENS = 100_000;

interface CachedToken {
  readonly caller: Caller;
  usedAt: number;
}

/**
 * Turns tokens into callers. A verified token is cached until it expires or its session ends, so
 * that most calls need neither a signature check nor a query (measured: docs/performance.md).
 */
export class Authentication implements Authenticator {
  readonly #db: Db;
  readonly #tokens: Tokens;
  readonly #now: () => number;
  readonly #isCurrent: () => boolean;
  readonly #cached = new Map<string, CachedToken>();
  readonly #tokensOfSession = new Multimap<string, string>();
  /** The sessions that were used since the last flush, each with the address of its client; '' if unknown. */
  readonly #usedSessions = new Map<string, string>();
  /** Rises with each invalidation, so that what was verified or read before one is not cached. */
  #invalidations = 0;

  /** @param isCurrent whether cached tokens may be believed */
  constructor(db: Db, tokens: Tokens, now: () => number, isCurrent: () => boolean = () => true) {
    this.#db = db;
    this.#tokens = tokens;
    this.#now = now;
    this.#isCurrent = isCurrent;
  }

  /**
   * The caller of a cached token. `undefined` says only that the token is not cached.
   *
   * @param findAddress finds the client's address; called only when the use of the session is to be stored
   */
  recall(token: string, findAddress?: () => string): Caller | undefined {
    return this.#isCurrent() ? this.#use(token, findAddress) : undefined;
  }

  /** The caller of a token that was just identified; `undefined` if this process has read since that its session ended. */
  confirm(token: string): Caller | undefined {
    return this.#use(token);
  }

  #use(token: string, findAddress?: () => string): Caller | undefined {
    const cached = this.#cached.get(token);
    if (!cached) return undefined;
    const now = this.#now();
    if (cached.caller.expiresAt <= now) {
      this.#drop(token, cached.caller.sessionId);
      return undefined;
    }
    if (now - cached.usedAt > SESSION_TOUCH_MS) {
      cached.usedAt = now;
      this.markUsed([cached.caller.sessionId], findAddress?.());
    }
    return cached.caller;
  }

  /** The caller of a token; `undefined` if the token is invalid, has expired or its session has ended (interface 5.5). */
  async identify(token: string, findAddress?: () => string): Promise<Caller | undefined> {
    const cached = this.recall(token, findAddress);
    if (cached) return cached;
    for (;;) {
      const before = this.#invalidations;
      const claims = await this.#tokens.verify(token);
      if (!claims) return undefined;
      const session = await findSession(this.#db, claims.sessionId, this.#now());
      if (before !== this.#invalidations) continue;
      if (session?.userId !== claims.userId) return undefined;
      this.#cache(token, claims, session.usedAt);
      return this.#use(token, findAddress);
    }
  }

  /**
   * Marks sessions as used, also those that send no token, as those of open sockets do: a socket sends its token once.
   *
   * @param address of their client; left out or empty: not known, and the stored one stays
   */
  markUsed(sessionIds: Iterable<string>, address = ''): void {
    for (const id of sessionIds) this.#usedSessions.set(id, address || (this.#usedSessions.get(id) ?? ''));
  }

  /** Drops the sessions' tokens from the cache: from now on the database decides, where the sessions have ended. */
  invalidate(sessionIds: readonly string[]): void {
    this.#invalidations++;
    for (const id of sessionIds) {
      for (const token of this.#tokensOfSession.get(id)) this.#cached.delete(token);
      this.#tokensOfSession.deleteAll(id);
    }
  }

  invalidateAll(): void {
    this.#invalidations++;
    this.#cached.clear();
    this.#tokensOfSession.clear();
  }

  /** Stores time and address of use of the sessions that were used since the last call. */
  async flushUse(): Promise<void> {
    if (this.#usedSessions.size === 0) return;
    const used = new Map(this.#usedSessions);
    this.#usedSessions.clear();
    await touchSessions(this.#db, used, this.#now());
  }

  #cache(token: string, caller: Caller, usedAt: number): void {
    if (this.#cached.size >= MAX_CACHED_TOKENS) {
      const [oldest] = this.#cached;
      if (oldest) this.#drop(oldest[0], oldest[1].caller.sessionId);
    }
    this.#cached.set(token, { caller, usedAt });
    this.#tokensOfSession.add(caller.sessionId, token);
  }

  #drop(token: string, sessionId: string): void {
    this.#cached.delete(token);
    this.#tokensOfSession.delete(sessionId, token);
  }
}
