import { setTimeout as delay } from 'node:timers/promises';
import type {
  BulkWrites,
  DatabaseLog,
  OnPromotion,
  Part,
  Queries,
  SchemaDb,
  SchemaTx,
  TimeLimit,
  Tx,
} from '../db.ts';
import type { DatabaseFigures, PoolFigures } from '../figures.ts';
import { parametersOf } from '../statements.ts';
import { type WriteHealth, watchWrites } from '../write-health.ts';
import type { PostgresConnection } from './connection.ts';
import { Connections, RECONNECT_PAUSE_MS } from './connections.ts';
import {
  isLockTimeout,
  isRetryable,
  isServerFault,
  isStatementFault,
  isTimeout,
  isUnavailable,
  NoAnswer,
} from './errors.ts';
import type { PostgresLock } from './lock.ts';
import { PostgresQueries, statements } from './queries.ts';
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

interface PostgresOptions {
  readonly url: string;
  readonly log?: DatabaseLog;
  /** Connections for transactions, and half as many each for reads and for single writes; 10 by default. */
  readonly poolSize?: number;
  /** The lock of a server: each write confirms it first, and its loss makes running calls fail. */
  readonly lock?: PostgresLock | null;
  /** How long to try until each pool has its first connection; by default one is tried once, and the pools open theirs when they need one. */
  readonly startMs?: number;
}

/**
 * Opens a PostgreSQL database (14 or later). While the server cannot be reached each call fails within 3 s. A call that is
 * running when the server falls silent fails after 3.5 s, or with the lock after 2.5 s. A call that finds no free connection while the
 * server answers others is refused as overload.
 *
 * @throws {Error} when the server cannot be reached; at once when it refuses us, such as for a wrong password, or does not have READ
 *   COMMITTED and durable commits
 */
export async function openPostgres(options: PostgresOptions): Promise<PostgresDb> {
  const { url, log, startMs = 0 } = options;
  const servers = new PostgresServers(url, log);
  const deadline = performance.now() + startMs;
  const onWait = () => log?.info({}, `waiting for a first connection to the database at ${servers.name}`);
  const first = await tryUntil(deadline, () => servers.open(), onWait);
  const db = new PostgresDb(servers, first, options);
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
  readonly maxBatch = 128;
  readonly maxRead = 1_000;
  readonly isStatementFault = isStatementFault;
  /** Snapshots use the connections for single writes. */
  #pools: Record<PoolFigures['name'], Connections>;
  #lock: PostgresLock | null;
  #servers: PostgresServers;
  #log: DatabaseLog | undefined;
  #commits = 0;
  #health: WriteHealth;

  constructor(
    servers: PostgresServers,
    first: PostgresConnection,
    { log, poolSize = 10, lock = null }: PostgresOptions,
  ) {
    super();
    const half = Math.ceil(poolSize / 2);
    this.#pools = {
      transactions: new Connections(servers, poolSize),
      writes: new Connections(servers, half),
      reads: new Connections(servers, half, first),
    };
    this.#health = watchWrites(this, isServerFault, log);
    this.#lock = lock;
    this.#servers = servers;
    this.#log = log;
    if (lock) lock.onLost = (reason) => this.#breakAll(reason);
  }

  /** Opens the first connection of each pool. @throws {Error} one of which `isUnavailable` is true, after 2.5 s without one */
  async openPools(): Promise<void> {
    const { transactions, writes } = this.#pools;
    await Promise.all([transactions, writes].map((pool) => pool.use(async () => {})));
  }

  transaction<T>(body: (tx: Tx) => Promise<T>): Promise<T> {
    return this.#write(this.#pools.transactions, (connection) => runTransaction(connection, body));
  }

  twoFlights<Answers, T>(
    look: (tx: Queries) => Promise<Answers>,
    write: (tx: Queries, answers: Answers) => T,
    limit?: TimeLimit<T>,
  ): Promise<T> {
    return this.#write(this.#pools.transactions, (connection) =>
      runTwoFlights(connection, look, write, limit),
    );
  }

  snapshot<T>(body: (snapshot: Queries) => Promise<T>): Promise<T> {
    const begin = 'begin isolation level repeatable read read only';
    return withRetries(() =>
      this.#pools.writes.use((connection) => runTransaction(connection, body, { begin })),
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
        return await this.#write(this.#pools.transactions, (connection) =>
          runTransaction(connection, change, { answerMs: Number.POSITIVE_INFINITY }),
        );
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
      pools: Object.entries(this.#pools).map(([name, pool]) => ({
        name: name as PoolFigures['name'], // `entries` forgets the names
        ...pool.figures,
      })),
    };
  }

  bulk(): BulkWrites {
    return { maxRows: 500, afterBatch() {}, isTooLarge: isTimeout };
  }

  watchPromotions(onPromotion: OnPromotion): string | undefined {
    return this.#servers.timelines.watch(async (connection, timeline) => {
      const reason = new NoAnswer(`a server of timeline ${timeline} has taken over`);
      this.#breakAll(reason);
      await onPromotion(timeline, async (body) => {
        await this.#lock?.confirm();
        return runTransaction(connection, body);
      });
    }, this.#log);
  }

  async checkHealth(): Promise<void> {
    await this.#lock?.confirm();
    this.#health.check();
    await this.get`select 1 as one`;
  }

  /** Waits for running calls. */
  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([this.#health.close(), ...Object.values(this.#pools).map((pool) => pool.close())]);
  }

  protected async query<Row, T>(
    strings: TemplateStringsArray,
    parts: Part[],
    take: (result: QueryResult<Row>) => T,
  ): Promise<T> {
    const { text, reads } = statements.of(strings, parts);
    const parameters = parametersOf(parts);
    const result = reads
      ? withRetries(() => this.#pools.reads.query<Row>(text, parameters))
      : this.#write(this.#pools.writes, (connection) => connection.query<Row>(text, parameters));
    return take(await result);
  }

  #breakAll(reason: Error): void {
    for (const pool of Object.values(this.#pools)) pool.breakAll(reason);
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
