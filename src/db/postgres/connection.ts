import { Client, type ClientConfig } from 'pg';
import type { Value } from '../db.ts';
import { ConnectionLost, isOfConnection, isRefusal, NoAnswer, toError } from './errors.ts';
import { type DescribedStatements, type QueryResult, StatementQuery } from './statement-query.ts';

/** How long a statement may run, or wait for a lock, before the server ends it. */
const STATEMENT_TIMEOUT_MS = 3_000;
/** Until then a reachable server has answered or ended every statement. */
export const ANSWER_MS = 3_500;
/** How often the statements under way are checked for it: a timer for each costs more. */
const WATCH_MS = 100;
const OLDEST_VERSION = 140_000;

export const SETTINGS = {
  default_transaction_isolation: 'read committed',
  synchronous_commit: 'on',
  statement_timeout: STATEMENT_TIMEOUT_MS,
  lock_timeout: STATEMENT_TIMEOUT_MS,
  // Frees the locks of a process that froze or lost its network.
  idle_in_transaction_session_timeout: 10_000,
  tcp_keepalives_idle: 10,
  tcp_keepalives_interval: 5,
  tcp_keepalives_count: 3,
  bytea_output: 'hex',
  // PostgreSQL plans for 100 rows of a JSON parameter, however many there are, and takes a new table for a small one. So it would read whole
  // tables for a few rows. Plans without an alternative then look expensive enough for a compiler, which takes longer than they do.
  enable_hashjoin: 'off',
  enable_mergejoin: 'off',
  enable_seqscan: 'off',
  jit: 'off',
};

/** The settings that durability needs, as {@link PostgresConnection.open} reads them. */
const NEEDED = {
  encoding: 'UTF8',
  isolation: 'read committed',
  commit: 'on',
  statement_timeout: `${STATEMENT_TIMEOUT_MS / 1_000}s`,
  lock_timeout: `${STATEMENT_TIMEOUT_MS / 1_000}s`,
};

/**
 * One connection, on which statements are pipelined: each is sent at once and answered in order, and fails or succeeds on its
 * own. Any failure of the network connection breaks it permanently.
 */
export class PostgresConnection {
  /** Why the connection is broken; a broken one runs nothing any more. */
  broken: Error | undefined;
  /** When the server last answered a statement, by `performance.now`. */
  answeredAt = 0;
  /** Called once when the connection breaks. */
  onBroken: () => void = () => {};
  #client: Client;
  #inFlight = new Set<StatementQuery>();
  #described: DescribedStatements = new Map();
  #isGathering = false;
  #watch: NodeJS.Timeout | undefined;
  #retiredFor: Error | undefined;

