import { setTimeout as delay } from 'node:timers/promises';
import type { DatabaseLog, ListFragment, Part, SchemaDb, SchemaTx, Tx } from './db.ts';
import { type Answer, PostgresConnection } from './postgres-connection.ts';
import { PostgresPool } from './postgres-pool.ts';
import { isWorthAnotherRun, runTransaction } from './postgres-transaction.ts';
import { type Dialect, parametersOf, Statements } from './statements.ts';

const furtherRuns = 2;
/** How often a server looks whether the lock is free, and whether its own still stands. */
const lookMs = 1_000;

/** Advisory locks are numbers that all programs on one database share; these two are ours. */
const advisoryLocks = { server: 7_236_837_002_001, schema: 7_236_837_002_002 } as const;

const dialect: Dialect = {
  parameter: (number) => `$${number}`,
  // By way of text: the library would write a parameter of type json as JSON once more.
  list: (parameter) =>
    `(select value from json_array_elements_text(${parameter}::text::json) as elements (value))`,
  skipLocked: { text: 'for update skip locked' },
};

/**
 * Opens a PostgreSQL database (14 or later). A server that goes away makes each call fail within 3 s (and 3.5 s more
 * for one that was under way), until it is back.
 *
 * @param poolSize connections for transactions, and as many for everything else; 10 unless said
 * @throws {Error} when the server cannot be reached, or does not keep READ COMMITTED and durable commits
 */
export async function openPostgres(options: {
  url: string;
  log?: DatabaseLog;
  poolSize?: number;
}): Promise<SchemaDb> {
  const probe = await PostgresConnection.open(options.url);
  await probe.close();
  return new PostgresDb(options.url, options.poolSize ?? 10, options.log);
}

/**
 * Makes this process the only server on a PostgreSQL database, for those that are not joined by Redis: waits until
 * the server before it is gone. The lock belongs to a connection of its own and ends with it, so a process that dies
 * leaves nothing behind.
 *
 * @param onLost called once if the connection breaks later; another server may start from then on
 * @throws {Error} when the database cannot be reached
 */
export async function lockDatabase(options: {
  url: string;
  log?: DatabaseLog;
  onLost: (reason: Error) => void;
}): Promise<AsyncDisposable> {
  const connection = await PostgresConnection.open(options.url);
  const isOurs = async () => {
    const { rows } = await connection.ask<{ ours: number }>(
      `select pg_try_advisory_lock(${advisoryLocks.server}) as ours`,
    );
    return rows[0]?.ours === 1;
  };
  if (!(await isOurs())) {
    options.log?.info({}, 'another server uses the database; waiting until it ends');
    do await delay(lookMs);
    while (!(await isOurs()));
  }

  // A line that died silently shows only when something is sent over it; a failure breaks the connection.
  const look = setInterval(() => connection.ask('select 1').catch(() => {}), lookMs);
  look.unref();
  connection.onBroken = () => {
    clearInterval(look);
    options.onLost(connection.broken ?? new Error('the connection was closed'));
  };
  return {
    async [Symbol.asyncDispose]() {
      clearInterval(look);
      connection.onBroken = () => {};
      await connection.close();
    },
  };
}

/** Two pools, so that transactions that wait for each other's locks do not keep readers out. */
class PostgresDb implements SchemaDb {
  readonly kind = 'postgres';
  #statements = new Statements(dialect);
  #transactions: PostgresPool;
  #others: PostgresPool;

  constructor(url: string, poolSize: number, log: DatabaseLog | undefined) {
    this.#transactions = new PostgresPool(url, poolSize, log);
    this.#others = new PostgresPool(url, poolSize, log);
  }

  async all<Row>(strings: TemplateStringsArray, ...parts: Part[]): Promise<Row[]> {
    return (await this.#ask<Row>(strings, parts)).rows;
  }

  async get<Row>(strings: TemplateStringsArray, ...parts: Part[]): Promise<Row | undefined> {
    return (await this.#ask<Row>(strings, parts)).rows[0];
  }

  async run(strings: TemplateStringsArray, ...parts: Part[]): Promise<number> {
    return (await this.#ask(strings, parts)).count;
  }

  list(values: readonly string[]): ListFragment {
    return this.#statements.list(values);
  }

  get skipLocked() {
    return this.#statements.skipLocked;
  }

  transaction<T>(body: (tx: Tx) => Promise<T>): Promise<T> {
    return this.#transaction(body, { patient: false });
  }

  changeSchema<T>(body: (tx: SchemaTx) => Promise<T>): Promise<T> {
    return this.#transaction(
      async (tx) => {
        await tx.script('set local statement_timeout = 0');
        await tx.script('set local lock_timeout = 0');
        await tx.script(`select pg_advisory_xact_lock(${advisoryLocks.schema})`);
        return body(tx);
      },
      { patient: true },
    );
  }

  /** Waits for what is under way. */
  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([this.#transactions.close(), this.#others.close()]);
  }

  async #ask<Row>(strings: TemplateStringsArray, parts: Part[]): Promise<Answer<Row>> {
    const { text } = this.#statements.of(strings, parts);
    const parameters = parametersOf(parts);
    return rerun(() => this.#others.use((connection) => connection.ask<Row>(text, parameters)));
  }

  #transaction<T>(body: (tx: SchemaTx) => Promise<T>, options: { patient: boolean }): Promise<T> {
    return rerun(() =>
      this.#transactions.use((connection) => runTransaction(connection, this.#statements, body, options)),
    );
  }
}

async function rerun<T>(work: () => Promise<T>): Promise<T> {
  for (let further = furtherRuns; ; further--) {
    try {
      return await work();
    } catch (error) {
      if (further === 0 || !isWorthAnotherRun(error)) throw error;
    }
  }
}
