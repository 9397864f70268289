import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { DatabaseLog } from '../db.ts';
import { isAway, PostgresConnection } from './connection.ts';

/** Advisory locks are numbers that all programs on one database share. `postgres.ts` has another. */
const SERVER_LOCK = 7_236_837_002_001;
const LOOK_MS = 500;
/** An unanswered look counts as a lost connection after this time. */
const ANSWER_MS = 2_000;
/**
 * How long an answered look counts, from its sending. PostgreSQL ends the backend of a silent line 3 s after its last
 * sign at the earliest (`tcp_user_timeout`), so this server stops writing before another can have the lock.
 */
const LEASE_MS = LOOK_MS + ANSWER_MS;
const RETRY_MS = 200;
/** The longest that a transaction can stay open once its server is gone: the limits of `connection.ts` and a margin. */
const OLDER_TRANSACTIONS_MS = 15_000;

type Outcome = 'held' | 'taken' | 'away' | 'retry';

/**
 * Makes this process the only server on a PostgreSQL database: the lock belongs to a connection of its own and ends
 * with it. A lost lock is taken again, and `onLost` is called so that everything under way can be cut off. Writes call
 * {@link confirm} at their begin.
 */
export class PostgresLock implements AsyncDisposable {
  /** Called each time the lock is lost. */
  onLost: (reason: Error) => void = () => {};
  /** Settles when another server has taken the lock meanwhile; this one must end. */
  readonly taken: Promise<void>;
  #setTaken: () => void;
  #url: string;
  #log: DatabaseLog | undefined;
  /** Names this process, so that a backend it left behind can be recognized and ended. */
  #name = `doorman lock ${randomUUID()}`;
  #connection: PostgresConnection | undefined;
  #confirmedAt = 0;
  #looking: NodeJS.Timeout | undefined;
  #retaking: Promise<void> | undefined;
  #closed = false;
  #lastProblem = '';

  private constructor(url: string, log: DatabaseLog | undefined) {
    this.#url = url;
    this.#log = log;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.taken = promise;
    this.#setTaken = resolve;
  }

  /**
   * Waits until the database can be reached, the server before this one is gone and its transactions have ended.
   *
   * @throws {Error} when the database refuses us, such as for a wrong password, or cannot keep our promises
   */
  static async take({ url, log }: { url: string; log?: DatabaseLog }): Promise<PostgresLock> {
    const lock = new PostgresLock(url, log);
    let last: Outcome | undefined;
    for (;;) {
      const outcome = await lock.#attempt();
      if (outcome === 'held') break;
      if (outcome === 'taken' && last !== 'taken')
        log?.info({}, 'another server uses the database; waiting until it ends');
      last = outcome;
      await delay(outcome === 'taken' ? LOOK_MS : RETRY_MS);
    }
    try {
      await lock.#untilOlderTransactionsEnded();
      return lock;
    } catch (error) {
      await lock[Symbol.asyncDispose]();
      throw error;
    }
  }