  private constructor(server: ClientConfig) {
    this.#client = new Client({ ...server, pipeline: true });
    this.#client.on('error', (error) => this.break(error));
    this.#client.on('end', () => this.break(new NoAnswer('the connection to the database was closed')));
    // A notice belongs to the first statement that has no answer yet.
    this.#client.on('notice', ({ code, message }) => {
      const [first] = this.#inFlight;
      if (code?.startsWith('01')) first?.handleWarning(message ?? code);
    });
  }

  /**
   * @param options.admit decides whether it may be used, before it is
   * @throws {Error} when the server cannot be reached in time, or does not have the settings that durability needs
   */
  static async open(
    server: ClientConfig,
    { takesWrites, admit }: { takesWrites: boolean; admit: (opened: PostgresConnection) => Promise<void> },
  ): Promise<PostgresConnection> {
    const connection = new PostgresConnection(server);
    try {
      await connection.#client.connect().catch((error: unknown) => {
        throw connection.#lost(toError(error));
      });
      await connection.#assertSettings(takesWrites);
      await admit(connection);
    } catch (error) {
      connection.break(toError(error));
      throw error;
    }
    return connection;
  }

  get inFlight(): number {
    return this.#inFlight.size;
  }

  /** How long the first of them has been running, in milliseconds. */
  get waitedMs(): number {
    const [first] = this.#inFlight;
    return first ? performance.now() - first.sentAt : 0;
  }

  /** Whether another caller can use it: it is open, has answered everything, and is in no transaction. */
  get isReusable(): boolean {
    return !this.broken && this.#inFlight.size === 0 && this.#client.getTransactionStatus() === 'I';
  }

  /** It answers what it was sent, and then breaks. */
  get isRetired(): boolean {
    return this.broken !== undefined || this.#retiredFor !== undefined;
  }

  /**
   * Runs one statement. Several may be sent without awaiting the earlier ones; they run in order.
   *
   * @param options.answerMs the connection counts as lost when there is no answer after this time
   * @param options.mayBeRefused a refused statement says nothing of the connection, whatever its code
   */
  query<Row>(
    text: string,
    parameters: Value[] = [],
    { prepare = true, answerMs = ANSWER_MS, mayBeRefused = false } = {},
  ): Promise<QueryResult<Row>> {
    return new Promise((resolve, reject) => {
      if (this.broken) {
        reject(this.#lost(this.broken));
        return;
      }
      const name = prepare ? nameOf(text) : undefined;
      const query = new StatementQuery({ text, name, parameters, answerMs }, this.#described, (error) => {
        this.#inFlight.delete(query);
        this.answeredAt = performance.now();
        if (this.#retiredFor && this.#inFlight.size === 0) this.break(this.#retiredFor);
        // The columns of a statement are known only where it is written.
        if (!error) resolve(query.result as QueryResult<Row>);
        else reject(mayBeRefused && isRefusal(error) ? error : this.#judge(error));
      });
      this.#inFlight.add(query);
      this.#watch ??= setInterval(() => this.#checkAnswers(), WATCH_MS).unref();
      this.#gather();
      this.#client.query(query as unknown as { submit: () => void });
    });
  }

  /** Ends the connection at once; running statements fail. */
  break(reason: Error): void {
    if (this.broken) return;
    this.broken = reason;
    clearInterval(this.#watch);
    this.#client.connection.stream.destroy();
    this.onBroken();
  }

  async close(): Promise<void> {
    if (this.broken) return;
    this.broken = new NoAnswer('the database is closed');
    const timer = setTimeout(() => this.#client.connection.stream.destroy(), STATEMENT_TIMEOUT_MS);
    await this.#client.end();
    clearTimeout(timer);
    clearInterval(this.#watch);
  }

  /** Sends the statements of one turn of the event loop in one packet. */
  #gather(): void {
    if (this.#isGathering) return;
    this.#isGathering = true;
    const { stream } = this.#client.connection;
    stream.cork();
    setImmediate(() => {
      this.#isGathering = false;
      stream.uncork();
    });
  }

  #checkAnswers(): void {
    if (this.#inFlight.size === 0) {
      clearInterval(this.#watch);
      this.#watch = undefined;
    }
    const now = performance.now();
    for (const query of this.#inFlight) {
      if (now - query.sentAt < query.answerMs) continue;
      // After a stall of the event loop this timer runs before input is read: an answer that has arrived is read first.
      setImmediate(() => {
        if (this.#inFlight.has(query)) this.break(new NoAnswer('the database does not answer'));
      });
      return;
    }
  }

  /** The error that a failed statement throws. */
  #judge(error: Error): Error {
    if (!isRefusal(error)) return this.#lost(error);
    if (isOfConnection(error)) {
      this.#retiredFor ??= error;
      if (this.#inFlight.size === 0) this.break(error);
    }
    return error;
  }

  #lost(reason: Error): Error {
    this.break(reason);
    return new ConnectionLost(this.broken ?? reason);
  }

  async #assertSettings(takesWrites: boolean): Promise<void> {
    const { rows } = await this.query<Record<string, string | number>>(`select
      current_setting('server_version_num')::int as version,
      current_setting('server_encoding') as encoding,
      current_setting('transaction_isolation') as isolation,
      current_setting('synchronous_commit') as commit,
      current_setting('statement_timeout') as statement_timeout,
      current_setting('lock_timeout') as lock_timeout,
      pg_is_in_recovery() or current_setting('transaction_read_only') = 'on' as refuses_writes`);
    const settings = rows[0];
    if (!settings) throw new Error('the database does not report its settings');
    if (Number(settings.version) < OLDEST_VERSION)
      throw new Error(`PostgreSQL 14 or later is needed; the server has version number ${settings.version}`);
    for (const [name, value] of Object.entries(NEEDED))
      if (settings[name] !== value)
        throw new Error(`PostgreSQL keeps ${name} at "${settings[name]}"; it must be "${value}"`);
    if (takesWrites && settings.refuses_writes === 1)
      throw this.#lost(new NoAnswer('the server is a standby or takes no writes for now'));
  }
}

/** The names of prepared statements, the same on each connection. There is one for each template in the sources. */
const names = new Map<string, string>();

function nameOf(text: string): string {
  let name = names.get(text);
  if (name === undefined) {
    name = `s${names.size}`;
    names.set(text, name);
  }
  return name;
}
