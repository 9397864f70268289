import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { DatabaseLog, Part, SchemaDb } from '../db.ts';
import { watchWrites } from '../write-health.ts';
import { openCheckpoints } from './checkpoints.ts';
import { isBusy, isDiskFault, isSqliteError, SqliteConnection, statements } from './connection.ts';
import { warnOfSlowDisk } from './disk-speed.ts';
import { makePrivateDatabaseFile, withPath } from './files.ts';
import { openReads } from './reads.ts';
import { openSnapshots } from './snapshots.ts';
import { type SqliteTx, SqliteUnits } from './units.ts';

const BULK_CACHE_KIB = 256 * 1024;
/** A batch of lines adds less than 100 MB to it. */
const BULK_LOG_BYTES = 128 * 1024 * 1024;

/**
 * Opens `doorman.db` in `folder`; both are created if missing. Only their owner may read them; the mode of an existing folder
 * is kept. Other processes, such as the operator's commands, may use the same file; a write waits for theirs, up to 5 s.
 */
export async function openSqlite(options: { folder: string; log?: DatabaseLog }): Promise<SchemaDb> {
  const { folder, log } = options;
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const file = join(folder, 'doorman.db');
  makePrivateDatabaseFile(file);
  const db = withPath(file, () => openConnections(file, log));
  await warnOfSlowDisk(folder, log);
  return db;
}

/**
 * Two connections. The reader serves everything outside transactions; only {@link SqliteUnits} uses the writer:
 * a body that awaits on a connection shared with others would let their statements into its transaction.
 */
function openConnections(file: string, log: DatabaseLog | undefined): SchemaDb {
  const writer = new SqliteConnection(file, { readOnly: false });
  let reads: ReturnType<typeof openReads>;
  try {
    reads = openReads(file);
  } catch (error) {
    writer.close();
    throw error;
  }
  // A write waits for another process by a timer of ours: SQLite's own waiting would block the event loop.
  writer.raw.exec('pragma busy_timeout = 0');
  const checkpoints = openCheckpoints(file, log);
  const snapshots = openSnapshots(file);
  const units = new SqliteUnits(writer, {
    // An open read would keep the log from starting again at its beginning.
    beforeBatch: reads.end,
    afterCommit: () => {
      reads.end();
      checkpoints.afterCommit();
    },
  });
  const write = <T>(body: (tx: SqliteTx) => Promise<T>): Promise<T> => health.observe(() => units.add(body));
  const db: SchemaDb = {
    kind: 'sqlite',
    // Some 5 ms.
    maxBatch: 64,
    // About a millisecond.
    maxRead: 200,
    async all<Row>(strings: TemplateStringsArray, ...parts: Part[]) {
      if (statements.of(strings, parts).reads) return reads.use().all<Row>(strings, parts);
      return write((tx) => tx.all<Row>(strings, ...parts));
    },
    async get<Row>(strings: TemplateStringsArray, ...parts: Part[]) {
      if (statements.of(strings, parts).reads) return reads.use().get<Row>(strings, parts);
      return write((tx) => tx.get<Row>(strings, ...parts));
    },
    run: (strings, ...parts) => write((tx) => tx.run(strings, ...parts)),
    transaction: write,
    // One unit: it has no locks to wait for.
    twoFlights: (look, change) => write(async (tx) => change(tx, await look(tx))),
    snapshot: snapshots.read,
    // A unit is the only writer of all processes anyway.
    changeSchema: write,
    figures: () => units.figures,
    bulk() {
      writer.raw.exec(`pragma cache_size = -${BULK_CACHE_KIB}`);
      checkpoints.pause();
      return {
        maxRows: 2_000,
        afterBatch() {
          // An open read would keep the log.
          reads.end();
          if (checkpoints.logBytes() > BULK_LOG_BYTES) writer.pragma('wal_checkpoint(truncate)');
        },
        isTooLarge: () => false,
      };
    },
    isStatementFault: (error) =>
      error instanceof TypeError || (isSqliteError(error) && !isDiskFault(error) && !isBusy(error)),
    async checkHealth() {
      health.check();
      await db.get`select 1 as one`;
    },
    /** Waits for the units in the queue. */
    async [Symbol.asyncDispose]() {
      await Promise.all([health.close(), units.close(), snapshots.close()]);
      if (!writer.raw.isOpen) return;
      await checkpoints.close();
      reads.close();
      try {
        writer.pragma('wal_checkpoint(truncate)');
      } catch (error) {
        // Such as a full disk. The log keeps what could not be copied, until the next opening.
        log?.warn({ err: error }, 'the last checkpoint of the database failed');
      } finally {
        writer.close();
      }
    },
  };
  const health = watchWrites(db, isDiskFault, log);
  return db;
}
