import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { DatabaseLog } from '../db.ts';
import type { PostgresConnection } from './connection.ts';
import { isUnavailable, toError } from './errors.ts';
import { PostgresServers } from './servers.ts';

/** Advisory locks are numbers that all programs on one database share. `postgres.ts` has another. */
const SERVER_LOCK = 7_236_837_002_001;
const CHECK_MS = 500;
/** A check without an answer counts as a lost connection after this time. */
const ANSWER_MS = 2_000;
/**
 * How long an answered check is valid, from when it was sent. PostgreSQL ends the backend of a silent connection 3 s after the
 * last packet at the earliest (`tcp_user_timeout`), so this server stops writing before another can have the lock.
 */
const LEASE_MS = CHECK_MS + ANSWER_MS;
const RETRY_MS = 200;
/** How long a transaction can stay open after its server has ended: the limits of `connection.ts` and a margin. */
const OLDER_TRANSACTIONS_MS = 15_000;

interface LockOptions {
  readonly url: string;
  readonly log?: DatabaseLog;
  /** Shares the lock with other nodes, instead of having it alone. */
  readonly isShared?: boolean;
}

/** `taken`: another server has the lock; `retry`: also where the database cannot be reached. */
type AttemptResult = 'held' | 'taken' | 'retry';

/**
 * Makes this process the only server on a PostgreSQL database. The lock belongs to a connection of its own and ends with it. A
 * lost lock is taken again, and `onLost` is called, so that everything that is running can be ended. Each write calls
 * {@link confirm} first.
 *
 * Nodes share the lock: it keeps them and a single server from running at the same time. Their writes do not depend on it, as
 * every truth is in the database; so its loss ends nothing, and it is taken again beside their work.
 */
export class PostgresLock implements AsyncDisposable {
  /** Called each time the lock is lost. */
  onLost: (reason: Error) => void = () => {};
  readonly #taken = Promise.withResolvers<void>();
  /** Resolves when another server has taken the lost lock: this one must end. */
  readonly taken = this.#taken.promise;
  #servers: PostgresServers;
  #log: DatabaseLog | undefined;
  #isShared: boolean;
  /** Names this process, so that a backend it left behind can be recognized and ended. */
  #name = `doorman lock ${randomUUID()}`;
  #connection: PostgresConnection | undefined;
  #confirmedAt = 0;
  #checks: NodeJS.Timeout | undefined;
  #retaking: Promise<void> | undefined;
  #closed = false;
  #lastProblem = '';

  private constructor({ url, log, isShared = false }: LockOptions) {
    this.#servers = new PostgresServers(url);
    this.#log = log;
    this.#isShared = isShared;
  }

  /**
   * Waits until the database can be reached, and the earlier server and its transactions have ended; a node waits for a single
   * server alone, a single server for all nodes.
   *
   * @param isWanted is asked before each attempt, and gives up by false
   * @throws {Error} when the database refuses us, such as for a wrong password, or lacks the settings that durability needs
   */
  static async take(options: LockOptions): Promise<PostgresLock>;
  static async take(
    options: LockOptions,
    isWanted: () => Promise<boolean>,
  ): Promise<PostgresLock | undefined>;
  static async take(options: LockOptions, isWanted = async () => true) {
    const { log, isShared = false } = options;
    const lock = new PostgresLock(options);
    let last: AttemptResult | undefined;
    for (;;) {
      if (!(await isWanted())) return undefined;
      const result = await lock.#attempt();
      if (result === 'held') break;
      if (result === 'taken' && last !== 'taken')
        log?.info({}, 'another server uses the database; waiting until it ends');
      last = result;
      await delay(result === 'taken' ? CHECK_MS : RETRY_MS);
    }
    try {
      if (!isShared) await lock.#waitForOlderTransactions();
      return lock;
    } catch (error) {
      await lock[Symbol.asyncDispose]();
      throw error;
    }
  }

