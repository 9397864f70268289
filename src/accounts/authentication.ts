import type { Db } from '../db/db.ts';
import type { Authenticator, Caller } from '../http/authenticate.ts';
import { findSession } from './session-lookup.ts';
import { noteSessionUse, SESSION_USE_STEP_MS } from './sessions.ts';
import type { Tokens } from './tokens.ts';

/** Bounds the memory for tokens that were verified once. */
const MAX_REMEMBERED = 100_000;

interface Remembered {
  readonly caller: Caller;
  usedAt: number;
}

/**
 * Turns tokens into callers. A token that was verified once is remembered until it expires or its session ends, so
 * that most calls cost neither a signature nor a query (measured: docs/performance.md).
 */
export class Authentication implements Authenticator {
  readonly #db: Db;
  readonly #tokens: Tokens;
  readonly #now: () => number;
  readonly #remembered = new Map<string, Remembered>();
  readonly #tokensOfSession = new Map<string, Set<string>>();
  readonly #used = new Set<string>();
  /** Rises with everything forgotten, so that a query begun before is not believed after. */
  #forgotten = 0;

  constructor(db: Db, tokens: Tokens, now: () => number) {
    this.#db = db;
    this.#tokens = tokens;
    this.#now = now;
  }

  /** The caller if the token is remembered; says nothing about others. */
  recall(token: string): Caller | undefined {
    const known = this.#remembered.get(token);
    if (!known) return undefined;
    const now = this.#now();
    if (known.caller.expiresAt <= now) {
      this.#drop(token, known.caller.sessionId);
      return undefined;
    }
    if (now - known.usedAt > SESSION_USE_STEP_MS) {
      known.usedAt = now;
      this.#used.add(known.caller.sessionId);
    }
    return known.caller;
  }

  /** The caller of a token, verified as far as that is still needed; `undefined` if nobody may enter with it (5.5). */
  async identify(token: string): Promise<Caller | undefined> {
    const known = this.recall(token);
    if (known) return known;
    const claims = await this.#tokens.verify(token);
    if (!claims) return undefined;
    for (;;) {
      const asked = this.#forgotten;
      const session = await findSession(this.#db, claims.sessionId, this.#now());
      if (asked !== this.#forgotten) continue;
      if (session?.userId !== claims.userId) return undefined;
      this.#remember(token, claims, session.usedAt);
      return this.recall(token);
    }
  }

  /** The sessions are in use, as by an open socket, which shows its token once. */
  markUsed(sessionIds: Iterable<string>): void {
    for (const id of sessionIds) this.#used.add(id);
  }

  /** From now on the sessions' tokens open nothing. */
  forget(sessionIds: readonly string[]): void {
    this.#forgotten++;
    for (const id of sessionIds) {
      for (const token of this.#tokensOfSession.get(id) ?? []) this.#remembered.delete(token);
      this.#tokensOfSession.delete(id);
    }
  }

  /** Asks the database again for everybody. */
  forgetAll(): void {
    this.#forgotten++;
    this.#remembered.clear();
    this.#tokensOfSession.clear();
  }

  /** Writes down which sessions were used since the last time. */
  async noteUse(): Promise<void> {
    if (this.#used.size === 0) return;
    const ids = [...this.#used];
    this.#used.clear();
    await noteSessionUse(this.#db, ids, this.#now());
  }

  #remember(token: string, caller: Caller, usedAt: number): void {
    if (this.#remembered.size >= MAX_REMEMBERED) {
      const [oldest] = this.#remembered;
      if (oldest) this.#drop(oldest[0], oldest[1].caller.sessionId);
    }
    this.#remembered.set(token, { caller, usedAt });
    const tokens = this.#tokensOfSession.get(caller.sessionId);
    if (tokens) tokens.add(token);
    else this.#tokensOfSession.set(caller.sessionId, new Set([token]));
  }

  #drop(token: string, sessionId: string): void {
    this.#remembered.delete(token);
    const tokens = this.#tokensOfSession.get(sessionId);
    tokens?.delete(token);
    if (tokens?.size === 0) this.#tokensOfSession.delete(sessionId);
  }
}
