import type { Logger } from 'pino';
import type { Db, Queries } from '../db/db.ts';
import { inList } from '../db/fragments.ts';

/** How many sessions one query looks up. */
const MAX_PER_QUERY = 1000;

/** Why a session no longer opens anything. */
export type EndReason = 'ended' | 'suspended';

interface OpenSession {
  readonly userId: string;
  readonly sessionId: string;
}

/** Finds the sessions of this process's sockets that ended without an event that names them. */
export class EndedSessions {
  readonly #db: Db;
  readonly #log: Logger;
  readonly #listOpen: () => OpenSession[];
  readonly #onEnded: (sessionId: string, reason: EndReason) => void;
  #isCheckNeeded = false;
  #running: Promise<void> | undefined;

  constructor(
    db: Db,
    log: Logger,
    listOpen: () => OpenSession[],
    onEnded: (sessionId: string, reason: EndReason) => void,
  ) {
    this.#db = db;
    this.#log = log;
    this.#listOpen = listOpen;
    this.#onEnded = onEnded;
  }

  /** Checks every open session. If that fails, {@link retry} has to be called. */
  async check(): Promise<void> {
    this.#isCheckNeeded = true;
    await this.retry();
  }

  /** Waits for a check that runs, and repeats one that failed. @returns whether no check is needed any more */
  async retry(): Promise<boolean> {
    if (this.#isCheckNeeded) this.#running ??= this.#run();
    await this.#running;
    return !this.#isCheckNeeded;
  }

  async #run(): Promise<void> {
    try {
      while (this.#isCheckNeeded) {
        this.#isCheckNeeded = false;
        const ended = await findEndedSessions(this.#db, this.#listOpen());
        for (const [sessionId, reason] of ended) this.#onEnded(sessionId, reason);
      }
    } catch (err) {
      this.#isCheckNeeded = true;
      this.#log.error({ err }, 'the sessions of the sockets could not be checked');
    } finally {
      this.#running = undefined;
    }
  }
}

/**
 * Finds which of these sessions have ended, according to the database. A session of a suspended user counts as suspended,
 * whether or not its row was removed.
 *
 * @returns the reason of each ended session, by its id
 */
async function findEndedSessions(
  db: Queries,
  sessions: readonly OpenSession[],
): Promise<Map<string, EndReason>> {
  const ended = new Map<string, EndReason>();
  for (let i = 0; i < sessions.length; i += MAX_PER_QUERY) {
    const batch = sessions.slice(i, i + MAX_PER_QUERY);
    const [open, users] = await Promise.all([
      db.all<{
        id: string;
      }>`select id from sessions where id in ${inList(batch.map(({ sessionId }) => sessionId))}`,
      db.all<{ id: string; status: string }>`
        select id, status from users where id in ${inList(batch.map(({ userId }) => userId))}`,
    ]);
    const openIds = new Set(open.map(({ id }) => id));
    const suspendedIds = new Set(users.filter(({ status }) => status === 'suspended').map(({ id }) => id));
    for (const { sessionId, userId } of batch) {
      if (suspendedIds.has(userId)) ended.set(sessionId, 'suspended');
      else if (!openIds.has(sessionId)) ended.set(sessionId, 'ended');
    }
  }
  return ended;
}