  /**
   * @throws {Error} when this server does not hold the lock, or cannot know within 2 s that it does; never for a node
   */
  async confirm(): Promise<void> {
    if (this.#isShared || this.#isHeld()) return;
    // The event loop stalled for longer than the lease.
    if (this.#connection && !this.#closed) await this.#check(this.#connection);
    if (!this.#isHeld()) throw new Error('the lock on the database is not held');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true;
    await this.#retaking;
    clearInterval(this.#checks);
    await this.#connection?.close();
  }

  #isHeld(): boolean {
    return this.#connection !== undefined && performance.now() - this.#confirmedAt < LEASE_MS;
  }

  async #check(connection: PostgresConnection): Promise<void> {
    const sentAt = performance.now();
    await connection.query('select 1', [], { answerMs: ANSWER_MS });
    if (connection === this.#connection) this.#confirmedAt = Math.max(this.#confirmedAt, sentAt);
  }

  async #attempt(): Promise<AttemptResult> {
    let connection: PostgresConnection | undefined;
    try {
      connection = await this.#servers.open();
      const result = await this.#takeOn(connection);
      if (result !== 'held') await connection.close();
      return result;
    } catch (error) {
      connection?.break(toError(error));
      if (!isUnavailable(error)) throw error;
      this.#warnOnce(error, `the database at ${this.#servers.name} cannot be reached; waiting for it`);
      return 'retry';
    }
  }

  async #takeOn(connection: PostgresConnection): Promise<AttemptResult> {
    // Set by a statement, which parameters of the address do not override.
    await connection.query(
      `select set_config('application_name', $1, false), set_config('tcp_user_timeout', '3000', false),
        set_config('tcp_keepalives_idle', '3', false), set_config('tcp_keepalives_interval', '1', false)`,
      [this.#name],
    );
    const sentAt = performance.now();
    const { rows } = await connection.query<{ ours: number }>(
      `select pg_try_advisory_lock${this.#isShared ? '_shared' : ''}(${SERVER_LOCK}) as ours`,
    );
    if (rows[0]?.ours === 1) {
      this.#hold(connection, sentAt);
      return 'held';
    }
    const { rows: holders } = await connection.query<{ pid: number; ours: number }>(
      `select pid, coalesce(application_name = $1 and usename = current_user, false) as ours
        from pg_locks join pg_stat_activity using (pid)
        where locktype = 'advisory' and database = (select oid from pg_database where datname = current_database())
          and (classid::bigint << 32 | objid::bigint) = ${SERVER_LOCK} and objsubid = 1 and granted
          and ($2 = 'no' or mode = 'ExclusiveLock')`,
      [this.#name, this.#isShared ? 'yes' : 'no'],
    );
    for (const { pid, ours } of holders) {
      if (ours !== 1) return 'taken';
      await connection.query('select pg_terminate_backend($1::int, 1000)', [pid]);
    }
    return 'retry';
  }

  #hold(connection: PostgresConnection, confirmedAt: number): void {
    this.#connection = connection;
    this.#confirmedAt = confirmedAt;
    this.#lastProblem = '';
    // A failed check breaks the connection.
    this.#checks = setInterval(() => this.#check(connection).catch(() => {}), CHECK_MS);
    this.#checks.unref();
    connection.onBroken = () => {
      clearInterval(this.#checks);
      this.#connection = undefined;
      if (this.#closed) return;
      const reason = connection.broken ?? new Error('the connection was closed');
      this.#log?.warn({ err: reason }, 'the lock on the database is lost; taking it again');
      if (!this.#isShared) this.onLost(reason);
      this.#retaking = this.#retake();
    };
  }

  async #retake(): Promise<void> {
    while (!this.#closed) {
      const result = await this.#attempt().catch((error: unknown): AttemptResult => {
        this.#warnOnce(error, 'the lock on the database cannot be taken again');
        return 'retry';
      });
      if (result === 'held') {
        this.#log?.info({}, 'the lock on the database is held again');
        return;
      }
      if (result === 'taken') {
        this.#taken.resolve();
        return;
      }
      await delay(RETRY_MS, undefined, { ref: false });
    }
  }

  /**
   * A transaction of an earlier server may still be open, for example on a silent connection, and could commit after this
   * server has read. PostgreSQL ends it after 10 s without a statement, and a statement after 3 s.
   */
  async #waitForOlderTransactions(): Promise<void> {
    const deadline = performance.now() + OLDER_TRANSACTIONS_MS;
    const { rows } = (await this.#connection?.query<{ now: string }>('select now()::text as now')) ?? {};
    const now = rows?.[0]?.now ?? null;
    while (performance.now() < deadline) {
      const older = await this.#connection?.query(
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