  /**
   * @throws {Error} when this server does not hold the lock, or cannot know within 2 s that it does
   */
  async confirm(): Promise<void> {
    if (this.#isHeld()) return;
    // The event loop was held up for longer than the lease.
    if (this.#connection && !this.#closed) await this.#look(this.#connection);
    if (!this.#isHeld()) throw new Error('the lock on the database is not held');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true;
    await this.#retaking;
    clearInterval(this.#looking);
    await this.#connection?.close();
  }

  #isHeld(): boolean {
    return this.#connection !== undefined && performance.now() - this.#confirmedAt < LEASE_MS;
  }

  async #look(connection: PostgresConnection): Promise<void> {
    const sentAt = performance.now();
    await connection.ask('select 1', [], { answerMs: ANSWER_MS });
    if (connection === this.#connection) this.#confirmedAt = Math.max(this.#confirmedAt, sentAt);
  }

  async #attempt(): Promise<Outcome> {
    let connection: PostgresConnection | undefined;
    try {
      connection = await PostgresConnection.open(this.#url);
      const outcome = await this.#takeOn(connection);
      if (outcome !== 'held') await connection.close();
      return outcome;
    } catch (error) {
      connection?.break(error instanceof Error ? error : new Error(String(error)));
      if (!isAway(error)) throw error;
      this.#warnOnce(error, `the database at ${placeOf(this.#url)} cannot be reached; waiting for it`);
      return 'away';
    }
  }

  async #takeOn(connection: PostgresConnection): Promise<Outcome> {
    // Set here, where no parameter of the address overrides it.
    await connection.ask(
      `select set_config('application_name', $1, false), set_config('tcp_user_timeout', '3000', false),
        set_config('tcp_keepalives_idle', '3', false), set_config('tcp_keepalives_interval', '1', false)`,
      [this.#name],
    );
    const sentAt = performance.now();
    const { rows } = await connection.ask<{ ours: number }>(
      `select pg_try_advisory_lock(${SERVER_LOCK}) as ours`,
    );
    if (rows[0]?.ours === 1) {
      this.#hold(connection, sentAt);
      return 'held';
    }
    const { rows: holders } = await connection.ask<{ pid: number; ours: number }>(
      `select pid, coalesce(application_name = $1 and usename = current_user, false) as ours
        from pg_locks join pg_stat_activity using (pid)
        where locktype = 'advisory' and database = (select oid from pg_database where datname = current_database())
          and (classid::bigint << 32 | objid::bigint) = ${SERVER_LOCK} and objsubid = 1 and granted`,
      [this.#name],
    );
    for (const { pid, ours } of holders) {
      if (ours !== 1) return 'taken';
      await connection.ask('select pg_terminate_backend($1::int, 1000)', [pid]);
    }
    return 'retry';
  }

  #hold(connection: PostgresConnection, confirmedAt: number): void {
    this.#connection = connection;
    this.#confirmedAt = confirmedAt;
    this.#lastProblem = '';
    // A failure breaks the connection.
    this.#looking = setInterval(() => this.#look(connection).catch(() => {}), LOOK_MS);
    this.#looking.unref();
    connection.onBroken = () => {
      clearInterval(this.#looking);
      this.#connection = undefined;
      if (this.#closed) return;
      const reason = connection.broken ?? new Error('the connection was closed');
      this.#log?.warn({ err: reason }, 'the lock on the database is lost; taking it again');
      this.onLost(reason);
      this.#retaking = this.#retake();
    };
  }

  async #retake(): Promise<void> {
    while (!this.#closed) {
      const outcome = await this.#attempt().catch((error: unknown): Outcome => {
        this.#warnOnce(error, 'the lock on the database cannot be taken again');
        return 'retry';
      });
      if (outcome === 'held') {
        this.#log?.info({}, 'the lock on the database is held again');
        return;
      }
      if (outcome === 'taken') {
        this.#setTaken();
        return;
      }
      await delay(RETRY_MS, undefined, { ref: false });
    }
  }

  /**
   * A transaction of the server before this one may still be open, for example on a line that fell silent. It could
   * commit after this server has read; PostgreSQL ends it after 10 s without a statement, and a statement after 3 s.
   */
  async #untilOlderTransactionsEnded(): Promise<void> {
    const givesUpAt = performance.now() + OLDER_TRANSACTIONS_MS;
    const { rows } = (await this.#connection?.ask<{ now: string }>('select now()::text as now')) ?? {};
    const now = rows?.[0]?.now ?? null;
    while (performance.now() < givesUpAt) {
      const older = await this.#connection?.ask(
        `select pid from pg_stat_activity where datname = current_database() and application_name = 'doorman'
          and xact_start < $1::timestamptz`,
        [now],
      );
      if (!older || older.count === 0) return;
      await delay(RETRY_MS);
    }
  }

  #warnOnce(error: unknown, message: string): void {
    const problem = error instanceof Error ? error.message : String(error);
    if (problem === this.#lastProblem) return;
    this.#lastProblem = problem;
    this.#log?.warn({ err: error }, message);
  }
}

/** The host and the database of an address, nothing else of it. */
function placeOf(address: string): string {
  const url = URL.parse(address);
  return url ? url.host + url.pathname : 'DATABASE_URL';
}
