import { setTimeout as delay } from 'node:timers/promises';
import type { DatabaseLog, OnPromotion, Part, Queries, SchemaDb, SchemaTx, TimeLimit, Tx } from '../db.ts';
import type { DatabaseFigures } from '../figures.ts';
import { forUpdate, nowMs, skipLocked } from '../fragments.ts';
import { type Dialect, parametersOf, Statements } from '../statements.ts';
import { WriteHealth } from '../write-health.ts';
import type { PostgresConnection } from './connection.ts';
import { Connections, RECONNECT_PAUSE_MS } from './connections.ts';
import {
  isLockTimeout,
  isRetryable,
  isServerFault,
  isStatementFault,
  isUnavailable,
  NoAnswer,
} from './errors.ts';
import type { PostgresLock } from './lock.ts';
import { PostgresQueries } from './queries.ts';
import { PostgresServers } from './servers.ts';
import type { QueryResult } from './statement-query.ts';
import { runTransaction, runTwoFlights } from './transaction.ts';

/** How long the start of a server tries to get its first connections, as the database may start too or be busy. */
export const START_MS = 30_000;
const MAX_RETRIES = 2;
/** Advisory locks are numbers that all programs on one database share. `lock.ts` has another. */
const SCHEMA_LOCK = 7_236_837_002_002;
/** How long a change of tables waits for a table, and then leaves it to others. */
const TABLE_LOCK_MS = 1_000;

export const dialect: Dialect = {
  parameter: (number) => `$${number}`,
  // Cast from text: the library would encode a parameter of type json as JSON again.
  list: (parameter) =>
    `(select value from json_array_elements_text(${parameter}::text::json) as elements (value))`,
  table: (parameter, columns) => {
    const names = Object.keys(columns);
    const typed = names.map((name) => `${name} ${columns[name] === 'text' ? 'text collate "C"' : 'bigint'}`);
    return `(select ${names.join(', ')} from json_to_recordset(${parameter}::text::json) as records (${typed.join(', ')}))`;
  },
  limit: (parameter) => parameter,
  keywords: {
    [forUpdate]: 'for update',
    [skipLocked]: 'for update skip locked',
    [nowMs]: 'floor(extract(epoch from statement_timestamp()) * 1000)::bigint',
  },
};

/**
 * Opens a PostgreSQL database (14 or later). While the server cannot be reached each call fails within 3 s. A call that is
 * running when the server falls silent fails after 3.5 s, or with the lock after 2.5 s. A call that finds no free connection while the
 * server answers others is refused as overload.
 *
 * @param options.lock the lock of a server: each write confirms it first, and its loss makes running calls fail
 * @param options.startMs how long to try until each pool has its first connection; by default one is tried once, and the pools open
 *   theirs when they need one
 * @param options.poolSize connections for transactions, and half as many each for reads and for single writes; 10 by default
 * @throws {Error} when the server cannot be reached; at once when it refuses us, such as for a wrong password, or does not have READ
 *   COMMITTED and durable commits
 */
export async function openPostgres(options: {
  url: string;
  log?: DatabaseLog;
  poolSize?: number;
  lock?: PostgresLock | null;
  startMs?: number;
}): Promise<PostgresDb> {
  const { url, log, poolSize = 10, lock = null, startMs = 0 } = options;
  const servers = new PostgresServers(url, log);
  const deadline = performance.now() + startMs;
  const onWait = () => log?.info({}, `waiting for a first connection to the database at ${servers.name}`);
  const first = await tryUntil(deadline, () => servers.open(), onWait);
  const db = new PostgresDb({ servers, first, poolSize, log, lock });
  try {
    if (startMs > 0) await tryUntil(deadline, () => db.openPools(), onWait);
    return db;
  } catch (error) {
    await db[Symbol.asyncDispose]();
    throw error;
  }
}

/** @param onWait called once, when the first try has failed */
async function tryUntil<T>(deadline: number, open: () => Promise<T>, onWait: () => void): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await open();
    } catch (error) {
      if (!isUnavailable(error) || performance.now() >= deadline) throw error;
      if (tries === 1) onWait();
      await delay(RECONNECT_PAUSE_MS);
    }
  }
}

/** Transactions wait for each other's locks; neither reads nor single writes wait for them. */
class PostgresDb extends PostgresQueries implements SchemaDb {
  readonly kind = 'postgres';
  #transactions: Connections;
  /** For single writes and snapshots. */
  #others: Connections;
  #readers: Connections;
  #lock: PostgresLock | null;
  #servers: PostgresServers;
  #log: DatabaseLog | undefined;
  #commits = 0;
  #health: WriteHealth;

