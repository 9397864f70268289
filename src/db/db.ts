import type { DatabaseFigures } from './figures.ts';
import type { Fragment } from './fragments.ts';

/** The types of parameters. Others are refused, since SQLite would bind `undefined` and dates as NULL. */
export type Value = string | number | null | Uint8Array;

export type Part = Value | Fragment;

/**
 * Statements as tagged templates: the same text on SQLite and PostgreSQL, prepared once per template and
 * connection. Every `${}` is a parameter or one of `fragments.ts`, never SQL text. `bigint` columns, `count`
 * and `sum` come back as numbers, booleans as 0 and 1, bytes as `Uint8Array`.
 *
 * PostgreSQL derives a parameter's type from its context; without one (`select ${n} as n`) it is read
 * as text, so write `cast(${n} as bigint)`.
 *
 * @throws {TypeError} for a parameter that is no {@link Value}, a number that is not finite, or a string that is
 *   not well-formed or holds U+0000 (which PostgreSQL cannot store)
 */
export interface Queries {
  /** All rows. */
  all<Row>(strings: TemplateStringsArray, ...parts: Part[]): Promise<Row[]>;
  /** The first row, or `undefined`. */
  get<Row>(strings: TemplateStringsArray, ...parts: Part[]): Promise<Row | undefined>;
  /** How many rows were written. */
  run(strings: TemplateStringsArray, ...parts: Part[]): Promise<number>;
}

/**
 * One transaction. Using it after its body ended throws. Once a statement in it fails, the whole transaction is rolled back, even
 * if the body catches the error.
 */
export interface Tx extends Queries {
  readonly inTransaction: true;
}

/** The database of one process. Outside a transaction, each write is a transaction of its own. */
export interface Db extends Queries, AsyncDisposable {
  readonly kind: 'sqlite' | 'postgres';
  /** How many messages a transaction takes at most. On SQLite it is less: all other requests wait meanwhile. */
  readonly maxBatch: number;
  /** How many messages a statement reads at most, for the same reason. */
  readonly maxRead: number;
  /**
   * Runs `body` atomically; resolves when the commit is on the disk. The body awaits nothing but its `tx` and has no other
   * effects, since it may be run again (PostgreSQL 40001, 40P01, 23503).
   *
   * @throws {ServiceError} `rate-limited`, word `overloaded`, when too many transactions wait already
   */
  transaction<T>(body: (tx: Tx) => Promise<T>): Promise<T>;
  /**
   * A transaction for a batch: `look` reads all that decides about it, then `write` writes. On PostgreSQL each is one round trip: the
   * first sends `begin` with the statements of `look`, the second the statements of `write` with `commit`; a `write` that sends none
   * rolls back. Both functions send everything before their first `await`, and have no other effects, since they may be run again
   * (PostgreSQL 40001, 40P01, 23503). `look` only reads and locks by `select .. for update`: if `begin` failed, its statements would
   * run by themselves. Resolves with what `write` returns when the commit is on the disk.
   *
   * @param limit ends a statement of `look` that takes longer, as it waits for a lock; then the call resolves with what `late` returns
   * @throws the first failure of a statement; also one that a statement's promise reports already
   * @throws {ServiceError} as {@link transaction}
   */
  twoFlights<Answers, T>(
    look: (tx: Queries) => Promise<Answers>,
    write: (tx: Queries, answers: Answers) => T,
    limit?: TimeLimit<T>,
  ): Promise<T>;
  /**
   * Runs `body`, which only reads, on a consistent snapshot, without blocking writers. The body awaits nothing but its
   * queries.
   */
  snapshot<T>(body: (snapshot: Queries) => Promise<T>): Promise<T>;
  /**
   * Whether a statement failed because of its own content, such as a violated constraint: another one may succeed now. False
   * when the connection, the disk or the server failed.
   */
  isStatementFault(error: unknown): boolean;
  /**
   * Whether the database answers, takes writes as far as is known, and (PostgreSQL) is locked for this server.
   *
   * @throws {Error} why it cannot be used
   */
  checkHealth(): Promise<void>;
}

/** How long each statement may take. */
export interface TimeLimit<T> {
  readonly ms: number;
  /** Gives the result of a call that took longer. */
  late(): T;
}

export interface SchemaTx extends Tx {
  /** Runs one statement without parameters, such as `create table`. */
  script(text: string): Promise<void>;
}

/**
 * Decides what a promoted standby lacks, before anything is read from it or written to it; when it rejects, it is called again with
 * another connection.
 *
 * @param timeline of the promoted server
 * @param transaction runs a body on it, as {@link Db.transaction}
 */
export type OnPromotion = (timeline: string, transaction: Db['transaction']) => Promise<void>;

/** How many rows go into one transaction, and what is done between two. */
export interface BulkWrites {
  readonly maxRows: number;
  /** Keeps the log of the embedded database (WAL) below 256 MB. */
  afterBatch(): void;
  /** Whether a transaction failed as a statement took longer than it may: with half of its rows it may succeed. */
  isTooLarge(error: unknown): boolean;
}

/** What `openSqlite` and `openPostgres` return. Only `migrate.ts` changes tables. */
export interface SchemaDb extends Db {
  /**
   * Like {@link Db.transaction}, but one at a time among all processes, and without a time limit. `body` runs again when a table
   * is in use for longer than 1 s (PostgreSQL).
   */
  changeSchema<T>(body: (tx: SchemaTx) => Promise<T>): Promise<T>;
  figures(): DatabaseFigures;
  /** For a command that writes many rows while no server runs. */
  bulk(): BulkWrites;
  /**
   * PostgreSQL alone: calls `onPromotion` when a connection shows a later timeline than those before, as after a failover. Until it has
   * resolved, no statement of others runs; those on connections of the earlier timeline fail, and no new one is opened.
   *
   * @returns the timeline so far; undefined where PostgreSQL does not tell it, which is logged
   */
  watchPromotions?(onPromotion: OnPromotion): string | undefined;
}

/** The part of the logger that the databases use; every pino logger has it. */
export interface DatabaseLog {
  info(details: object, message: string): void;
  warn(details: object, message: string): void;
}
