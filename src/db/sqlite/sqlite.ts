import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { DatabaseLog, Part, Queries, SchemaDb, SchemaTx, Tx } from '../db.ts';
import { measureFsync } from '../disk-speed.ts';
import type { DatabaseFigures } from '../figures.ts';
import { forUpdate, nowMs, skipLocked } from '../fragments.ts';
import { makePrivateDatabaseFile } from '../private-files.ts';
import { type Dialect, Statements } from '../statements.ts';
import { WriteHealth } from '../write-health.ts';
import { SqliteCheckpoints } from './checkpoints.ts';
import { isBusy, isDiskFault, isSqliteError, SqliteConnection } from './connection.ts';
import { SqliteReads } from './reads.ts';
import { SqliteSnapshots } from './snapshots.ts';
import { type SqliteTx, SqliteUnits } from './units.ts';

const SLOW_FSYNC_MS = 2;

export const dialect: Dialect = {
  parameter: () => '?',
  list: (parameter) => `(select value from json_each(${parameter}))`,
  table: (parameter, columns) => {
    const values = Object.keys(columns).map((name) => `value ->> '$.${name}' as ${name}`);
    return `(select ${values.join(', ')} from json_each(${parameter}))`;
  },
  // SQLite compiles a statement with a bare `limit ?` again at each run, since its planner reads the bound value.
  limit: (parameter) => `${parameter} + 0`,
  keywords: {
    [forUpdate]: '',
    [skipLocked]: '',
    [nowMs]: "cast(unixepoch('subsec') * 1000 as integer)",
  },
};

/**
 * Opens `doorman.db` in `folder`; both are created if missing. Only their owner may read them; the mode of an existing folder
 * is kept. Other processes, such as the operator's commands, may use the same file; a write waits for theirs, up to 5 s.
 */
export async function openSqlite(options: { folder: string; log?: DatabaseLog }): Promise<SchemaDb> {
  const { folder, log } = options;
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const file = join(folder, 'doorman.db');
  makePrivateDatabaseFile(file);
  const db = new SqliteDb(file, log);
  await warnOfSlowDisk(folder, log);
  return db;
}

async function warnOfSlowDisk(folder: string, log: DatabaseLog | undefined): Promise<void> {
  try {
    const fsyncMs = await measureFsync(folder);
    if (fsyncMs > SLOW_FSYNC_MS) {
      log?.warn({ folder, fsyncMs }, 'the disk is slow: each write is answered only once the disk has it');
    }
  } catch (error) {
    // Such as a full disk, which can still be read.
    log?.warn({ folder, err: error }, 'the speed of the disk could not be measured');
  }
}

/**
 * Two connections. The reader serves everything outside transactions; only {@link SqliteUnits} uses the writer:
 * a body that awaits on a connection shared with others would let their statements into its transaction.
 */
class SqliteDb implements SchemaDb {
  readonly kind = 'sqlite';
  #statements = new Statements(dialect);
  #writer: SqliteConnection;
  #reads: SqliteReads;
  #checkpoints: SqliteCheckpoints;
  #units: SqliteUnits;
  #snapshots: SqliteSnapshots;
  #health: WriteHealth;
  #log: DatabaseLog | undefined;

  constructor(file: string, log: DatabaseLog | undefined) {
    this.#log = log;
    this.#writer = new SqliteConnection(file, { readOnly: false });
    try {
      this.#reads = new SqliteReads(file);
    } catch (error) {
      this.#writer.close();
      throw error;
    }
    // A write waits for another process by a timer of ours: SQLite's own waiting would block the event loop.
    this.#writer.raw.exec('pragma busy_timeout = 0');
    this.#checkpoints = new SqliteCheckpoints(file, this.#writer, log);
    this.#snapshots = new SqliteSnapshots(file, this.#statements);
    this.#units = new SqliteUnits(this.#writer, this.#statements, {
      // An open read would keep the log from starting again at its beginning.
      beforeBatch: () => this.#reads.end(),
      afterCommit: () => {
        this.#reads.end();
        this.#checkpoints.afterCommit();
      },
    });
    this.#health = new WriteHealth(this, isDiskFault, log);
  }

  async all<Row>(strings: TemplateStringsArray, ...parts: Part[]): Promise<Row[]> {
    const statement = this.#statements.of(strings, parts);
    if (statement.reads) return this.#reads.use().all<Row>(statement, parts);
    return this.#write((tx) => tx.all<Row>(strings, ...parts));
  }

  async get<Row>(strings: TemplateStringsArray, ...parts: Part[]): Promise<Row | undefined> {
    const statement = this.#statements.of(strings, parts);
    if (statement.reads) return this.#reads.use().get<Row>(statement, parts);
    return this.#write((tx) => tx.get<Row>(strings, ...parts));
  }

  async run(strings: TemplateStringsArray, ...parts: Part[]): Promise<number> {
    return this.#write((tx) => tx.run(strings, ...parts));
  }

  transaction<T>(body: (tx: Tx) => Promise<T>): Promise<T> {
    return this.#write(body);
  }

  snapshot<T>(body: (snapshot: Queries) => Promise<T>): Promise<T> {
    return this.#snapshots.read(body);
  }

  /** A unit is the only writer of all processes anyway. */
  changeSchema<T>(body: (tx: SchemaTx) => Promise<T>): Promise<T> {
    return this.#write(body);
  }

  figures(): DatabaseFigures {
    return this.#units.figures;
  }

  isStatementFault(error: unknown): boolean {
    return error instanceof TypeError || (isSqliteError(error) && !isDiskFault(error) && !isBusy(error));
  }

  async checkHealth(): Promise<void> {
    this.#health.check();
    await this.get`select 1 as one`;
  }

  #write<T>(body: (tx: SqliteTx) => Promise<T>): Promise<T> {
    return this.#health.observe(() => this.#units.add(body));
  }

  /** Waits for the units in the queue. */
  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([this.#health.close(), this.#units.close(), this.#snapshots.close()]);
    if (!this.#writer.raw.isOpen) return;
    await this.#checkpoints.close();
    this.#reads.close();
    try {
      this.#writer.pragma('wal_checkpoint(truncate)');
    } catch (error) {
      // Such as a full disk. The log keeps what could not be copied, until the next opening.
      this.#log?.warn({ err: error }, 'the last checkpoint of the database failed');
    } finally {
      this.#writer.close();
    }
  }
}
