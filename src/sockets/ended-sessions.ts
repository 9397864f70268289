import type { Logger } from 'pino';
import type { Db, Queries } from '../db/db.ts';
import { inList } from '../db/fragments.ts';
import type { SharedEvents } from '../events/change-reader.ts';
import { closeCodes } from './close-codes.ts';
import type { LiveConnections } from './live-connections.ts';
import type { SocketSession } from './socket-session.ts';

/** How many sessions one query looks up. */
const MAX_PER_QUERY = 1000;

/** Why a session no longer opens anything: the code and the reason with which its connections close. */
type Ending = readonly [code: number, reason: string];
const ENDED: Ending = [closeCodes.sessionEnded, 'session_ended'];
const SUSPENDED: Ending = [closeCodes.accountClosed, 'suspended'];
const LEAVING: Ending = [closeCodes.accountClosed, 'account_leaving'];

/** Closes the sockets of sessions that end: those that an event names, and those that the database no longer has. */
export class EndedSessions {
  readonly #db: Db;
  readonly #events: SharedEvents;
  readonly #live: LiveConnections;
  readonly #log: Logger;
  #isCheckNeeded = false;
  #running: Promise<void> | undefined;

  constructor(db: Db, events: SharedEvents, live: LiveConnections, log: Logger) {
    this.#db = db;
    this.#events = events;
    this.#live = live;
    this.#log = log;
    events.subscribe((event) => {
      if (event.type === 'sessions-ended') {
        const ending = event.bySuspension ? SUSPENDED : event.byLeaving ? LEAVING : ENDED;
        this.#close(new Map(event.sessionIds.map((id) => [id, ending])));
      }
      if (event.type !== 'external-change') return;
      this.#isCheckNeeded = true;
      void this.retry();
    });
  }

  /** @returns whether what other processes changed is read, and no session is open that one of them ended */
  async catchUp(): Promise<boolean> {
    try {
      await this.#events.changes.read();
      return await this.retry();
    } catch (err) {
      this.#log.error({ err }, 'what other processes changed could not be read');
      return false;
    }
  }

  /**
   * Waits for a check of all sessions that runs, and repeats one that failed. To be called until one succeeds.
   *
   * @returns whether no check is needed any more
   */
  async retry(): Promise<boolean> {
    if (this.#isCheckNeeded) this.#running ??= this.#check();
    await this.#running;
    return !this.#isCheckNeeded;
  }

  async #check(): Promise<void> {
    try {
      while (this.#isCheckNeeded) {
        this.#isCheckNeeded = false;
        this.#close(await findEndings(this.#db, [...this.#live.sessions()]));
      }
    } catch (err) {
      this.#isCheckNeeded = true;
      this.#log.error({ err }, 'the sessions of the sockets could not be checked');
    } finally {
      this.#running = undefined;
    }
  }

  /** Looks at every connection, in 0.3 ms for ten thousand: an index by session would take memory for each, and sessions end rarely. */
  #close(endings: ReadonlyMap<string, Ending>): void {
    for (const { hasLeft, session } of this.#live.all) {
      const ending = session && endings.get(session.sessionId);
      if (ending && !hasLeft) session.transport.close(...ending);
    }
  }
}

/**
 * Finds which of these sessions have ended, according to the database. A session of a suspended user counts as suspended,
 * whether or not its row was removed.
 *
 * @returns how each ended session ends, by its id
 */
async function findEndings(db: Queries, sessions: readonly SocketSession[]): Promise<Map<string, Ending>> {
  const endings = new Map<string, Ending>();
  for (let i = 0; i < sessions.length; i += MAX_PER_QUERY) {
    const batch = sessions.slice(i, i + MAX_PER_QUERY);
    const [open, users] = await Promise.all([
      db.all<{ id: string }>`
        select id from sessions where id in ${inList(batch.map(({ sessionId }) => sessionId))}`,
      db.all<{ id: string; status: string }>`
        select id, case when status = 'deleted' and (select 1 from deletions where user_id = users.id) is not null then 'leaving' else status end as status
        from users where status <> 'active' and id in ${inList(batch.map(({ userId }) => userId))}`,
    ]);
    const openIds = new Set(open.map(({ id }) => id));
    const statuses = new Map(users.map(({ id, status }) => [id, status]));
    for (const { sessionId, userId } of batch) {
      const status = statuses.get(userId);
      if (status === 'suspended') endings.set(sessionId, SUSPENDED);
      else if (!openIds.has(sessionId)) endings.set(sessionId, status === 'leaving' ? LEAVING : ENDED);
    }
  }
  return endings;
}