  constructor(options: {
    servers: PostgresServers;
    first: PostgresConnection;
    poolSize: number;
    log: DatabaseLog | undefined;
    lock: PostgresLock | null;
  }) {
    super(new Statements(dialect));
    const { servers, first, poolSize, log, lock } = options;
    const half = Math.ceil(poolSize / 2);
    this.#transactions = new Connections(servers, poolSize);
    this.#others = new Connections(servers, half);
    this.#readers = new Connections(servers, half, first);
    this.#health = new WriteHealth(this, isServerFault, log);
    this.#lock = lock;
    this.#servers = servers;
    this.#log = log;
    if (lock)
      lock.onLost = (reason) => {
        for (const pool of this.#pools) pool.breakAll(reason);
      };
  }

  get #pools() {
    return [this.#transactions, this.#others, this.#readers];
  }

  /** Opens the first connection of each pool. @throws {Error} one of which `isUnavailable` is true, after 2.5 s without one */
  async openPools(): Promise<void> {
    await Promise.all([this.#transactions, this.#others].map((pool) => pool.use(async () => {})));
  }

  transaction<T>(body: (tx: Tx) => Promise<T>): Promise<T> {
    return this.#transaction(body);
  }

  twoFlights<Answers, T>(
    look: (tx: Queries) => Promise<Answers>,
    write: (tx: Queries, answers: Answers) => T,
    limit?: TimeLimit<T>,
  ): Promise<T> {
    return this.#write(this.#transactions, (connection) =>
      runTwoFlights(connection, this.statements, look, write, limit),
    );
  }

  snapshot<T>(body: (snapshot: Queries) => Promise<T>): Promise<T> {
    const begin = 'begin isolation level repeatable read read only';
    return withRetries(() =>
      this.#others.use((connection) => runTransaction(connection, this.statements, body, { begin })),
    );
  }

  /** Waits for others that change tables, but for no table longer than 1 s: all other queries of it wait behind that. */
  async changeSchema<T>(body: (tx: SchemaTx) => Promise<T>): Promise<T> {
    const change = async (tx: SchemaTx) => {
      await tx.script('set local statement_timeout = 0');
      await tx.script('set local lock_timeout = 0');
      await tx.script(`select pg_advisory_xact_lock(${SCHEMA_LOCK})`);
      await tx.script(`set local lock_timeout = ${TABLE_LOCK_MS}`);
      return body(tx);
    };
    for (;;) {
      try {
        return await this.#transaction(change, { withoutLimit: true });
      } catch (error) {
        if (!isLockTimeout(error)) throw error;
        await delay(TABLE_LOCK_MS);
      }
    }
  }

  figures(): DatabaseFigures {
    return {
      commits: this.#commits,
      transactions: this.#commits,
      pools: [
        { name: 'transactions', ...this.#transactions.figures },
        { name: 'writes', ...this.#others.figures },
        { name: 'reads', ...this.#readers.figures },
      ],
    };
  }

  watchPromotions(onPromotion: OnPromotion): string | undefined {
    return this.#servers.timelines.watch(async (connection, timeline) => {
      const reason = new NoAnswer(`a server of timeline ${timeline} has taken over`);
      for (const pool of this.#pools) pool.breakAll(reason);
      await onPromotion(timeline, async (body) => {
        await this.#lock?.confirm();
        return runTransaction(connection, this.statements, body);
      });
    }, this.#log);
  }

  isStatementFault(error: unknown): boolean {
    return isStatementFault(error);
  }

  async checkHealth(): Promise<void> {
    await this.#lock?.confirm();
    this.#health.check();
    await this.get`select 1 as one`;
  }

  /** Waits for running calls. */
  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([this.#health.close(), ...this.#pools.map((pool) => pool.close())]);
  }

  protected async query<Row>(strings: TemplateStringsArray, parts: Part[]): Promise<QueryResult<Row>> {
    const { text, reads } = this.statements.of(strings, parts);
    const parameters = parametersOf(parts);
    if (reads) return withRetries(() => this.#readers.query<Row>(text, parameters));
    return this.#write(this.#others, (connection) => connection.query<Row>(text, parameters));
  }

  #transaction<T>(body: (tx: SchemaTx) => Promise<T>, options?: { withoutLimit: boolean }): Promise<T> {
    return this.#write(this.#transactions, (one) => runTransaction(one, this.statements, body, options));
  }

  #write<T>(pool: Connections, work: (connection: PostgresConnection) => Promise<T>): Promise<T> {
    const unit = async (connection: PostgresConnection) => {
      await this.#lock?.confirm();
      const value = await work(connection);
      this.#commits += 1;
      return value;
    };
    return this.#health.observe(() => withRetries(() => pool.use(unit)));
  }
}

async function withRetries<T>(work: () => Promise<T>): Promise<T> {
  for (let retries = 0; ; retries++) {
    try {
      return await work();
    } catch (error) {
      if (retries === MAX_RETRIES || !isRetryable(error)) throw error;
    }
  }
}
