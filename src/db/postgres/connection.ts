import postgres from 'postgres';
import type { Value } from '../db.ts';

/** How long a statement may run, or wait for a lock, before the server ends it. */
const STATEMENT_TIMEOUT_MS = 3_000;
/** Until then a reachable server has answered or ended every statement. */
const ANSWER_TIMEOUT_MS = 3_500;
const OLDEST_VERSION = 140_000;

export interface QueryResult<Row> {
  readonly rows: Row[];
  /** Rows written, or read by a `select`. */
  readonly count: number;
  /** Such as `INSERT` or `COMMIT`. */
  readonly command: string;
}

/** What each connection asserts at its start. */
interface Settings {
  version: number;
  encoding: string;
  isolation: string;
  commit: string;
  statement_timeout: string;
  lock_timeout: string;
}

/**
 * One connection of the library `postgres`, which by itself would connect again and send the rest of a broken transaction on
 * the new connection, outside any transaction. Here any failure of the network connection breaks it permanently.
 */
export class PostgresConnection {
  /** Why the connection is broken; a broken one runs nothing any more. */
  broken: Error | undefined;
  /** Called once when the connection breaks. */
  onBroken: () => void = () => {};
  #sql: postgres.Sql;

  private constructor(url: string) {
    this.#sql = postgres(url, {
      max: 1,
      fetch_types: false,
      idle_timeout: 0,
      max_lifetime: null,
      connect_timeout: STATEMENT_TIMEOUT_MS / 1_000,
      backoff: false,
      onnotice: () => {},
      onclose: () => this.break(new Error('the connection to the database was closed')),
      connection: {
        application_name: 'doorman',
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
      },
      types,
    });
  }

  /**
   * @throws {Error} when the server cannot be reached within 3 s, or does not have the settings that durability needs
   */
  static async open(url: string): Promise<PostgresConnection> {
    const connection = new PostgresConnection(url);
    try {
      await connection.#assertSettings();
    } catch (error) {
      connection.break(toError(error));
      throw error;
    }
    return connection;
  }

  /**
   * Runs one statement. Several may be sent without awaiting the earlier ones; they run in order.
   *
   * @param options.withoutLimit waits for the answer without a time limit
   * @param options.answerMs the connection counts as lost when there is no answer after this time
   */
  async query<Row>(
    text: string,
    parameters: Value[] = [],
    { withoutLimit = false, prepare = true, answerMs = ANSWER_TIMEOUT_MS } = {},
  ): Promise<QueryResult<Row>> {
    if (this.broken) throw this.#lost(this.broken);
    const options = { prepare, simple: !prepare };
    let isSettled = false;
    const giveUp = () => {
      if (!isSettled) this.break(new Error('the database does not answer'));
    };
    // After a stall of the event loop the timer runs before input is read: an answer that has arrived is read first.
    const timer = withoutLimit ? undefined : setTimeout(() => setImmediate(giveUp), answerMs);
    try {
      const result = await this.#sql.unsafe(text, parameters, options);
      // The columns of a statement are known only where it is written.
      return { rows: Array.from(result) as Row[], count: result.count ?? 0, command: result.command };
    } catch (error) {
      if (error instanceof postgres.PostgresError && error.severity === 'ERROR') throw error;
      throw this.#lost(toError(error));
    } finally {
      isSettled = true;
      clearTimeout(timer);
    }
  }

  /** Ends the connection at once; running statements fail. */
  break(reason: Error): void {
    if (this.broken) return;
    this.broken = reason;
    void this.#sql.end({ timeout: 0 });
    this.onBroken();
  }

  async close(): Promise<void> {
    if (this.broken) return;
    this.broken = new Error('the database is closed');
    await this.#sql.end({ timeout: STATEMENT_TIMEOUT_MS / 1_000 });
  }

  #lost(reason: Error): Error {
    this.break(reason);
    const cause = this.broken ?? reason;
    return new ConnectionLost(cause);
  }

  async #assertSettings(): Promise<void> {
    const { rows } = await this.query<Settings>(`select
      current_setting('server_version_num')::int as version,
      current_setting('server_encoding') as encoding,
      current_setting('transaction_isolation') as isolation,
      current_setting('synchronous_commit') as commit,
      current_setting('statement_timeout') as statement_timeout,
      current_setting('lock_timeout') as lock_timeout`);
    const settings = rows[0];
    if (!settings) throw new Error('the database does not report its settings');
    if (settings.version < OLDEST_VERSION) {
      throw new Error(`PostgreSQL 14 or later is needed; the server has version number ${settings.version}`);
    }
    const expected: Omit<Settings, 'version'> = {
      encoding: 'UTF8',
      isolation: 'read committed',
      commit: 'on',
      statement_timeout: `${STATEMENT_TIMEOUT_MS / 1_000}s`,
      lock_timeout: `${STATEMENT_TIMEOUT_MS / 1_000}s`,
    };
    for (const [name, value] of Object.entries(expected)) {
      const actual = Object.entries(settings).find(([setting]) => setting === name)?.[1];
      if (actual !== value) throw new Error(`PostgreSQL keeps ${name} at "${actual}"; it must be "${value}"`);
    }
  }
}

class ConnectionLost extends Error {
  override readonly cause: Error;

  constructor(cause: Error) {
    super(`the connection to the database is lost: ${cause.message || codeOf(cause)}`);
    this.cause = cause;
  }
}

/** Codes of the library and the system. An error without a code is ours: no answer, or a closed connection. */
const UNAVAILABLE_CODES = [
  ...['CONNECT_TIMEOUT', 'CONNECTION_CLOSED', 'CONNECTION_ENDED', 'CONNECTION_DESTROYED', 'ECONNREFUSED'],
  ...['ECONNRESET', 'ETIMEDOUT', 'EPIPE', 'EHOSTUNREACH', 'ENETUNREACH', 'ENOTFOUND', 'EAI_AGAIN', 'ENOENT'],
];

/**
 * Whether the server cannot be reached for now, is starting or stopping, or has no free connection; false for one that refuses
 * us, such as for a wrong password (PostgreSQL, appendix A: classes 08, 53 and 57P).
 */
export function isUnavailable(error: unknown): boolean {
  if (!(error instanceof ConnectionLost)) return false;
  const code = codeOf(error.cause);
  if (error.cause instanceof postgres.PostgresError) return /^(08|53|57P)/.test(code);
  return code === '' || UNAVAILABLE_CODES.includes(code);
}

function codeOf(error: Error): string {
  return 'code' in error ? String(error.code) : '';
}

/** Values as on SQLite: numbers for whole and exact numbers, 0 and 1 for booleans, plain byte arrays. */
const types = {
  number: { to: 0, from: [20, 21, 23, 26, 700, 701, 1700], serialize: String, parse: Number },
  boolean: { to: 16, from: [16], serialize: String, parse: (text: string) => (text === 't' ? 1 : 0) },
  bytea: {
    to: 17,
    from: [17],
    serialize: (bytes: Uint8Array) => `\\x${Buffer.from(bytes).toString('hex')}`,
    parse: (text: string) => new Uint8Array(Buffer.from(text.slice(2), 'hex')),
  },
};

export function toError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown));
}
